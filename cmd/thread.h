/* SPDX-License-Identifier: ISC */
/* thread.h: threads beside the main one, which handles the signals. */
#ifndef THREAD_H
#define THREAD_H

#include <pthread.h>

/* Starts a thread in which all signals are blocked.  Returns 0, or a number of
 * errno. */
int thread_start(pthread_t *, void *(*run)(void *), void *arg);

#endif
