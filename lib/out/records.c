/* SPDX-License-Identifier: ISC */
/*
 * records.c: see records.h.  The samples of a run differ only in time, status
 * and duration; the other parts of their records are made once for the run.
 */
#include "out/records.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "out/emit.h"
#include "out/limits.h"
#include "out/locations.h"
#include "out/texts.h"
#include "status.h"

struct records {
	struct tach_sink sink;
	struct emit out;
	const struct records_form *form;
	struct locations locations;
	struct texts frames; /* as in the column of the stack */
	struct texts leaves; /* the columns from the function to the line */
	struct tach_string statuses[256]; /* the text between two columns */
	struct buf status_text;
	struct buf raw; /* scratch */
	/* The current run. */
	struct buf who;	  /* the part between time and status */
	struct buf where; /* the part behind the duration */
	uint32_t left;	  /* number of innermost frames that are not in it */
	struct buf process; /* the part behind the stack */
	uint64_t origin; /* time of day at time 0, us; 0: not known */
	struct error error;
};

static void
add_column(struct records *r, struct buf *b, enum records_column column)
{
	buf_add_text(b, r->form->before[column]);
}

static void
add_signed(struct buf *b, int32_t n)
{
	if (n < 0)
		buf_add_char(b, '-');
	buf_add_number(b, (uint64_t)llabs(n));
}

/* ---- texts that are made once -------------------------------------------- */

/* FILE:FUNCTION:LINE, or the name alone if it is not in a file; with the
 * separator of frames. */
static void
make_record_frame(void *arg, struct buf *b, const struct location *p)
{
	struct records *r = arg;
	struct buf *raw = &r->raw;
	bool in_file = !synthetic(p->file, p->line);

	raw->len = 0;
	if (in_file) {
		buf_add(raw, p->file.bytes, p->file.len);
		buf_add_char(raw, ':');
	}
	buf_add(raw, p->func.bytes, p->func.len);
	if (in_file) {
		buf_add_char(raw, ':');
		add_signed(raw, p->line);
	}
	buf_add_text(b, r->form->between);
	r->form->add_frame(b, raw->text, raw->len);
	b->failed |= raw->failed;
}

static void
make_leaf(void *arg, struct buf *b, const struct location *p)
{
	struct records *r = arg;

	add_column(r, b, COLUMN_FUNCTION);
	r->form->add_string(b, p->func.bytes, p->func.len);
	add_column(r, b, COLUMN_FILE);
	r->form->add_string(b, p->file.bytes, p->file.len);
	add_column(r, b, COLUMN_LINE);
	add_signed(b, p->line);
	add_column(r, b, COLUMN_STACK);
}

static bool
make_statuses(struct records *r)
{
	struct buf *b = &r->status_text;
	size_t begins[257] = {0};

	for (int i = 0; i < 256; i++) {
		r->raw.len = 0;
		if (i == 0)
			buf_add_char(&r->raw, '-');
		status_add_words(&r->raw, (uint8_t)i);
		r->form->add_string(b, r->raw.text, r->raw.len);
		add_column(r, b, COLUMN_US);
		begins[i + 1] = b->len;
	}
	if (r->raw.failed || b->failed)
		return false;
	for (int i = 0; i < 256; i++)
		r->statuses[i] = (struct tach_string){b->text + begins[i],
		    begins[i + 1] - begins[i]};
	return true;
}

/* ---- what a run's records have in common --------------------------------- */

static void
make_who(struct records *r, const struct tach_run *run)
{
	struct buf *b = &r->who;
	struct tach_string name;

	b->len = 0;
	add_column(r, b, COLUMN_INTERP);
	buf_add_number(b, run->interp);
	add_column(r, b, COLUMN_THREAD);
	buf_add_number(b, run->thread);
	add_column(r, b, COLUMN_NAME);
	if (!tach_table_thread_name(r->locations.table, run->interp,
	    run->thread,
		&name))
		name = (struct tach_string){"", 0};
	r->form->add_string(b, name.bytes, name.len);
	add_column(r, b, COLUMN_STATUS);
}

/* The number of visible frames, and the innermost of them. */
static bool
find_leaf(struct records *r, const struct tach_run *run, uint32_t *depth,
    uint32_t *leaf)
{
	*depth = 0;
	for (uint32_t i = run->depth; i-- > 0;) {
		uint32_t location = locations_of(&r->locations, run->frames[i]);
		if (location == TACH_NONE)
			return false;
		if (location == LOCATION_HIDDEN)
			continue;
		*leaf = location;
		++*depth;
	}
	return true;
}

static bool
add_leaf(struct records *r, uint32_t depth, uint32_t leaf)
{
	static const struct location none = {
		.file = {NO_FILE, 1},
		.func = {NO_FRAMES, sizeof(NO_FRAMES) - 1},
	};
	struct tach_string s;

	if (depth == 0) {
		make_leaf(r, &r->where, &none);
		return true;
	}
	s = texts_of(&r->leaves, &r->locations, leaf);
	buf_add(&r->where, s.bytes, s.len);
	return s.bytes != NULL;
}

/* Bytes are NULL if out of memory. */
static struct tach_string
record_frame_text(struct records *r, uint32_t frame)
{
	uint32_t location = locations_of(&r->locations, frame);

	if (location == LOCATION_HIDDEN)
		return (struct tach_string){"", 0};
	return texts_of(&r->frames, &r->locations, location);
}

/* Adds as many of the outermost frames as are kept, one at least. */
static bool
add_frames(struct records *r, const struct tach_run *run)
{
	struct buf *b = &r->where;
	size_t skip = strlen(r->form->between);

	r->left = run->depth;
	while (r->left > 0 && (b->len <= LIMIT_STACK || skip > 0)) {
		struct tach_string s = record_frame_text(r,
		    run->frames[--r->left]);
		if (s.bytes == NULL)
			return false;
		if (s.len == 0)
			continue;
		buf_add(b, s.bytes + skip, s.len - skip);
		skip = 0;
	}
	return !b->failed;
}

static bool
make_where(struct records *r, const struct tach_run *run)
{
	uint32_t depth, leaf = TACH_NONE;

	r->where.len = 0;
	if (!find_leaf(r, run, &depth, &leaf))
		return false;
	add_column(r, &r->where, COLUMN_DEPTH);
	buf_add_number(&r->where, depth);
	if (!add_leaf(r, depth, leaf) || !add_frames(r, run))
		return false;
	buf_add_text(&r->where, depth == 0 ? r->form->no_frames : "");
	return !r->where.failed;
}

static void
make_process(struct records *r, const struct tach_run *run)
{
	const struct tach_table *table = r->locations.table;
	uint32_t first;

	r->process.len = 0;
	add_column(r, &r->process, COLUMN_PROCESS);
	buf_add_number(&r->process, tach_table_process(table, run->interp, &first));
	add_column(r, &r->process, COLUMN_UTC);
	r->origin = tach_table_time(table, run->interp);
}

/* ---- records ------------------------------------------------------------- */

static bool
put_record_frames(struct records *r, const struct tach_run *run)
{
	for (uint32_t i = r->left; i-- > 0;) {
		struct tach_string s = record_frame_text(r, run->frames[i]);
		if (s.bytes == NULL)
			return false;
		emit_string(&r->out, s);
	}
	return true;
}

/* In microseconds since 1970; 0: not known, or no number of a table. */
static uint64_t
time_of_day(const struct records *r, uint64_t time)
{
	return r->origin != 0 && time <= INT64_MAX - r->origin ? r->origin + time : 0;
}

static bool
put_record(struct records *r, const struct tach_run *run,
    const struct tach_tick *tick)
{
	struct emit *e = &r->out;

	emit(e, r->form->before[COLUMN_TIME]);
	emit_number(e, tick->time);
	emit_bytes(e, r->who.text, r->who.len);
	emit_string(e, r->statuses[tick->status]);
	emit_number(e, tick->duration);
	emit_bytes(e, r->where.text, r->where.len);
	if (r->left > 0 && !put_record_frames(r, run))
		return false;
	emit_bytes(e, r->process.text, r->process.len);
	emit_number(e, time_of_day(r, tick->time));
	emit(e, r->form->end);
	return e->error == 0;
}

static int
records_begin(struct tach_sink *sink, const struct tach_meta *meta,
    const struct tach_table *table)
{
	struct records *r = sink->arg;

	(void)meta;
	locations_init(&r->locations, table, LOCATION_LINES, NULL);
	return TACH_OK;
}

static int
records_run(struct tach_sink *sink, const struct tach_run *run)
{
	struct records *r = sink->arg;

	make_who(r, run);
	make_process(r, run);
	if (!make_where(r, run) || r->who.failed || r->process.failed)
		return emit_failed(&r->out, &r->error);
	for (size_t i = 0; i < run->count; i++)
		if (!put_record(r, run, &run->ticks[i]))
			return emit_failed(&r->out, &r->error);
	return TACH_OK;
}

static int
records_end(struct tach_sink *sink)
{
	struct records *r = sink->arg;

	return emit_finish(&r->out, &r->error);
}

static void
records_free(struct tach_sink *sink)
{
	struct records *r = sink->arg;

	locations_clear(&r->locations);
	texts_clear(&r->frames);
	texts_clear(&r->leaves);
	buf_clear(&r->status_text);
	buf_clear(&r->raw);
	buf_clear(&r->who);
	buf_clear(&r->where);
	buf_clear(&r->process);
	emit_clear(&r->out);
	free(r);
}

static enum tach_error
records_error(const struct tach_sink *sink, const char **line)
{
	const struct records *r = sink->arg;

	return error_get(&r->error, line);
}

struct tach_sink *
records_new(FILE *out, const struct records_form *form)
{
	struct records *r = calloc(1, sizeof(*r));

	if (r == NULL)
		return NULL;
	r->sink = (struct tach_sink){.size = sizeof(r->sink),
	    .arg = r,
	    .begin = records_begin,
	    .run = records_run,
	    .end = records_end,
	    .free = records_free,
	    .error = records_error};
	r->out.file = out;
	r->form = form;
	texts_init(&r->frames, make_record_frame, r);
	texts_init(&r->leaves, make_leaf, r);
	if (!make_statuses(r)) {
		records_free(&r->sink);
		return NULL;
	}
	emit(&r->out, form->header);
	return &r->sink;
}
