/* SPDX-License-Identifier: ISC */
/*
 * helper.h: threads of the library, and its children.  They block all signals, which are
 * for the threads of the caller.
 */
#ifndef HELPER_H
#define HELPER_H

#include <pthread.h>
#include <sys/types.h>

/* Starts a thread with all signals blocked.  Returns 0 or an errno value. */
int helper_start(pthread_t *, void *(*run)(void *), void *arg);

/* Forks.  In the child all signals are blocked, so that no handler of the caller's runs
 * there.  -1 with errno. */
pid_t helper_fork(void);

#endif
