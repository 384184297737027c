/* SPDX-License-Identifier: ISC */
/* counts.h: sums of the counts that agents keep in areas and slots. */
#ifndef ENGINE_INPROCESS_COUNTS_H
#define ENGINE_INPROCESS_COUNTS_H

#include "agent/wire.h"
#include "tach-record.h"

/* Adds the counts of an area, whose thread had that clock last. */
void counts_add_area(struct tach_inprocess_stats *, const struct wire_area *,
    enum wire_clock);
/* Adds the counts of a slot. */
void counts_add_slot(struct tach_inprocess_stats *, const struct wire_slot *);
/* Sets the mean and the 99th percentile of the handler's time, after all counts were
 * added. */
void counts_judge(struct tach_inprocess_stats *);

#endif
