/* SPDX-License-Identifier: ISC */
/*
 * spans.c: a sink that says how long each sample stands for.  That is known
 * when the thread's next one comes, so each thread's newest run is held back
 * until then: the whole of a short one, the last sample of a long one.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "error.h"
#include "tach.h"

#define HELD_MAX 64 /* ticks that are held back, at most */

/* A thread's run that waits for the next one. */
struct held {
	struct tach_run run; /* its frames and ticks are these */
	uint32_t *frames;
	struct tach_tick *ticks;
	uint32_t frames_max, ticks_max;
	bool known;	   /* it was seen before, and has */
	uint64_t interval; /* this one */
};

struct spans_sink {
	struct tach_sink sink;
	struct tach_sink *next;
	const struct tach_meta *meta;
	const struct tach_table *table;
	struct held *threads; /* by a run's index */
	size_t nthreads, max;
	struct tach_tick *ticks; /* of a run that is too long to be held */
	size_t nticks;
	struct error error;
};

static int
no_memory(struct spans_sink *s)
{
	return error_system(&s->error, "", ENOMEM);
}

/* ---- how long ------------------------------------------------------------ */

static uint32_t
span(uint64_t interval, uint64_t from, uint64_t to)
{
	uint64_t most = UINT32_MAX;

	if (interval != 0 && interval < most / TACH_SPAN_INTERVALS)
		most = interval * TACH_SPAN_INTERVALS;
	return (uint32_t)(to - from < most ? to - from : most);
}

/* Of ticks one after the other, all but the last. */
static void
fill(uint64_t interval, struct tach_tick *ticks, size_t count)
{
	for (size_t i = 0; i + 1 < count; i++)
		ticks[i].span = span(interval, ticks[i].time, ticks[i + 1].time);
}

/* ---- holding back -------------------------------------------------------- */

static bool
reserve(void **array, uint32_t *max, uint64_t want, size_t size)
{
	uint64_t room = *max != 0 ? *max : 16;
	void *p;

	while (room < want)
		room *= 2;
	if (room == *max)
		return true;
	if (room > UINT32_MAX || (p = reallocarray(*array, room, size)) == NULL)
		return false;
	*array = p;
	*max = (uint32_t)room;
	return true;
}

static struct held *
thread_of(struct spans_sink *s, const struct tach_run *run)
{
	struct held *h;

	while (s->nthreads <= run->index) {
		struct held *p = array_grow(s->threads, s->nthreads, &s->max,
		    sizeof(*p));
		if (p == NULL)
			return NULL;
		s->threads = p;
		p[s->nthreads++] = (struct held){0};
	}
	h = &s->threads[run->index];
	if (!h->known)
		h->interval = tach_table_interval(s->table, s->meta,
		    run->interp);
	h->known = true;
	return h;
}

/* Passes on what is held of a thread, whose next sample is at that time. */
static int
release(struct spans_sink *s, struct held *h, uint64_t until)
{
	struct tach_tick *last;
	int rc;

	if (h->run.count == 0)
		return TACH_OK;
	last = &h->ticks[h->run.count - 1];
	last->span = span(h->interval, last->time, until);
	h->run.frames = h->frames;
	h->run.ticks = h->ticks;
	rc = s->next->run(s->next, &h->run);
	h->run.count = 0;
	return rc;
}

/* Holds a run back from one of its ticks on.  What the rest shares with the
 * run before it is all of it, if it is not the first. */
static int
hold(struct spans_sink *s, struct held *h, const struct tach_run *run, size_t from)
{
	size_t count = run->count - from;

	if (!reserve((void **)&h->frames, &h->frames_max, run->depth,
		sizeof(*h->frames)) ||
	    !reserve((void **)&h->ticks, &h->ticks_max, count,
		sizeof(*h->ticks)))
		return no_memory(s);
	h->run = *run;
	h->run.count = count;
	if (from > 0)
		h->run.shared = run->depth;
	if (run->depth > 0)
		memcpy(h->frames, run->frames,
		    run->depth * sizeof(*h->frames));
	memcpy(h->ticks, run->ticks + from, count * sizeof(*h->ticks));
	fill(h->interval, h->ticks, count);
	return TACH_OK;
}

/* Copies a run's ticks to where they can be changed. */
static bool
copy_ticks(struct spans_sink *s, const struct tach_run *run)
{
	if (s->nticks < run->count) {
		struct tach_tick *p = reallocarray(s->ticks, run->count,
		    sizeof(*p));
		if (p == NULL)
			return false;
		s->ticks = p;
		s->nticks = run->count;
	}
	memcpy(s->ticks, run->ticks, run->count * sizeof(*s->ticks));
	return true;
}

/* Passes on all but the last sample of a long run. */
static int
pass(struct spans_sink *s, const struct held *h, const struct tach_run *run)
{
	struct tach_run part = *run;

	if (!copy_ticks(s, run))
		return no_memory(s);
	fill(h->interval, s->ticks, run->count);
	part.ticks = s->ticks;
	part.count = run->count - 1;
	return s->next->run(s->next, &part);
}

/* ---- the sink ------------------------------------------------------------ */

static int
spans_run(struct tach_sink *sink, const struct tach_run *run)
{
	struct spans_sink *s = sink->arg;
	struct held *h;
	int rc;

	if (run->count == 0)
		return TACH_OK;
	if ((h = thread_of(s, run)) == NULL)
		return no_memory(s);
	if ((rc = release(s, h, run->ticks[0].time)) != TACH_OK)
		return rc;
	if (run->count <= HELD_MAX)
		return hold(s, h, run, 0);
	rc = pass(s, h, run);
	return rc != TACH_OK ? rc : hold(s, h, run, run->count - 1);
}

static int
intervals_run(struct tach_sink *sink, const struct tach_run *run)
{
	struct spans_sink *s = sink->arg;
	struct tach_run part = *run;
	struct held *h = thread_of(s, run);
	uint32_t one;

	if (h == NULL || !copy_ticks(s, run))
		return no_memory(s);
	one = h->interval < UINT32_MAX ? (uint32_t)h->interval : UINT32_MAX;
	for (size_t i = 0; i < run->count; i++)
		s->ticks[i].span = one;
	part.ticks = s->ticks;
	return s->next->run(s->next, &part);
}

/* What is held back goes on; of intervals nothing is. */
static int
spans_end(struct tach_sink *sink)
{
	struct spans_sink *s = sink->arg;
	int rc = TACH_OK;

	for (size_t i = 0; i < s->nthreads && rc == TACH_OK; i++) {
		struct held *h = &s->threads[i];
		if (h->run.count > 0)
			rc = release(s, h, h->ticks[h->run.count - 1].time +
			    h->interval);
	}
	return rc == TACH_OK ? tach_sink_end(s->next) : rc;
}

static void
spans_free(struct tach_sink *sink)
{
	struct spans_sink *s = sink->arg;

	tach_sink_free(s->next);
	for (size_t i = 0; i < s->nthreads; i++) {
		free(s->threads[i].frames);
		free(s->threads[i].ticks);
	}
	free(s->threads);
	free(s->ticks);
	free(s);
}

static enum tach_error
spans_error(const struct tach_sink *sink, const char **line)
{
	const struct spans_sink *s = sink->arg;

	return s->error.text[0] != '\0' ? error_get(&s->error, line) :
	    tach_sink_error(s->next, line);
}

static struct tach_sink *
new_sink(const struct tach_meta *meta, const struct tach_table *table,
    int (*run)(struct tach_sink *, const struct tach_run *),
    struct tach_sink *next)
{
	struct spans_sink *s = next != NULL ? calloc(1, sizeof(*s)) : NULL;

	if (s == NULL) {
		if (next != NULL)
			tach_sink_free(next);
		return NULL;
	}
	s->sink = (struct tach_sink){.arg = s, .run = run, .end = spans_end,
	    .free = spans_free, .error = spans_error};
	s->next = next;
	s->meta = meta;
	s->table = table;
	return &s->sink;
}

struct tach_sink *
tach_spans_new(const struct tach_meta *meta, const struct tach_table *table,
    struct tach_sink *next)
{
	return new_sink(meta, table, spans_run, next);
}

struct tach_sink *
tach_intervals_new(const struct tach_meta *meta,
    const struct tach_table *table, struct tach_sink *next)
{
	return new_sink(meta, table, intervals_run, next);
}
