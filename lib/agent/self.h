/* SPDX-License-Identifier: ISC */
/*
 * self.h: a view of the process's own memory.  The kernel is asked about a page
 * before it is read, so that no address can end the process.
 */
#ifndef AGENT_SELF_H
#define AGENT_SELF_H

#include "python/memory.h"

#define SELF_SPANS 8

struct self_view {
	struct py_view view; /* first: fill gets its address */
	struct py_span spans[SELF_SPANS];
	unsigned next; /* the span to be replaced */
	uint64_t epoch; /* in which answers of the kernel hold */
};

/* Begins a new view.  time: ns of CLOCK_MONOTONIC.  An answer about a page
 * still holds if it is of the last few ms, with no memory given back since. */
void self_view_begin(struct self_view *, uint64_t time);

/* How many bytes from an address on can be read, `size` at most. */
size_t self_view_extent(const struct self_view *, uint64_t addr, size_t size);

#endif
