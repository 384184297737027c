/* SPDX-License-Identifier: ISC */
/* contention.c: see contention.h. */
#include "contention.h"

#include <inttypes.h>
#include <stdlib.h>

#include "array.h"
#include "cmd.h"

/* Stands for a holder that no sample shows. */
#define NOBODY TACH_NONE

struct waited {
	uint32_t waiter, holder; /* rows */
	uint64_t time;		 /* us */
};

/* The waits for each pair of functions.  A pair is a frame of a table, whose line is the
 * waiter and whose end_line is the holder. */
struct waits {
	struct tach_table *pairs;
	struct waited *list; /* by the number of that frame */
	size_t count, max;
};

/* ---- collecting ---------------------------------------------------------- */

/* Makes the last interval longer if it goes on there; else adds a new one. */
static bool
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
static bool
add_ticks(struct gil_intervals *g, const struct tach_run *run, uint8_t status,
    uint8_t not_status, uint32_t row)
{
	bool goes_on = false;

	for (size_t i = 0; i < run->count; i++) {
		const struct tach_tick *t = &run->ticks[i];
		struct gil_interval time = {t->time, tally_tick_end(t),
		    run->interp, row};
		bool has = (t->status & status) != 0 &&
		    (t->status & not_status) == 0;
		if (has && !add_interval_of_gil(g, &time, goes_on))
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
	    !add_ticks(&c->held, run, TACH_STATUS_GIL, 0, c->tally.innermost) ||
	    !add_ticks(&c->wanted, run, TACH_STATUS_GIL_WANTED,
		TACH_STATUS_GIL, c->tally.innermost))
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

static enum tach_error
contention_error(const struct tach_sink *sink, const char **line)
{
	const struct contention *c = sink->arg;

	return tach_sink_error(&c->tally.sink, line);
}

bool
contention_init(struct contention *c)
{
	*c = (struct contention){0};
	c->sink = (struct tach_sink){.size = sizeof(c->sink), .arg = c,
	    .begin = contention_begin, .run = contention_run,
	    .error = contention_error};
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

/* Makes room for the next pair.  False: out of memory. */
static bool
reserve_wait(struct waits *w)
{
	struct waited *list = array_grow(w->list, w->count, &w->max, sizeof(*list));

	if (list != NULL)
		w->list = list;
	return list != NULL;
}

static bool
add_wait(struct waits *w, uint32_t waiter, uint32_t holder, uint64_t time)
{
	const struct tach_frame pair = {.line = (int32_t)waiter,
	    .end_line = (int32_t)holder, .column = -1, .end_column = -1,
	    .opcode = TACH_NO_OPCODE};
	uint32_t i;

	if (time == 0)
		return true;
	if (!reserve_wait(w) ||
	    (i = tach_table_add_frame(w->pairs, &pair)) == TACH_NONE)
		return false;
	if (i == w->count)
		w->list[w->count++] = (struct waited){waiter, holder, 0};
	w->list[i].time += time;
	return true;
}

/* Whether an interval is over before a wait begins, or is of an interpreter before its
 * own. */
static bool
is_before(const struct gil_interval *held, const struct gil_interval *wait)
{
	return held->interp < wait->interp ||
	    (held->interp == wait->interp && held->end <= wait->begin);
}

/* The time that two intervals have in common, us. */
static uint64_t
common_time(const struct gil_interval *a, const struct gil_interval *b)
{
	uint64_t begin = a->begin > b->begin ? a->begin : b->begin;
	uint64_t end = a->end < b->end ? a->end : b->end;

	return end > begin ? end - begin : 0;
}

/* Adds a wait: the parts in which a function held the GIL, and the rest.  *from is the
 * first of the intervals that can matter to this wait and to later ones. */
static bool
divide_wait(struct waits *w, const struct gil_intervals *held, size_t *from,
    const struct gil_interval *wait)
{
	uint64_t rest = wait->end - wait->begin;

	while (*from < held->count && is_before(&held->list[*from], wait))
		++*from;
	for (size_t i = *from; i < held->count && rest > 0; i++) {
		const struct gil_interval *h = &held->list[i];
		uint64_t time = common_time(h, wait);
		if (h->interp != wait->interp || h->begin >= wait->end)
			break;
		rest -= time;
		if (!add_wait(w, wait->row, h->row, time))
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

static void
sort_intervals(struct gil_intervals *g)
{
	if (g->count > 0)
		qsort(g->list, g->count, sizeof(*g->list), compare_gil_intervals);
}

/* Ends each interval at the begin of the next one: one thread at a time has the GIL of
 * an interpreter, and the later sample knows more. */
static void
clip_intervals(struct gil_intervals *g)
{
	for (size_t i = 0; i + 1 < g->count; i++) {
		struct gil_interval *h = &g->list[i];
		const struct gil_interval *next = h + 1;
		if (next->interp == h->interp && next->begin < h->end)
			h->end = next->begin;
	}
}

/* Sums the waits of each pair of functions, the longest first.  False: out of memory. */
static bool
find_waits(struct contention *c, struct waits *w)
{
	size_t from = 0;

	if (w->pairs == NULL ||
	    tach_table_add_string(w->pairs, "", 0) == TACH_NONE)
		return false;
	sort_intervals(&c->held);
	clip_intervals(&c->held);
	sort_intervals(&c->wanted);
	for (size_t i = 0; i < c->wanted.count; i++)
		if (!divide_wait(w, &c->held, &from, &c->wanted.list[i]))
			return false;
	if (w->count > 0)
		qsort(w->list, w->count, sizeof(*w->list), compare_times);
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

static void
print_waits(FILE *f, const struct contention *c, const struct waits *w, uint32_t most)
{
	const struct tally *t = &c->tally;

	fprintf(f, "The GIL was held for %.2f s of %.2f s, and threads waited for it "
	    "for %.2f s\n   wait   waited  in  while the GIL was held in\n",
	    (double)t->all.gil / 1e6, (double)tally_duration(t) / 1e6,
	    (double)t->all.wanted / 1e6);
	for (size_t i = 0; i < w->count && i < most; i++) {
		fprintf(f, "%6.1f%% %7.3fs  ",
		    cmd_percent(w->list[i].time, t->all.wanted),
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
	struct waits w = {.pairs = tach_table_new()};
	bool ok = find_waits(c, &w);

	if (ok)
		print_waits(f, c, &w, most);
	tach_table_free(w.pairs);
	free(w.list);
	return ok;
}
