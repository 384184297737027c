/* SPDX-License-Identifier: ISC */
/*
 * chrome.c: trace events, for Perfetto and chrome://tracing.  A function that
 * keeps its depth in the stack from one sample to the next is one slice.
 *
 * A slice is written when it ends.  Viewers nest the slices of a thread by
 * their begin; if two begin together, the longer is the outer one.  If two have
 * the same begin and end, the outer one must come first in the file.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "error.h"
#include "out/emit.h"
#include "out/limits.h"
#include "out/locations.h"
#include "out/out.h"
#include "out/tasknumbers.h"
#include "out/texts.h"
#include "out/timeline.h"

/* A function that is in the stack. */
struct slice {
	uint32_t location; /* TACH_NONE if the stack has no frames */
	uint64_t begin;
};

struct chrome_track {
	bool known;
	uint64_t thread;
	uint32_t interp;
	struct task_number task; /* in the file */
	uint64_t end;	    /* of its last segment */
	struct slice *open; /* outermost first */
	uint32_t count;
	size_t max;
};

struct chrome {
	struct tach_sink sink;
	struct emit out;
	const struct tach_format_options *options;
	struct locations locations;
	struct texts texts;
	struct tracks tracks;
	uint32_t nopen; /* slices of all tracks */
	struct task_numbers tasks;
	bool begun; /* an event was written */
	struct error error;
};

/* ---- events -------------------------------------------------------------- */

static void
begin_event(struct chrome *c, const struct chrome_track *t, const char *ph)
{
	struct emit *e = &c->out;

	emit(e, c->begun ? ",\n{\"ph\":\"" : "{\"ph\":\"");
	c->begun = true;
	emit(e, ph);
	emit(e, "\",\"pid\":");
	emit_number(e, t->task.pid);
	emit(e, ",\"tid\":");
	emit_number(e, t->task.tid);
}

static void
put_name(struct chrome *c, const struct chrome_track *t, const char *what,
    const char *name)
{
	struct emit *e = &c->out;

	begin_event(c, t, "M");
	emit(e, ",\"name\":\"");
	emit(e, what);
	emit(e, "\",\"args\":{\"name\":");
	emit_json(e, (struct tach_string){name, strlen(name)});
	emit(e, "}}");
}

/* Without the line: a slice has many lines, and speedscope matches the events
 * of a function only if their arguments are the same. */
static void
make_text(void *arg, struct buf *b, const struct location *p)
{
	static const char *const categories[KINDS] = {[KIND_CALLEE] = "c",
		[KIND_NATIVE] = "native", [KIND_KERNEL] = "kernel",
		[KIND_WAIT] = "wait"};
	const char *category = categories[p->kind];

	(void)arg;
	json_add_string(b, p->func.bytes, p->func.len);
	buf_add_text(b, ",\"cat\":\"");
	buf_add_text(b, category != NULL ? category : "python");
	buf_add_text(b, "\",\"args\":{\"file\":");
	json_add_string(b, p->file.bytes, p->file.len);
	buf_add(b, "}}", 2);
}

static bool
put_slice(struct chrome *c, const struct chrome_track *t, const struct slice *s)
{
	struct emit *e = &c->out;
	struct tach_string text;

	begin_event(c, t, "X");
	emit(e, ",\"ts\":");
	emit_number(e, s->begin);
	emit(e, ",\"dur\":");
	emit_number(e, t->end - s->begin);
	emit(e, ",\"name\":");
	if (s->location == TACH_NONE) {
		emit(e, "\"" NO_FRAMES
		    "\",\"cat\":\"python\",\"args\":{\"file\":\"~\"}}");
		return true;
	}
	text = texts_of(&c->texts, &c->locations, s->location);
	emit_string(e, text);
	return text.bytes != NULL;
}

/* ---- what is open -------------------------------------------------------- */

/* Ends all slices from a depth on, outer ones first. */
static bool
close_slices(struct chrome *c, struct chrome_track *t, uint32_t depth)
{
	uint32_t count = t->count;

	if (depth < t->count) {
		c->nopen -= t->count - depth;
		t->count = depth;
	}
	for (uint32_t i = depth; i < count; i++)
		if (!put_slice(c, t, &t->open[i]))
			return false;
	return c->out.error == 0;
}

/* False if out of memory, or if limits.h allows no more slices. */
static bool
open_slice(struct chrome *c, struct chrome_track *t, struct slice s)
{
	struct slice *p;

	if (c->nopen == LIMIT_OPEN) {
		error_set(&c->error, TACH_ELIMIT, LIMIT_TEXT("frames at once"));
		return false;
	}
	p = array_grow(t->open, t->count, &t->max, sizeof(*p));
	if (p == NULL)
		return false;
	t->open = p;
	p[t->count++] = s;
	c->nopen++;
	return true;
}

/* Opens a function at a depth, unless it is open, and closes other slices from
 * there on. */
static bool
have_slice(struct chrome *c, struct chrome_track *t, uint32_t depth,
    struct slice s)
{
	if (depth < t->count && t->open[depth].location == s.location)
		return true;
	return close_slices(c, t, depth) && open_slice(c, t, s);
}

static bool
show_stack(struct chrome *c, struct chrome_track *t, const struct tach_run *run)
{
	uint32_t depth = 0;

	for (uint32_t i = run->depth; i-- > 0;) {
		uint32_t location = locations_of(&c->locations, run->frames[i]);
		if (location == LOCATION_HIDDEN)
			continue;
		if (location == TACH_NONE ||
		    !have_slice(c, t, depth++, (struct slice){location,
		    t->end}))
			return false;
	}
	if (depth == 0 &&
	    !have_slice(c, t, depth++, (struct slice){TACH_NONE, t->end}))
		return false;
	return close_slices(c, t, depth);
}

/* Closes all slices in a gap. */
static bool
show_segment(struct chrome *c, struct chrome_track *t,
    const struct tach_run *run, const struct segment *s)
{
	bool gap = s->idle && !c->options->keep_idle;
	bool ok = true;

	if (gap || s->begin != t->end)
		ok = close_slices(c, t, 0);
	t->end = s->begin;
	if (!gap)
		ok = ok && show_stack(c, t, run);
	t->end = s->end;
	return ok;
}

/* ---- the sink ------------------------------------------------------------ */

static struct chrome_track *
track_of(struct chrome *c, const struct tach_run *run)
{
	struct chrome_track *t = tracks_find(&c->tracks, run->index,
	    sizeof(*t));
	const char *title = c->options->title;

	if (t == NULL || t->known)
		return t;
	t->thread = run->thread;
	t->interp = run->interp;
	if (!task_numbers_add(&c->tasks, c->locations.table, t->interp,
		t->thread, &t->task))
		return NULL;
	t->known = true;
	put_name(c, t, "process_name", title != NULL ? title : "python");
	return t;
}

/* Threads are named at the end, since their names can come late. */
static void
chrome_put_threads(struct chrome *c)
{
	const struct chrome_track *tracks = c->tracks.tracks;
	struct buf name = {0};

	for (uint32_t i = 0; i < c->tracks.count; i++)
		put_name(c, &tracks[i], "thread_name", out_thread_name(&name,
		    c->locations.table, tracks[i].interp, tracks[i].thread));
	buf_clear(&name);
}

static int
chrome_begin(struct tach_sink *sink, const struct tach_meta *meta,
    const struct tach_table *table)
{
	struct chrome *c = sink->arg;

	(void)meta;
	locations_init(&c->locations, table, LOCATION_FUNCTIONS, NULL);
	return TACH_OK;
}

static int
chrome_run(struct tach_sink *sink, const struct tach_run *run)
{
	struct chrome *c = sink->arg;
	struct chrome_track *t = track_of(c, run);
	struct segment s;
	size_t next = 0;

	if (t == NULL && run->index >= LIMIT_THREADS)
		return error_set(&c->error, TACH_ELIMIT, LIMIT_TEXT("threads"));
	if (t == NULL)
		return emit_failed(&c->out, &c->error);
	while (timeline_next(run, &next, &s))
		if (!show_segment(c, t, run, &s))
			return emit_failed(&c->out, &c->error);
	return TACH_OK;
}

static int
chrome_end(struct tach_sink *sink)
{
	struct chrome *c = sink->arg;
	struct chrome_track *tracks = c->tracks.tracks;

	for (uint32_t i = 0; i < c->tracks.count; i++)
		if (!close_slices(c, &tracks[i], 0))
			return emit_failed(&c->out, &c->error);
	chrome_put_threads(c);
	emit(&c->out, "\n]}\n");
	return emit_finish(&c->out, &c->error);
}

static void
chrome_free(struct tach_sink *sink)
{
	struct chrome *c = sink->arg;
	struct chrome_track *tracks = c->tracks.tracks;

	for (uint32_t i = 0; i < c->tracks.count; i++)
		free(tracks[i].open);
	free(tracks);
	task_numbers_clear(&c->tasks);
	locations_clear(&c->locations);
	texts_clear(&c->texts);
	emit_clear(&c->out);
	free(c);
}

static enum tach_error
chrome_error(const struct tach_sink *sink, const char **line)
{
	const struct chrome *c = sink->arg;

	return error_get(&c->error, line);
}

struct tach_sink *
chrome_open(FILE *out, const struct tach_format_options *options)
{
	struct chrome *c = calloc(1, sizeof(*c));

	if (c == NULL)
		return NULL;
	c->sink = (struct tach_sink){.size = sizeof(c->sink),
	    .arg = c,
	    .begin = chrome_begin,
	    .run = chrome_run,
	    .end = chrome_end,
	    .free = chrome_free,
	    .error = chrome_error};
	c->out.file = out;
	c->options = options;
	texts_init(&c->texts, make_text, NULL);
	emit(&c->out, "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n");
	return &c->sink;
}
