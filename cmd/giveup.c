/* SPDX-License-Identifier: ISC */
/* giveup.c: see giveup.h. */
#include "giveup.h"

#include <err.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

#include "cmd.h"
#include "thread.h"

static giveup_handler *handle;
static sigset_t ends;
static atomic_uint beats;
static atomic_bool started, stopped;

/* Handles the signals that the main thread has not handled. */
static void
take_signals(void)
{
	const struct timespec none = {0};
	siginfo_t info;
	int sig;

	while ((sig = sigtimedwait(&ends, &info, &none)) > 0)
		handle(sig, &info, NULL);
}

static void
give_up(void)
{
	warnx("a read of the program's memory or files does not end "
	    "(userfaultfd, FUSE or a server that does not answer): the "
	    "recording until then stays in the .part file, which tach-convert "
	    "and tach-merge read");
	_exit(RECORD_FAILED);
}

/* The seconds for which the main thread has been stuck, from the start of the end
 * at the earliest. */
static unsigned
silence(void)
{
	static unsigned last, seconds;
	static bool ending;
	bool begins = started && !ending;

	seconds = beats == last && !begins ? seconds + 1 : 0;
	ending = ending || begins;
	last = beats;
	return seconds;
}

static void *
giveup_run(void *unused)
{
	const struct timespec second = {.tv_sec = 1};

	while (!stopped) {
		nanosleep(&second, NULL);
		if (silence() < GIVEUP_PATIENCE || stopped)
			continue;
		if (started)
			give_up();
		take_signals();
	}
	return unused;
}

void
giveup_open(giveup_handler *handler, const int *signals, size_t count)
{
	pthread_t thread;

	handle = handler;
	sigemptyset(&ends);
	for (size_t i = 0; i < count; i++)
		sigaddset(&ends, signals[i]);
	if (thread_start(&thread, giveup_run, NULL) == 0)
		pthread_detach(thread);
}

void
giveup_beat(void)
{
	beats++;
}

void
giveup_start(void)
{
	started = true;
}

void
giveup_stop(void)
{
	stopped = true;
}
