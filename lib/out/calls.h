/* SPDX-License-Identifier: ISC */
/*
 * calls.h: who called whom, and what each of them weighs, out of an
 * aggregate.
 *
 * What calls is a place, or a thread, which calls its outermost frame.  What
 * is called is a spot: places as they are, or classes of them, such as the
 * functions of lines.
 */
#ifndef OUT_CALLS_H
#define OUT_CALLS_H

#include "out/aggregate.h"

struct amount {
	uint64_t samples;
	uint64_t time; /* microseconds */
};

struct call_spot {
	struct amount self;  /* where it was innermost */
	struct amount total; /* where it was in the stack, however often */
	bool open;	     /* private */
};

struct call {
	uint32_t from; /* a place, or the number of places plus a thread's */
	uint32_t to;   /* a spot */
	struct amount self;  /* where the stack ended with it */
	struct amount total; /* where it was in the stack, however often */
	/* Of these, where the spot was called by this for the first time: the
	 * sum of it over all that call a spot is the spot's total. */
	struct amount outer;
	bool open; /* private */
};

struct calls {
	struct call_spot *spots; /* the last is what samples without frames call */
	struct call *calls;
	struct amount *selfs; /* by place, where it was innermost */
	uint32_t nspots, ncalls;
	uint32_t ncallers; /* places and threads */
};

struct calls_how {
	const uint32_t *spot_of; /* by place; NULL: each is its own */
	uint32_t nspots;	 /* without the last */
	uint64_t sample_us; /* the time of a sample; 0: what the cells say */
	struct error *error; /* says that there are too many calls */
};

/* False: out of memory, or more calls than may be held (limits.h).  It is to be
 * cleared in any case. */
bool calls_init(struct calls *, const struct aggregate *, struct calls_how);
void calls_clear(struct calls *);

/* Calls by what they have in common: those of key k are
 * calls[begin[k]], ..., calls[begin[k + 1] - 1]. */
struct calls_index {
	uint32_t *begin, *calls;
};

/* By `from`, and by `to`.  False: out of memory.  It is to be cleared in any
 * case. */
bool calls_by_caller(struct calls_index *, const struct calls *);
bool calls_by_spot(struct calls_index *, const struct calls *);
void calls_index_clear(struct calls_index *);

#endif
