/* SPDX-License-Identifier: ISC */
/* counts.c: see counts.h. */
#include "engine/inprocess/counts.h"

#include <inttypes.h>
#include <stdio.h>

#include "decimal.h"
#include "options.h"

_Static_assert(TACH_HANDLER_TIMES == WIRE_TIMES, "other classes of times");

void
counts_add_area(struct tach_inprocess_stats *s, const struct wire_area *a,
    enum wire_clock clock)
{
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
	s->ring_size = WIRE_RING;
	s->clocks[TACH_CLOCK_PERF] += clock == WIRE_CLOCK_PERF ||
	    clock == WIRE_CLOCK_SHARP;
	s->clocks[TACH_CLOCK_CPU] += clock == WIRE_CLOCK_CPU;
	s->clocks[TACH_CLOCK_WALL] += clock == WIRE_CLOCK_WALL;
	s->handler_ns += atomic_load(&a->handler_ns);
	for (size_t i = 0; i < WIRE_TIMES; i++)
		s->handler_times[i] += atomic_load(&a->times[i]);
}

void
counts_add_slot(struct tach_inprocess_stats *s, const struct wire_slot *slot)
{
	uint32_t refused = atomic_load(&slot->refused);

	if (refused == 0)
		return;
	s->refused += refused;
	s->refused_errno = (int)atomic_load(&slot->errno_);
}

/* ns, a limit of a class: all but one per cent of the runs took less. */
static uint64_t
percentile(const uint64_t times[TACH_HANDLER_TIMES], uint64_t runs)
{
	static const double quarter[] = {1, 1.189207, 1.414214, 1.681793};
	uint64_t seen = 0;
	size_t i = 0;

	for (; i + 1 < TACH_HANDLER_TIMES; i++)
		if ((seen += times[i]) >= runs - runs / 100)
			break;
	return (uint64_t)(100 * quarter[i % 4] * (double)(UINT64_C(1) << i / 4));
}

void
counts_judge(struct tach_inprocess_stats *s)
{
	uint64_t runs = 0;

	for (size_t i = 0; i < TACH_HANDLER_TIMES; i++)
		runs += s->handler_times[i];
	s->handler_mean_ns = runs > 0 ? s->handler_ns / runs : 0;
	s->handler_p99_ns = runs > 0 ? percentile(s->handler_times, runs) : 0;
}

/* ---- sums of several processes ----------------------------------------------- */

static uint32_t
more(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static bool
is_usable(const struct tach_inprocess_stats *s)
{
	return options_known(s, sizeof(*s), sizeof(*s));
}

static void
add_counts(struct tach_inprocess_stats *s,
    const struct tach_inprocess_stats *of)
{
	s->records += of->records;
	s->weight += of->weight;
	s->overruns += of->overruns;
	s->early += of->early;
	s->stateless += of->stateless;
	s->invalid += of->invalid;
	s->full += of->full;
	s->late += of->late;
	s->damaged += of->damaged;
	s->handler_ns += of->handler_ns;
	for (size_t i = 0; i < TACH_HANDLER_TIMES; i++)
		s->handler_times[i] += of->handler_times[i];
	s->ring_high = more(s->ring_high, of->ring_high);
	s->ring_size = more(s->ring_size, of->ring_size);
	s->frames += of->frames;
	s->frames_known += of->frames_known;
	for (size_t i = 0; i < TACH_CLOCKS; i++)
		s->clocks[i] += of->clocks[i];
	s->refused += of->refused;
	if (of->refused > 0)
		s->refused_errno = of->refused_errno;
}

bool
tach_inprocess_add(struct tach_inprocess_stats *s,
    const struct tach_inprocess_stats *of)
{
	if (!is_usable(s) || !is_usable(of))
		return false;
	add_counts(s, of);
	counts_judge(s);
	return true;
}

char *
tach_inprocess_note(const struct tach_inprocess_stats *s)
{
	double hit = s->frames > 0 ?
	    100 * (double)s->frames_known / (double)s->frames : 0;
	char cents[DECIMAL_SIZE], *text;

	if (!is_usable(s))
		return NULL;
	if (asprintf(&text, "inprocess samples=%" PRIu64 " weight=%" PRIu64
	    " early=%" PRIu64 " invalid=%" PRIu64 " full=%" PRIu64 " late=%"
	    PRIu64 " damaged=%" PRIu64 " overruns=%" PRIu64
	    " handler-mean-ns=%" PRIu64 " handler-p99-ns=%" PRIu64
	    " ring-high=%" PRIu32 " codes-hit=%s%% perf=%" PRIu32 " cpu=%"
	    PRIu32 " wall=%" PRIu32, s->records, s->weight, s->early,
	    s->invalid, s->full, s->late, s->damaged, s->overruns,
	    s->handler_mean_ns, s->handler_p99_ns, s->ring_high,
	    decimal_cents(cents, hit, false),
	    s->clocks[TACH_CLOCK_PERF], s->clocks[TACH_CLOCK_CPU],
	    s->clocks[TACH_CLOCK_WALL]) < 0)
		return NULL;
	return text;
}
