/* SPDX-License-Identifier: ISC */
/*
 * realtime.h: how soon the scheduler lets us in when we wake.
 *
 * Where threads keep all CPUs busy, it is the scheduler that says when we get
 * one: later than asked for, and rather when a thread enters the kernel than
 * when it does not, so that what threads do there is seen too often.  A thread
 * of a real-time class gets a CPU at once, but it can also keep one from all
 * others.  So we are one of the least priority, where we may, and for as long
 * as we leave enough of a CPU to others; else we ask for short slices, which
 * Linux 6.12 and later prefer somewhat.
 */
#ifndef ENGINE_SCHED_REALTIME_H
#define ENGINE_SCHED_REALTIME_H

#include <stdbool.h>
#include <stdint.h>

struct realtime {
	bool may;	/* be real-time */
	bool is;	/* it is so now */
	unsigned part;	/* of a CPU, in per cent, that we may take then */
	uint64_t since, cpu; /* when that was looked at last, and the CPU time
			      * that we had then; ns */
	uint64_t next;	/* when it is looked at again */
};

/* How a thread is scheduled, as the kernel has it. */
struct sched_attributes {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period; /* ns; the first one is also that of a
					     * slice */
};

/* How the calling thread is; false if that is not to be had.  And has it be so
 * again. */
bool realtime_get(struct sched_attributes *);
void realtime_set_back(const struct sched_attributes *);

/* Asks for short slices and sharp timers.  A thread whose class or niceness was
 * chosen by somebody has that left as it is, here and below. */
void realtime_prepare(void);

/* Asks for the real-time class: now, the rounds begin. */
void realtime_begin(struct realtime *, uint64_t now);
/* What we take of a CPU is looked at, if it is time to. */
void realtime_look(struct realtime *, uint64_t now);
/* The same where somebody else has looked at it. */
void realtime_set(struct realtime *, bool real_time);
/* Whether this thread is real-time, by us or by somebody's choice. */
bool realtime_is(void);
/* There are no rounds any more. */
void realtime_end(struct realtime *);

#endif
