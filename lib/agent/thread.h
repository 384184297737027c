/* SPDX-License-Identifier: ISC */
/*
 * thread.h: the threads that sample themselves.  Each has an area of the shared
 * memory and a timer, from its beginning to its end.
 */
#ifndef AGENT_THREAD_H
#define AGENT_THREAD_H

#include <signal.h>
#include <time.h>

#include "agent/codes.h"
#include "agent/cstack.h"
#include "agent/wire.h"
#include "python/frames.h"
#include "python/status.h"

/* A thread's own data, in its area's `own`. */
struct agent_thread {
	struct wire_area *area;
	uint32_t number; /* the area's */
	uint32_t generation; /* of the recorder that it works for */
	int32_t timer;	 /* the kernel's number of it; -1: none */
	clockid_t clock; /* of its ticks */
	bool sharp;	 /* a timer of wall time for ticks of CPU time */
	uint32_t futile; /* early signals of that timer, see ticks_judge */
	uint64_t half_way; /* on its clock, to the tick that it is armed for */
	uint64_t last;	 /* ticks up to its last sample */
	uint64_t seed;	 /* of the places of its ticks */
	uint64_t rest;	 /* on its clock: no samples before */
	uint64_t order_time; /* of the order that it follows */
	bool paused;
	bool slow; /* its last sample took long */

	struct self_view view;
	struct py_none none;
	struct code_table codes;
	struct py_shims shims; /* that its walks have met */
	uint32_t prev_depth; /* of the sample that went into the ring last */
	struct wire_frame prev[WIRE_DEPTH];   /* its frames, at the end */
	struct wire_frame frames[WIRE_DEPTH]; /* of the next one */
	struct py_place places[WIRE_DEPTH];
	struct cstack cstack;
};

_Static_assert(sizeof(struct agent_thread) <=
    sizeof(((struct wire_area *)NULL)->own), "an area is too small");

/* The calling thread's, or NULL.  The caller must not look into it, as the
 * recorder may have taken the area back. */
struct agent_thread *thread_self(void);
/* The calling thread's; NULL if it has none, or if its area is no longer its
 * own: then the timer is deleted, and the thread goes on without both. */
struct agent_thread *thread_mine(void);

/* Registers the calling thread: takes an area, makes a timer and arms it.  Our
 * signal must be blocked, as its handler could leave the area again. */
void thread_enter(void);
/* Does the same with our signal blocked; unblocks it afterwards. */
void thread_register(void);
/* Does the same in a new thread, where memory may be allocated. */
void thread_begin(void);

/* Makes another thread, which ran before the agent came, register itself when
 * it next runs: a timer's signal tells it so, and the thread then deletes the
 * timer.  Returns the kernel's number of the timer, or -1 if there is none. */
int32_t thread_adopt(pid_t tid);
/* True if a signal tells the thread to register itself. */
bool thread_is_adopting(const siginfo_t *);
/* Deletes the timer of such a signal; ignores other signals. */
void thread_adopted(const siginfo_t *);

/* Unregisters the calling thread, which ends: blocks our signal for good,
 * counts the ticks that are left, and gives the area to the recorder. */
void thread_unregister(void);

/* Leaves a recorder that has gone: deletes the calling thread's timer and gives
 * up its area.  The thread must be registered. */
void thread_leave(void);

/* Forgets the calling thread's area, in the child of a fork. */
void thread_forget(void);

/* Call it once, before any thread is registered.  False if no key is left. */
bool thread_init(void);

#endif
