/* SPDX-License-Identifier: ISC */
/* states.h: from when until when a thread held the GIL, ran, and so on. */
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
	uint8_t told; /* statuses that mean something if they are not set */
	unsigned now; /* the states that the thread is in, as bits */
	uint64_t until;		/* what is known of it ends then */
	uint64_t since[STATES]; /* of those */
};

/* Begins with a new thread of a profile in whose samples all of these
 * statuses were seen: what never is set, nothing has told. */
void states_begin(struct states *, uint8_t seen, struct error *);

/* Takes the thread's next sample.  False: out of memory or, if the error says
 * so, more than may be held. */
bool states_add(struct states *, const struct tach_tick *, bool gc);

/* After the last one: puts the intervals in order of their begin.  False: as
 * above. */
bool states_end(struct states *);

#endif
