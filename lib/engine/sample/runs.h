/* SPDX-License-Identifier: ISC */
/* runs.h: stacks that stand for many ticks of a thread, as runs of ticks. */
#ifndef ENGINE_SAMPLE_RUNS_H
#define ENGINE_SAMPLE_RUNS_H

#include "tach.h"

#define RUNS_TICKS 1024 /* given to the sink at once */

/* Begins with all zero but for the interval. */
struct runs {
	uint64_t interval_ns;
	uint64_t start;	 /* ns of CLOCK_MONOTONIC, from which times count */
	uint64_t *times; /* us, of each thread's last tick, by its index */
	size_t count;
	struct tach_tick ticks[RUNS_TICKS];
};

void runs_free(struct runs *);

/* A time since the start, us. */
uint64_t runs_time(const struct runs *, uint64_t ns);

/* Gives a run, complete but for its ticks, with so many: the last of them at
 * that time, the others an interval before each, or closer where the thread's
 * last run leaves no room for that.  No two of a thread have the same time.
 * False: out of memory, or the sink failed. */
bool runs_give(struct runs *, struct tach_run *, uint64_t end_ns,
    uint64_t weight, uint8_t status, struct tach_sink *);

#endif
