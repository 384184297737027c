/* SPDX-License-Identifier: ISC */
/* counts.h: what agents count in the areas of their threads, summed up. */
#ifndef ENGINE_COUNTS_H
#define ENGINE_COUNTS_H

#include "agent/wire.h"
#include "tach.h"

/* Adds the counts of an area, whose thread had that clock last; but not what a
 * sample cost of these, */
void counts_add_area(struct tach_inprocess_stats *, const struct wire_area *,
    enum wire_clock);
/* which this does. */
void counts_judge(struct tach_inprocess_stats *);

#endif
