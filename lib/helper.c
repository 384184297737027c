/* SPDX-License-Identifier: ISC */
/* helper.c: see helper.h. */
#include "helper.h"

#include <signal.h>

int
helper_start(pthread_t *thread, void *(*run)(void *), void *arg)
{
	sigset_t all, old;
	int e;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	e = pthread_create(thread, NULL, run, arg);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return e;
}
