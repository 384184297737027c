/* SPDX-License-Identifier: ISC */
/*
 * helper.h: threads of the library beside the caller's.  The signals of the process
 * are for the caller's.
 */
#ifndef HELPER_H
#define HELPER_H

#include <pthread.h>

/* Starts a thread in which all signals are blocked.  0, or an errno value. */
int helper_start(pthread_t *, void *(*run)(void *), void *arg);

#endif
