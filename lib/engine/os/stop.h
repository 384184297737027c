/* SPDX-License-Identifier: ISC */
/*
 * stop.h: threads of a target made to stand still for a moment, by ptrace(2).
 *
 * A thread is traced only while it stands still.  What it would have got
 * meanwhile, such as a signal, it gets afterwards; and if we die, the kernel
 * lets it go.  If we stop, it does not: Ctrl-Z waits until we have.
 */
#ifndef ENGINE_OS_STOP_H
#define ENGINE_OS_STOP_H

#include <signal.h>
#include <stdint.h>

#include "engine/os/process.h"

struct stop {
	pid_t task;
	bool stopped; /* else it was told to, and has not done it yet */
	int signal;   /* that it was about to get; 0: none */
};

struct stops {
	const struct process *process;
	struct stop *list;
	size_t count, max;
	bool held;	/* signals that would stop us are, meanwhile */
	sigset_t mask;	/* as it was before */
};

/* Stops a thread that runs.  It should not be blocked in a call, since some
 * calls end early by it.  False: it goes on, or has ended. */
bool stop_thread(struct stops *, pid_t task);
/* Lets them all go.  False: some have yet to stop, and are to be let go when they
 * have, soon. */
bool stop_release_all(struct stops *);
/* The same, and waits for them until some time (ns, CLOCK_MONOTONIC) at the
 * latest.  One that has not stopped by then is let go by the kernel, when this
 * thread ends. */
void stops_free(struct stops *, uint64_t until);

/* Who traces the process, which nobody else can do then; 0: nobody. */
pid_t stop_tracer(const struct process *);

#endif
