/* SPDX-License-Identifier: ISC */
/*
 * helper.h: threads of the library.  They block all signals, which are for the
 * threads of the caller.
 */
#ifndef HELPER_H
#define HELPER_H

#include <pthread.h>

/* Starts a thread with all signals blocked.  Returns 0 or an errno value. */
int helper_start(pthread_t *, void *(*run)(void *), void *arg);

#endif
