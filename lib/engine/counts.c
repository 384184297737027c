/* SPDX-License-Identifier: ISC */
/* counts.c: see counts.h. */
#include "engine/counts.h"

static void
add_times(struct counts *c, const struct wire_area *a)
{
	c->handler_ns += atomic_load(&a->handler_ns);
	for (size_t i = 0; i < WIRE_TIMES; i++)
		c->times[i] += atomic_load(&a->times[i]);
}

void
counts_add(struct counts *c, const struct wire_area *a, enum wire_clock clock)
{
	struct tach_inprocess_stats *s = &c->sums;
	uint32_t high = atomic_load(&a->high);

	s->records += atomic_load(&a->samples);
	s->weight += atomic_load(&a->weight);
	s->overruns += atomic_load(&a->overruns);
	s->early += atomic_load(&a->drops[WIRE_DROP_EARLY]);
	s->stateless += atomic_load(&a->drops[WIRE_DROP_STATE]);
	s->invalid += atomic_load(&a->drops[WIRE_DROP_INVALID]);
	s->full += atomic_load(&a->drops[WIRE_DROP_FULL]);
	s->late += atomic_load(&a->drops[WIRE_DROP_END]);
	if (high > s->ring_high && high <= WIRE_RING)
		s->ring_high = high;
	s->clocks[TACH_CLOCK_PERF] += clock == WIRE_CLOCK_PERF ||
	    clock == WIRE_CLOCK_SHARP;
	s->clocks[TACH_CLOCK_CPU] += clock == WIRE_CLOCK_CPU;
	s->clocks[TACH_CLOCK_WALL] += clock == WIRE_CLOCK_WALL;
	add_times(c, a);
}

/* All but one per cent of the runs are below this. */
static uint64_t
percentile(const uint64_t times[WIRE_TIMES], uint64_t runs)
{
	static const double quarter[] = {1, 1.189207, 1.414214, 1.681793};
	uint64_t seen = 0;
	size_t i = 0;

	for (; i + 1 < WIRE_TIMES; i++)
		if ((seen += times[i]) >= runs - runs / 100)
			break;
	return (uint64_t)(100 * quarter[i % 4] * (double)(UINT64_C(1) << i / 4));
}

struct tach_inprocess_stats
counts_stats(const struct counts *c)
{
	struct tach_inprocess_stats s = c->sums;
	uint64_t runs = 0;

	s.ring_size = WIRE_RING;
	for (size_t i = 0; i < WIRE_TIMES; i++)
		runs += c->times[i];
	if (runs > 0) {
		s.handler_mean_ns = c->handler_ns / runs;
		s.handler_p99_ns = percentile(c->times, runs);
	}
	return s;
}
