/* SPDX-License-Identifier: ISC */
/* counts.h: what agents count in the areas of their threads, summed up. */
#ifndef ENGINE_COUNTS_H
#define ENGINE_COUNTS_H

#include "agent/wire.h"
#include "tach.h"

/* Begins with all zero. */
struct counts {
	struct tach_inprocess_stats sums; /* but for the handler's times: */
	uint64_t handler_ns;		  /* in all runs of it */
	uint64_t times[WIRE_TIMES];	  /* runs by time, see wire.h */
};

/* Adds those of an area, whose thread had that clock last. */
void counts_add(struct counts *, const struct wire_area *, enum wire_clock);
/* What they come to. */
struct tach_inprocess_stats counts_stats(const struct counts *);

#endif
