/* SPDX-License-Identifier: ISC */
/*
 * realtime.h: how soon the calling thread gets a CPU when it wakes.
 *
 * Where threads keep all CPUs busy, the scheduler gives the recorder a CPU
 * later than asked for, and rather when a thread enters the kernel than when it
 * does not: code that enters the kernel is seen too often.  A thread of a
 * real-time class gets a CPU at once, but can also keep it from all others.
 * Therefore the recorder takes the lowest priority of that class where it may,
 * for as long as it leaves enough of a CPU to others.  Else it asks for short
 * slices, which Linux 6.12 and later prefer somewhat.
 */
#ifndef ENGINE_SCHED_REALTIME_H
#define ENGINE_SCHED_REALTIME_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/os/os.h"

struct realtime {
	bool may;	/* the thread may be made real-time */
	bool is;	/* it is real-time now */
	unsigned part;	/* per cent of a CPU that it may use then */
	uint64_t since, cpu; /* when its use was looked at last, and its CPU
			      * time then; ns */
	uint64_t next;	/* when its use is to be looked at again; ns */
};

/* Restores the calling thread's scheduling. */
void realtime_set_back(const struct schedule *);

/* Asks for short slices and sharp timers.  Here and below, a class or niceness
 * that was chosen for the thread stays as it is. */
void realtime_prepare(void);

/* Asks for the real-time class, as the rounds begin. */
void realtime_begin(struct realtime *, uint64_t now);
/* Looks at the thread's use of a CPU, if it is time to: after too much, the
 * thread is not real-time for a while. */
void realtime_look(struct realtime *, uint64_t now);
/* Enters or leaves the class, for a caller that looks at the use itself. */
void realtime_set(struct realtime *, bool real_time);
/* Whether the calling thread is real-time, for whatever reason. */
bool realtime_is(void);
/* Leaves the class, as there are no rounds any more. */
void realtime_end(struct realtime *);

#endif
