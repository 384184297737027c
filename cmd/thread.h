/* SPDX-License-Identifier: ISC */
/* thread.h: a thread beside the main one, which keeps the signals. */
#ifndef THREAD_H
#define THREAD_H

#include <pthread.h>

/* Starts a thread in which all signals are blocked.  0, or errno. */
int thread_start(pthread_t *, void *(*run)(void *), void *arg);

#endif
