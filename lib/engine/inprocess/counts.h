/* SPDX-License-Identifier: ISC */
/* counts.h: what agents count in the areas of their threads, summed up. */
#ifndef ENGINE_INPROCESS_COUNTS_H
#define ENGINE_INPROCESS_COUNTS_H

#include "agent/wire.h"
#include "tach.h"

/* Adds the counts of an area, whose thread had that clock last, */
void counts_add_area(struct tach_inprocess_stats *, const struct wire_area *,
    enum wire_clock);
/* or those of a process; */
void counts_add_slot(struct tach_inprocess_stats *, const struct wire_slot *);
/* and then says what a sample cost, by what was added. */
void counts_judge(struct tach_inprocess_stats *);

#endif
