/* SPDX-License-Identifier: ISC */
/* helper.c: see helper.h. */
#include "helper.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

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

pid_t
helper_fork(void)
{
	sigset_t all, old;
	pid_t pid;
	int error;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	pid = fork();
	error = errno;
	if (pid != 0)
		pthread_sigmask(SIG_SETMASK, &old, NULL);
	errno = error;
	return pid;
}
