/* SPDX-License-Identifier: ISC */
/* strays.c: what strays.py does in C, loaded by ctypes. */
#include <pthread.h>
#include <stddef.h>

void PyEval_AcquireThread(void *);
void PyEval_ReleaseThread(void *);
int PyRun_SimpleString(const char *);

static void
run_in(void *state, const char *text)
{
	PyEval_AcquireThread(state);
	PyRun_SimpleString(text);
	PyEval_ReleaseThread(state);
}

struct turn {
	void *state;
	const char *text;
};

static void *
take_turn(void *arg)
{
	const struct turn *t = arg;

	run_in(t->state, t->text);
	return NULL;
}

static void
in_thread(void *state, const char *text)
{
	struct turn turn = {state, text};
	pthread_t thread;

	pthread_create(&thread, NULL, take_turn, &turn);
	pthread_join(thread, NULL);
}

/* A thread uses a state and ends, then this one uses it. */
void
lend(void *state, const char *first, const char *second)
{
	in_thread(state, first);
	run_in(state, second);
}

/* This thread uses a state, then another one while this one waits. */
void
borrow(void *state, const char *first, const char *second)
{
	run_in(state, first);
	in_thread(state, second);
}

void
end_thread(void)
{
	pthread_exit(NULL);
}
