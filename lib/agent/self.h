/* SPDX-License-Identifier: ISC */
/*
 * self.h: a view of our own memory, in which nothing that cannot be read
 * ends the process: a page is asked for before it is looked at.
 */
#ifndef AGENT_SELF_H
#define AGENT_SELF_H

#include "python/memory.h"

#define SELF_SPANS 8

struct self_view {
	struct py_view view; /* first: fill gets its address */
	struct py_span spans[SELF_SPANS];
	unsigned next; /* the span to be replaced */
	uint64_t epoch;
};

/* Begins anew at a time, in ns.  What was asked a little while ago, and before
 * memory was given back, counts. */
void self_view_begin(struct self_view *, uint64_t time);

#endif
