/* SPDX-License-Identifier: ISC */
/* contention.c: see contention.h. */
#include "contention.h"

#include <inttypes.h>
#include <stdlib.h>

#include "array.h"

/* Stands for a holder that no sample shows. */
#define NOBODY TACH_NONE

struct waited {
	uint32_t waiter, holder; /* rows */
	uint64_t time;		 /* us */
};

struct waits {
	struct waited *list;
	size_t count, max;
};

/* ---- collecting ---------------------------------------------------------- */

/* Adds a time to the last interval if it goes on there, else as a new one. */
static bool
add_time(struct gil_intervals *g, const struct gil_interval *time, bool goes_on)
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

/* Adds the ticks of a run that have a status. */
static bool
add_ticks(struct gil_intervals *g, const struct tach_run *run, uint8_t status,
    uint32_t row)
{
	bool goes_on = false;

	for (size_t i = 0; i < run->count; i++) {
		const struct tach_tick *t = &run->ticks[i];
		struct gil_interval time = {t->time, t->time + t->span,
		    run->interp, row};
		bool has = (t->status & status) != 0;
		if (has && !add_time(g, &time, goes_on))
			return false;
		goes_on = has;
	}
	return true;
}

static int
contention_run(struct tach_sink *sink, const struct tach_run *run)
{
	struct contention *c = sink->arg;
	struct tach_sink *tally = &c->tally.sink;

	if (tally->run(tally, run) != TACH_OK ||
	    !add_ticks(&c->held, run, TACH_STATUS_GIL, c->tally.innermost) ||
	    !add_ticks(&c->wanted, run, TACH_STATUS_GIL_WANTED,
		c->tally.innermost))
		return TACH_FATAL;
	return TACH_OK;
}

static int
contention_begin(struct tach_sink *sink, const struct tach_meta *meta,
    const struct tach_table *table)
{
	struct contention *c = sink->arg;

	return tach_sink_begin(&c->tally.sink, meta, table);
}

bool
contention_init(struct contention *c)
{
	*c = (struct contention){0};
	c->sink = (struct tach_sink){.size = sizeof(c->sink), .arg = c,
	    .begin = contention_begin, .run = contention_run};
	return tally_init(&c->tally, TALLY_FUNCTION);
}

void
contention_clear(struct contention *c)
{
	free(c->held.list);
	free(c->wanted.list);
	tally_clear(&c->tally);
	*c = (struct contention){0};
}

/* ---- joining ------------------------------------------------------------- */

static int
compare_gil_intervals(const void *pa, const void *pb)
{
	const struct gil_interval *a = pa, *b = pb;

	if (a->interp != b->interp)
		return a->interp > b->interp ? 1 : -1;
	return (a->begin > b->begin) - (a->begin < b->begin);
}

static bool
add_wait(struct waits *w, uint32_t waiter, uint32_t holder, uint64_t time)
{
	struct waited *list;

	if (time == 0)
		return true;
	list = array_grow(w->list, w->count, &w->max, sizeof(*list));
	if (list == NULL)
		return false;
	w->list = list;
	list[w->count++] = (struct waited){waiter, holder, time};
	return true;
}

/* Adds a wait: the parts in which a function held the GIL, and the rest.  *from is the
 * first of the intervals that can matter to this wait and to later ones. */
static bool
divide_wait(struct waits *w, const struct gil_intervals *held, size_t *from,
    const struct gil_interval *wait)
{
	uint64_t rest = wait->end - wait->begin;

	while (*from < held->count &&
	    (held->list[*from].interp < wait->interp ||
		(held->list[*from].interp == wait->interp &&
		    held->list[*from].end <= wait->begin)))
		++*from;
	for (size_t i = *from; i < held->count; i++) {
		const struct gil_interval *h = &held->list[i];
		uint64_t begin, end;
		if (h->interp != wait->interp || h->begin >= wait->end)
			break;
		begin = h->begin > wait->begin ? h->begin : wait->begin;
		end = h->end < wait->end ? h->end : wait->end;
		if (end <= begin)
			continue;
		end = end - begin < rest ? end : begin + rest;
		rest -= end - begin;
		if (!add_wait(w, wait->row, h->row, end - begin))
			return false;
	}
	return add_wait(w, wait->row, NOBODY, rest);
}

static int
compare_pairs(const void *pa, const void *pb)
{
	const struct waited *a = pa, *b = pb;

	if (a->waiter != b->waiter)
		return a->waiter > b->waiter ? 1 : -1;
	return (a->holder > b->holder) - (a->holder < b->holder);
}

static int
compare_times(const void *pa, const void *pb)
{
	const struct waited *a = pa, *b = pb;

	if (a->time != b->time)
		return a->time > b->time ? -1 : 1;
	return compare_pairs(pa, pb);
}

/* Makes one entry of all that have the same two functions. */
static void
sum_pairs(struct waits *w)
{
	size_t n = 0;

	if (w->count == 0)
		return;
	qsort(w->list, w->count, sizeof(*w->list), compare_pairs);
	for (size_t i = 1; i < w->count; i++) {
		if (compare_pairs(&w->list[n], &w->list[i]) == 0)
			w->list[n].time += w->list[i].time;
		else
			w->list[++n] = w->list[i];
	}
	w->count = n + 1;
	qsort(w->list, w->count, sizeof(*w->list), compare_times);
}

static void
sort_intervals(struct gil_intervals *g)
{
	if (g->count > 0)
		qsort(g->list, g->count, sizeof(*g->list), compare_gil_intervals);
}

/* Fills in who waited for whom.  False: out of memory. */
static bool
find_waits(struct contention *c, struct waits *w)
{
	size_t from = 0;

	sort_intervals(&c->held);
	sort_intervals(&c->wanted);
	for (size_t i = 0; i < c->wanted.count; i++)
		if (!divide_wait(w, &c->held, &from, &c->wanted.list[i]))
			return false;
	sum_pairs(w);
	return true;
}

/* ---- text ---------------------------------------------------------------- */

static void
print_function(FILE *f, const struct tally *t, uint32_t row)
{
	struct tach_string s;

	if (row == NOBODY) {
		fputs("(not seen)", f);
		return;
	}
	s = tally_string(t, tally_frame(t, row)->func);
	tach_plain_string(f, s.bytes, s.len);
	s = tally_string(t, tally_frame(t, row)->file);
	if (s.len == 0)
		return;
	putc(' ', f);
	tach_plain_string(f, s.bytes, s.len);
	if (t->rows[row].line > 0)
		fprintf(f, ":%" PRId32, t->rows[row].line);
}

static double
percent(uint64_t part, uint64_t whole)
{
	return whole > 0 ? 100 * (double)part / (double)whole : 0;
}

static void
print_waits(FILE *f, const struct contention *c, const struct waits *w, uint32_t most)
{
	const struct tally *t = &c->tally;

	fprintf(f, "The GIL was held for %.2f s of %.2f s, and threads waited for it "
	    "for %.2f s\n   wait   waited  in  while the GIL was held in\n",
	    (double)t->all.gil / 1e6, (double)t->end / 1e6,
	    (double)t->all.wanted / 1e6);
	for (size_t i = 0; i < w->count && i < most; i++) {
		fprintf(f, "%6.1f%% %7.3fs  ",
		    percent(w->list[i].time, t->all.wanted),
		    (double)w->list[i].time / 1e6);
		print_function(f, t, w->list[i].waiter);
		fputs("  <-  ", f);
		print_function(f, t, w->list[i].holder);
		putc('\n', f);
	}
}

bool
contention_print(FILE *f, struct contention *c, uint32_t most)
{
	struct waits w = {0};
	bool ok = find_waits(c, &w);

	if (ok)
		print_waits(f, c, &w, most);
	free(w.list);
	return ok;
}
