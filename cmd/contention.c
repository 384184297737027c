/* SPDX-License-Identifier: ISC */
/* contention.c: see contention.h. */
#include "contention.h"

#include <inttypes.h>
#include <stdlib.h>

#include "cmd.h"
#include "print.h"

static int
contention_run(struct tach_sink *sink, const struct tach_run *run)
{
	struct contention *c = sink->arg;
	struct tach_sink *tally = &c->tally.sink;

	return tally->run(tally, run) == TACH_OK &&
	    gil_waits_add(&c->waits, run, c->tally.innermost) ? TACH_OK :
								TACH_FATAL;
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
	gil_waits_clear(&c->waits);
	tally_clear(&c->tally);
	*c = (struct contention){0};
}

static void
print_function(FILE *f, const struct tally *t, uint32_t row)
{
	struct tach_string s;

	if (row == GIL_NOBODY) {
		fputs("(not seen)", f);
		return;
	}
	s = tally_string(t, tally_frame(t, row)->func);
	print_plain(f, s.bytes, s.len);
	s = tally_string(t, tally_frame(t, row)->file);
	if (s.len == 0)
		return;
	putc(' ', f);
	print_plain(f, s.bytes, s.len);
	if (t->rows[row].line > 0)
		fprintf(f, ":%" PRId32, t->rows[row].line);
}

/* The time of all intervals, us. */
static uint64_t
time_of_gil(const struct gil_intervals *g)
{
	uint64_t time = 0;

	for (size_t i = 0; i < g->count; i++)
		time += g->list[i].end - g->list[i].begin;
	return time;
}

static void
print_waits(FILE *f, const struct contention *c, const struct gil_pairs *w, uint32_t most)
{
	const struct tally *t = &c->tally;

	fprintf(f, "The GIL was held for %.2f s of %.2f s, and threads waited for it "
	    "for %.2f s\n   wait   waited  in  while the GIL was held in\n",
	    (double)time_of_gil(&c->waits.held) / 1e6, (double)tally_duration(t) / 1e6,
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
	struct gil_pairs w;
	bool ok = gil_waits_join(&c->waits, &w);

	if (ok)
		print_waits(f, c, &w, most);
	gil_pairs_clear(&w);
	return ok;
}
