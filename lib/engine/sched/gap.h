/* SPDX-License-Identifier: ISC */
/*
 * gap.h: what a thread without a CPU is owed, whose rounds the kernel takes.
 *
 * No record is made of it meanwhile, so the samples of these deadlines are made
 * afterwards.  The round that was taken as it left its CPU is one of them.
 */
#ifndef ENGINE_SCHED_GAP_H
#define ENGINE_SCHED_GAP_H

#include "engine/sched/pace.h"

struct gap {
	/* ns without a CPU of which there are no samples yet; or, below 0, of
	 * which there are too many.  And the same by the deadlines that were
	 * asked for, where these cost too much. */
	int64_t owed, due;
};

/* Whether a round that was taken as the thread left its CPU is of use: it had none
 * for so long then (ns; UINT64_MAX: that is not known yet). */
bool gap_wants_round(const struct gap *, const struct pace *, uint64_t ns);
/* It is one of those that are owed. */
void gap_add_round(struct gap *, const struct pace *);
/* How many more are owed for a time without a CPU.  *spared: deadlines that were
 * left out over it as they cost too much. */
uint64_t gap_rounds(struct gap *, const struct pace *, uint64_t ns,
    uint64_t *spared);

#endif
