/* SPDX-License-Identifier: ISC */
/*
 * calls.h: the calls of an aggregate, and the cost of each caller and callee.
 *
 * A caller is a location, or a thread, which calls its outermost frame.  A
 * callee is a location or a class of locations, such as a function of lines.
 */
#ifndef OUT_CALLS_H
#define OUT_CALLS_H

#include "out/aggregate.h"

struct cost {
	uint64_t samples;
	uint64_t time; /* microseconds */
};

/* Where only source has callees (aggregate_options), C code is a callee without a self:
 * its cost is the self of its caller, unless it has none. */
struct callee {
	struct cost self;  /* where it was innermost */
	struct cost total; /* where it was in the stack, however often */
	bool open;	   /* private */
};

struct call {
	uint32_t from; /* a location, or their number plus a thread's */
	uint32_t to;   /* a callee */
	struct cost self;  /* where the stack ended with it */
	struct cost total; /* where it was in the stack, however often */
	/* The part of the total for which this was the callee's outermost call.
	 * The sum of it over all callers of a callee is the callee's total. */
	struct cost outer;
	bool open; /* private */
};

struct calls {
	struct callee *callees; /* the last one: of samples without frames */
	struct call *calls;
	struct cost *selfs; /* by location, where it was innermost */
	uint32_t ncallees, ncalls;
	uint32_t ncallers; /* locations and threads */
};

struct calls_options {
	const uint32_t *callee_of; /* by location; NULL: its own callee */
	uint32_t ncallees;	   /* without the last one */
	uint64_t sample_us;	   /* of each sample; 0: the cells have the time */
	struct error *error;	   /* is set if there are too many calls */
	const bool *classes; /* of cells that count; NULL: all */
};

/* False if out of memory, or if there are more calls than limits.h allows.
 * To be cleared in either case. */
bool calls_init(struct calls *, const struct aggregate *, struct calls_options);
void calls_clear(struct calls *);

/* Calls grouped by a key: the calls of key k are calls[begin[k]], ...,
 * calls[begin[k + 1] - 1]. */
struct calls_index {
	uint32_t *begin, *calls;
};

/* The keys are `from`, and `to`.  False if out of memory.  To be cleared in
 * either case. */
bool calls_by_caller(struct calls_index *, const struct calls *);
bool calls_by_callee(struct calls_index *, const struct calls *);
void calls_index_clear(struct calls_index *);

#endif
