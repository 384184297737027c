/* SPDX-License-Identifier: ISC */
/*
 * stop.h: threads of a target made to stand still for a moment, by ptrace(2).
 *
 * A thread is traced only while it stands still.  An event of that time, such
 * as a signal, reaches the thread afterwards.  If the recorder dies, the kernel
 * lets the thread go; if the recorder is stopped, the kernel does not.  Ctrl-Z
 * therefore waits until all threads are let go.
 */
#ifndef ENGINE_OS_STOP_H
#define ENGINE_OS_STOP_H

#include <signal.h>
#include <stdint.h>

#include "engine/os/process.h"

struct stop {
	pid_t task;
	bool stopped; /* else it was told to stop, and has not yet */
	int signal;   /* that it gets when it is let go; 0: none */
};

struct stops {
	const struct process *process;
	struct stop *list;
	size_t count, max;
	bool held;	/* signals that would stop us are blocked */
	sigset_t mask;	/* the signal mask before */
};

/* Stops a thread that runs.  A thread that is blocked in a call should not be
 * stopped: some calls end early by it.  False if the thread has not stopped
 * yet, or has ended. */
bool stop_thread(struct stops *, pid_t task);
/* Lets all threads go.  False if some have not stopped yet: call it again soon,
 * as only a thread that has stopped can be let go. */
bool stop_release_all(struct stops *);
/* Lets all threads go, and waits for threads that have not stopped yet until a
 * time (ns, CLOCK_MONOTONIC) at the latest.  The kernel lets go a thread that
 * has not stopped by then when the calling thread ends. */
void stops_free(struct stops *, uint64_t until);

/* The id of the thread that traces the process's main thread; no other thread can
 * trace it then.  0 if there is none. */
pid_t stop_tracer(const struct process *);

#endif
