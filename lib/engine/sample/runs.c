/* SPDX-License-Identifier: ISC */
/* runs.c: see runs.h. */
#include "engine/sample/runs.h"

#include <stdlib.h>
#include <string.h>

#include "engine/os/os.h"

void
runs_free(struct runs *r)
{
	free(r->times);
	r->times = NULL;
	r->count = 0;
}

uint64_t
runs_time(const struct runs *r, uint64_t ns)
{
	return ns > r->start ? (ns - r->start) / NS_PER_US : 0;
}

/* Makes room for the time of a thread's last tick.  False if out of memory. */
static bool
reserve_run(struct runs *r, uint32_t index)
{
	size_t n = ((size_t)index + 16) * 2;
	uint64_t *p;

	if (index < r->count)
		return true;
	if ((p = reallocarray(r->times, n, sizeof(*p))) == NULL)
		return false;
	memset(p + r->count, 0, (n - r->count) * sizeof(*p));
	r->times = p;
	r->count = n;
	return true;
}

/* The time between two of `weight` ticks that lie after `last` and end at `end`;
 * us. */
static double
tick_step(const struct runs *r, uint64_t last, uint64_t end, uint64_t weight)
{
	double step = (double)r->interval_ns / (double)NS_PER_US;
	double room = end > last ? (double)(end - last) / (double)weight : 0;

	return step < room ? step : room;
}

bool
runs_give(struct runs *r, struct tach_run *run, uint64_t end_ns,
    uint64_t weight, uint8_t status, struct tach_sink *sink)
{
	uint64_t end = runs_time(r, end_ns), *last;
	double step;

	if (!reserve_run(r, run->index))
		return false;
	last = &r->times[run->index];
	step = tick_step(r, *last, end, weight);
	run->ticks = r->ticks;
	while (weight > 0) {
		for (run->count = 0; run->count < RUNS_TICKS && weight > 0;) {
			uint64_t back = (uint64_t)((double)--weight * step);
			uint64_t time = back < end ? end - back : 0;
			if (time <= *last)
				time = *last + 1;
			*last = time;
			r->ticks[run->count++] =
			    (struct tach_tick){time, status, 0};
		}
		if (tach_sink_run(sink, run) != TACH_OK)
			return false;
		run->shared = run->depth;
	}
	return true;
}
