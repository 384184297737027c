/* SPDX-License-Identifier: ISC */
/* starts.c: the wrapper of pthread_create: each thread that the program starts
 * registers itself first. */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "agent/agent.h"
#include "agent/real.h"
#include "agent/signals.h"
#include "agent/thread.h"

struct start {
	void *(*run)(void *);
	void *arg;
	bool masked; /* the creator has masked our signal */
};

static void *
run_registered(void *arg)
{
	struct start s = *(struct start *)arg;

	free(arg);
	signals_set_masked(s.masked);
	thread_begin();
	return s.run(s.arg);
}

WRAPPER int
pthread_create(pthread_t *thread, const pthread_attr_t *attr,
    void *(*run)(void *), void *arg)
{
	struct start *s;
	int e;

	if (agent_slot() == NULL || (s = malloc(sizeof(*s))) == NULL)
		return REAL(pthread_create)(thread, attr, run, arg);
	*s = (struct start){run, arg, signals_masked()};
	if ((e = REAL(pthread_create)(thread, attr, run_registered, s)) != 0)
		free(s);
	return e;
}
