/* SPDX-License-Identifier: ISC */
/* runs.h: gives stacks that stand for many ticks of a thread as runs. */
#ifndef ENGINE_SAMPLE_RUNS_H
#define ENGINE_SAMPLE_RUNS_H

#include "tach.h"

#define RUNS_TICKS 1024 /* given to the sink at once */

/* All fields but the interval are 0 at first. */
struct runs {
	uint64_t interval_ns;
	uint64_t start;	 /* from which times count; ns, CLOCK_MONOTONIC */
	uint64_t *times; /* of each thread's last tick, by its index; us */
	size_t count;
	struct tach_tick ticks[RUNS_TICKS];
};

void runs_free(struct runs *);

/* The time since the start, in us; 0 for times before it. */
uint64_t runs_time(const struct runs *, uint64_t ns);

/* Gives a run to the sink with `weight` ticks.  Its ticks and their count are filled
 * in; its other fields must be set.  The last tick is at end_ns.  The ticks are an
 * interval apart, or less if the thread's last run leaves no room for that.  No
 * two ticks of a thread have the same time.  False if out of memory, or if the
 * sink failed. */
bool runs_give(struct runs *, struct tach_run *, uint64_t end_ns,
    uint64_t weight, uint8_t status, struct tach_sink *);

#endif
