/* SPDX-License-Identifier: ISC */
/* states.h: the intervals in which a thread held the GIL, ran, and so on. */
#ifndef OUT_STATES_H
#define OUT_STATES_H

#include "error.h"
#include "tach.h"

enum state {
	STATE_GIL,
	STATE_NO_GIL,
	STATE_CPU,
	STATE_NO_CPU,
	STATE_WANTS_GIL,
	STATE_EXCEPTION,
	STATE_GC,
	STATES,
};

struct interval {
	uint64_t begin, end;
	enum state state;
};

struct states {
	struct interval *intervals;
	uint32_t count;
	/* private */
	struct error *error;
	size_t max;
	uint8_t told; /* statuses whose absence means something */
	unsigned now; /* the states that the thread is in, as bits */
	uint64_t until;		/* end of the known time */
	uint64_t since[STATES]; /* begin of each of these states */
};

/* Begins with a new thread.  `seen` has all statuses that occur in the profile:
 * if a status never occurs, its absence means nothing. */
void states_begin(struct states *, uint8_t seen, struct error *);

/* Takes the next sample of the thread.  False if out of memory or, if the error
 * is set, if limits.h allows no more intervals. */
bool states_add(struct states *, const struct tach_tick *, bool gc);

/* Ends the thread: sorts the intervals by their begin.  False as above. */
bool states_end(struct states *);

#endif
