/* SPDX-License-Identifier: ISC */
/*
 * helper.h: threads of ours beside those of the caller, which get none of the
 * signals that are for the process.
 */
#ifndef HELPER_H
#define HELPER_H

#include <pthread.h>

/* Starts one that all signals are blocked in; an errno value. */
int helper_start(pthread_t *, void *(*run)(void *), void *arg);

#endif
