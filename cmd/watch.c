/* SPDX-License-Identifier: ISC */
/* watch.c: see watch.h. */
#include "watch.h"

#include <stdio.h>

#include "gather.h"
#include "why.h"

/* ---- both tallies -------------------------------------------------------- */

static int
both_begin(struct tach_sink *sink, const struct tach_meta *meta,
    const struct tach_table *table)
{
	struct watch *w = sink->arg;
	int rc = tach_sink_begin(&w->rows.sink, meta, table);

	return rc == TACH_OK ? tach_sink_begin(&w->above.sink, meta, table) : rc;
}

static int
both_run(struct tach_sink *sink, const struct tach_run *run)
{
	struct watch *w = sink->arg;
	int rc = *w->ending != 0 ? TACH_FATAL :
	    w->rows.sink.run(&w->rows.sink, run);

	return rc == TACH_OK ? w->above.sink.run(&w->above.sink, run) : rc;
}

/* ---- reading ------------------------------------------------------------- */

void
watch_close(struct watch *w)
{
	tach_source_free(w->source);
	tach_reader_free(w->reader);
	tally_clear(&w->rows);
	tally_clear(&w->above);
	w->source = NULL;
	w->reader = NULL;
}

static bool
watch_failed(struct watch *w, const char *why)
{
	snprintf(w->why, sizeof(w->why), "%s", why);
	return false;
}

static bool
open_tallies(struct watch *w, const struct watch_range *range)
{
	bool ok = tally_init(&w->rows, range->group);

	if (!tally_init(&w->above, range->above) || !ok)
		return watch_failed(w, "out of memory");
	if (range->tree)
		tally_make_tree(&w->rows);
	tally_keep_recent(&w->rows);
	tally_keep_recent(&w->above);
	w->both = (struct tach_sink){.size = sizeof(w->both), .arg = w,
	    .begin = both_begin, .run = both_run};
	return true;
}

static bool
open_reader(struct watch *w)
{
	if ((w->reader = tach_reader_new()) == NULL)
		return watch_failed(w, "out of memory");
	if (tach_reader_open(w->reader, w->path) == TACH_FATAL)
		return watch_failed(w, reader_why(w->reader));
	return true;
}

/* The source of all samples, with the durations of the ticks.  False: it cannot be
 * read. */
static bool
open_source(struct watch *w)
{
	if (!w->gathers && !open_reader(w))
		return false;
	w->source = w->gathers ? gather_new(w->path, w->since) :
	    tach_durations_new(tach_reader_follow(w->reader));
	return w->source != NULL || watch_failed(w, "out of memory");
}

/* The samples end before the profile does.  It is a failure if there are none. */
static bool
cut_short(struct watch *w)
{
	const char *line;

	tach_source_error(w->source, &line);
	watch_failed(w, line);
	return w->rows.all.samples > 0;
}

bool
watch_more(struct watch *w)
{
	bool ok = true;
	int rc;

	while ((rc = tach_pump(w->source, &w->both)) == TACH_WARN)
		ok = cut_short(w);
	w->complete = rc != TACH_AGAIN;
	if (rc == TACH_REFUSED)
		return watch_failed(w, *w->ending != 0 ? "" : "out of memory");
	if (rc == TACH_FATAL)
		return cut_short(w);
	return ok || w->rows.all.samples > 0;
}

bool
watch_read(struct watch *w, const struct watch_range *range)
{
	struct tach_selection part = {.size = sizeof(part), .until = range->until,
	    .match = &range->match, .nmatch = range->match[0] != '\0'};

	watch_close(w);
	w->why[0] = '\0';
	if (!open_tallies(w, range) || !open_source(w))
		return false;
	w->source = tach_select_new(select_source(w->selection, w->source), &part);
	return w->source != NULL ? watch_more(w) : watch_failed(w, "out of memory");
}
