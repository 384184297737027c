/* SPDX-License-Identifier: ISC */
/*
 * gap.h: the samples that a thread is owed for the time without a CPU, while the
 * kernel takes its rounds.
 *
 * The kernel makes no record of the thread in that time, so the samples of these
 * deadlines are made afterwards.  The round that was taken as the thread left its
 * CPU is one of them.
 */
#ifndef ENGINE_SCHED_GAP_H
#define ENGINE_SCHED_GAP_H

#include "engine/sched/pace.h"

struct gap {
	/* ns without a CPU that have no samples yet; below 0: ns that have
	 * samples too many.  due: the same by the distance that was asked for,
	 * where that would cost too much. */
	int64_t owed, due;
};

/* Whether a round that was taken as the thread left its CPU is of use.  ns: for
 * how long the thread had no CPU after it; UINT64_MAX: not known yet. */
bool gap_wants_round(const struct gap *, const struct pace *, uint64_t ns);
/* Counts such a round as one of the owed samples. */
void gap_add_round(struct gap *, const struct pace *);
/* Adds ns without a CPU, and returns how many samples are owed now: they count
 * as made.  *spared: deadlines of that time that are left out, as rounds would
 * cost too much. */
uint64_t gap_rounds(struct gap *, const struct pace *, uint64_t ns,
    uint64_t *spared);

#endif
