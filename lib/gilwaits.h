/* SPDX-License-Identifier: ISC */
/*
 * gilwaits.h: who waited for the GIL while who held it.  Callers number the places that
 * threads are in, such as functions.  It has no .c file, so that commands can use it,
 * too, which link nothing of libtach but what tach.h declares.
 */
#ifndef GILWAITS_H
#define GILWAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "array.h"
#include "budget.h"
#include "tach.h"
#include "tick.h"

/* From when until when a thread of a place held or wanted the GIL; us since the start. */
struct gil_interval {
	uint64_t begin, end;
	uint32_t interp;
	uint32_t place;
};

struct gil_intervals {
	struct gil_interval *list;
	size_t count, max;
};

/* All zero: none yet. */
struct gil_waits {
	struct gil_intervals held, wanted;
	bool full; /* there are more of them, or of their pairs, than may be */
};

/* Stands for a holder that no sample shows. */
#define GIL_NOBODY TACH_NONE

struct gil_wait {
	uint32_t waiter, holder; /* places */
	uint64_t time;		 /* us */
};

/* The waits for each pair of places, the longest first. */
struct gil_pairs {
	struct gil_wait *list;
	size_t count;
	/* private */
	size_t max;
	uint64_t steps;
	struct tach_table *numbers;
};

#define GIL_INTERVALS_MAX LIMIT_POWER(25) /* of each kind */
#define GIL_PAIRS_MAX LIMIT_POWER(22)
/* Looks at intervals, as a wait can be of a file whose interval is hours. */
#define GIL_STEPS_MAX (UINT64_C(1) << 33)

/* ---- collecting ---------------------------------------------------------- */

/* Makes the last interval longer if it goes on there; else adds a new one. */
static inline bool
add_interval_of_gil(struct gil_intervals *g, const struct gil_interval *time, bool goes_on)
{
	struct gil_interval *list;

	if (time->end == time->begin)
		return true;
	if (goes_on && g->count > 0 && g->list[g->count - 1].end == time->begin) {
		g->list[g->count - 1].end = time->end;
		return true;
	}
	list = array_grow(g->list, g->count, &g->max, sizeof(*list));
	if (list == NULL)
		return false;
	g->list = list;
	list[g->count++] = *time;
	return true;
}

/* Adds the ticks of a run that have a status, and have not another one. */
static inline bool
add_ticks(struct gil_intervals *g, const struct tach_run *run, uint8_t status,
    uint8_t not_status, uint32_t place)
{
	bool goes_on = false;

	for (size_t i = 0; i < run->count; i++) {
		const struct tach_tick *t = &run->ticks[i];
		struct gil_interval time = {t->time, tick_end(t),
		    run->interp, place};
		bool has = (t->status & status) != 0 &&
		    (t->status & not_status) == 0;
		if (has && !add_interval_of_gil(g, &time, goes_on))
			return false;
		goes_on = has;
	}
	return true;
}

/* Adds a run, whose thread is in a place.  False: out of memory, or it is full. */
static inline bool
gil_waits_add(struct gil_waits *w, const struct tach_run *run, uint32_t place)
{
	w->full = w->held.count >= GIL_INTERVALS_MAX || w->wanted.count >= GIL_INTERVALS_MAX;
	return !w->full && add_ticks(&w->held, run, TACH_STATUS_GIL, 0, place) &&
	    add_ticks(&w->wanted, run, TACH_STATUS_GIL_WANTED, TACH_STATUS_GIL, place);
}

static inline void
gil_waits_clear(struct gil_waits *w)
{
	free(w->held.list);
	free(w->wanted.list);
	*w = (struct gil_waits){0};
}

/* ---- joining ------------------------------------------------------------- */

static inline int
compare_gil_intervals(const void *pa, const void *pb)
{
	const struct gil_interval *a = pa, *b = pb;

	if (a->interp != b->interp)
		return a->interp > b->interp ? 1 : -1;
	return (a->begin > b->begin) - (a->begin < b->begin);
}

/* Makes room for the next pair.  False: out of memory. */
static inline bool
reserve_wait(struct gil_pairs *w)
{
	struct gil_wait *list = array_grow(w->list, w->count, &w->max, sizeof(*list));

	if (list != NULL)
		w->list = list;
	return list != NULL;
}

static inline bool
add_wait(struct gil_pairs *w, uint32_t waiter, uint32_t holder, uint64_t time)
{
	const struct tach_frame pair = {.line = (int32_t)waiter,
	    .end_line = (int32_t)holder, .column = -1, .end_column = -1,
	    .opcode = TACH_NO_OPCODE};
	uint32_t i;

	if (time == 0)
		return true;
	if (!reserve_wait(w) ||
	    (i = tach_table_add_frame(w->numbers, &pair)) == TACH_NONE)
		return false;
	if (i == w->count)
		w->list[w->count++] = (struct gil_wait){waiter, holder, 0};
	w->list[i].time += time;
	return true;
}

/* Whether an interval is over before a wait begins, or is of an interpreter before its
 * own. */
static inline bool
is_before(const struct gil_interval *held, const struct gil_interval *wait)
{
	return held->interp < wait->interp ||
	    (held->interp == wait->interp && held->end <= wait->begin);
}

/* The time that two intervals have in common, us. */
static inline uint64_t
common_time(const struct gil_interval *a, const struct gil_interval *b)
{
	uint64_t begin = a->begin > b->begin ? a->begin : b->begin;
	uint64_t end = a->end < b->end ? a->end : b->end;

	return end > begin ? end - begin : 0;
}

/* Adds a wait: the parts in which a function held the GIL, and the rest.  *from is the
 * first of the intervals that can matter to this wait and to later ones. */
static inline bool
divide_wait(struct gil_pairs *w, const struct gil_intervals *held, size_t *from,
    const struct gil_interval *wait)
{
	uint64_t rest = wait->end - wait->begin;

	while (*from < held->count && is_before(&held->list[*from], wait))
		++*from;
	for (size_t i = *from; i < held->count && rest > 0; i++, w->steps++) {
		const struct gil_interval *h = &held->list[i];
		uint64_t time = common_time(h, wait);
		if (h->interp != wait->interp || h->begin >= wait->end)
			break;
		rest -= time;
		if (!add_wait(w, wait->place, h->place, time))
			return false;
	}
	return add_wait(w, wait->place, GIL_NOBODY, rest);
}

static inline int
compare_pairs(const void *pa, const void *pb)
{
	const struct gil_wait *a = pa, *b = pb;

	if (a->waiter != b->waiter)
		return a->waiter > b->waiter ? 1 : -1;
	return (a->holder > b->holder) - (a->holder < b->holder);
}

static inline int
compare_times(const void *pa, const void *pb)
{
	const struct gil_wait *a = pa, *b = pb;

	if (a->time != b->time)
		return a->time > b->time ? -1 : 1;
	return compare_pairs(pa, pb);
}

static inline void
sort_intervals(struct gil_intervals *g)
{
	if (g->count > 0)
		qsort(g->list, g->count, sizeof(*g->list), compare_gil_intervals);
}

/* Ends each interval at the begin of the next one: one thread at a time has the GIL of
 * an interpreter, and the later sample knows more. */
static inline void
clip_intervals(struct gil_intervals *g)
{
	for (size_t i = 0; i + 1 < g->count; i++) {
		struct gil_interval *h = &g->list[i];
		const struct gil_interval *next = h + 1;
		if (next->interp == h->interp && next->begin < h->end)
			h->end = next->begin;
	}
}

/* Fills in the pairs, which are to be cleared in any case, once all runs were added.
 * False: out of memory, or it is full. */
static inline bool
gil_waits_join(struct gil_waits *w, struct gil_pairs *p)
{
	size_t from = 0;

	*p = (struct gil_pairs){.numbers = tach_table_new()};
	if (p->numbers == NULL ||
	    tach_table_add_string(p->numbers, "", 0) == TACH_NONE)
		return false;
	sort_intervals(&w->held);
	clip_intervals(&w->held);
	sort_intervals(&w->wanted);
	for (size_t i = 0; i < w->wanted.count; i++) {
		if (!divide_wait(p, &w->held, &from, &w->wanted.list[i]))
			return false;
		w->full = p->count > GIL_PAIRS_MAX || p->steps > GIL_STEPS_MAX;
		if (w->full)
			return false;
	}
	if (p->count > 0)
		qsort(p->list, p->count, sizeof(*p->list), compare_times);
	return true;
}

static inline void
gil_pairs_clear(struct gil_pairs *p)
{
	tach_table_free(p->numbers);
	free(p->list);
	*p = (struct gil_pairs){0};
}

#endif
