/* SPDX-License-Identifier: ISC */
/*
 * thread.h: the threads that sample themselves: each has an area of the shared
 * memory and a timer, from its beginning to its end.
 */
#ifndef AGENT_THREAD_H
#define AGENT_THREAD_H

#include <signal.h>
#include <time.h>

#include "agent/codes.h"
#include "agent/wire.h"
#include "python/frames.h"
#include "python/status.h"

/* What a thread keeps for itself, in its area's `own`. */
struct agent_thread {
	struct wire_area *area;
	uint32_t number; /* the area's */
	uint32_t generation; /* of the recorder that it works for */
	int32_t timer;	 /* the kernel's number of it; -1: none */
	clockid_t clock; /* that tells its ticks */
	bool sharp;	 /* its timer is of the wall's clock, its ticks are not */
	uint32_t futile; /* signals of that which came for nothing */
	uint64_t half_way; /* on its clock, to where it was armed for */
	uint64_t last;	 /* ticks up to its last sample */
	uint64_t seed;	 /* of where its ticks are */
	uint64_t rest;	 /* on its clock: until then it does not sample */
	uint64_t order_time; /* of the order that it follows */
	bool paused;
	bool slow; /* its last signal took long */

	struct self_view view;
	struct py_none none;
	struct code_table codes;
	struct py_shims shims; /* that it has come to */
	uint32_t prev_depth; /* of the sample that went into the ring last */
	struct wire_frame prev[WIRE_DEPTH];   /* its frames, at the end */
	struct wire_frame frames[WIRE_DEPTH]; /* those of the next one */
	struct py_place places[WIRE_DEPTH];
};

_Static_assert(sizeof(struct agent_thread) <=
    sizeof(((struct wire_area *)NULL)->own), "an area is too small");

/* The calling thread's, or NULL.  It may not be looked into: */
struct agent_thread *thread_self(void);
/* likewise, if its area still is its own.  Whatever a recorder has done, the
 * thread goes on. */
struct agent_thread *thread_mine(void);

/* Registers the calling thread: an area, a timer.  The signal is not to come
 * meanwhile, as its handler could already leave the area again. */
void thread_enter(void);
/* The same where the signal may come, and may from then on. */
void thread_register(void);
/* The same in a thread that is new, where memory may be allocated. */
void thread_begin(void);

/* Has another thread, which was there before us, register itself when it runs
 * for the first time: the number of the timer that tells it to, which is gone
 * after that, or -1. */
int32_t thread_adopt(pid_t tid);
/* Whether that is what a signal tells. */
bool thread_is_adopting(const siginfo_t *);
/* To be shown each signal that comes. */
void thread_adopted(const siginfo_t *);

/* The calling thread ends, or another program takes its place.  All that a
 * handler needs is there until no signal can come any more. */
void thread_unregister(void);

/* The recorder has gone: the calling thread has nothing to do with it any
 * more. */
void thread_leave(void);

/* In the child of a fork: nothing here is its own. */
void thread_forget(void);

/* Once, before any thread is registered.  False: no key is left. */
bool thread_init(void);

#endif
