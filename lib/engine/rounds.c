/* SPDX-License-Identifier: ISC */
/*
 * rounds.c: a recorder as a source.  A recorder gives all samples of a round to
 * a sink at once.  This sink keeps copies and gives them one by one.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "buf.h"
#include "error.h"
#include "options.h"
#include "tach-record.h"

/* A local variable that came before its run. */
struct told_local {
	size_t run;
	uint32_t outer;
	size_t name, value; /* bytes, one behind the other */
};

struct round_queue {
	struct tach_source source;
	struct tach_sink sink;
	struct tach_recorder *recorder;
	int (*take)(struct tach_recorder *, struct tach_sink *);
	int res;    /* of the round */
	bool taken; /* some runs of the round were not given yet */
	struct tach_run *runs; /* their frames and ticks are these, in order */
	uint32_t *frames;
	struct tach_tick *ticks;
	size_t nruns, nframes, nticks;
	size_t runs_max, frames_max, ticks_max;
	size_t run, frame, tick; /* the next to be given */
	struct tach_locals locals;
	struct told_local *told;
	size_t ntold, told_max, local; /* the next to be told */
	struct buf text;
	size_t text_at;
	struct error error;
};

/* ---- keeping a round ----------------------------------------------------- */

/* Makes room for one more run.  False if out of memory. */
static bool
run_reserve(struct round_queue *q, const struct tach_run *run)
{
	struct tach_run *runs = array_grow(q->runs, q->nruns, &q->runs_max,
	    sizeof(*runs));
	uint32_t *frames = array_reserve(q->frames, &q->frames_max,
	    q->nframes + run->depth, sizeof(*frames));
	struct tach_tick *ticks = array_reserve(q->ticks, &q->ticks_max,
	    q->nticks + run->count, sizeof(*ticks));

	if (runs != NULL)
		q->runs = runs;
	if (frames != NULL)
		q->frames = frames;
	if (ticks != NULL)
		q->ticks = ticks;
	return runs != NULL && frames != NULL && ticks != NULL;
}

static int
keep_run(struct tach_sink *sink, const struct tach_run *run)
{
	struct round_queue *q = sink->arg;

	if (q->text.failed || !run_reserve(q, run))
		return error_memory(&q->error);
	q->runs[q->nruns++] = *run;
	if (run->depth > 0)
		memcpy(q->frames + q->nframes, run->frames,
		    run->depth * sizeof(*q->frames));
	q->nframes += run->depth;
	memcpy(q->ticks + q->nticks, run->ticks,
	    run->count * sizeof(*q->ticks));
	q->nticks += run->count;
	return TACH_OK;
}

static enum tach_error
keep_error(const struct tach_sink *sink, const char **line)
{
	const struct round_queue *q = sink->arg;

	return error_get(&q->error, line);
}

static void
keep_local(void *arg, uint32_t outer, struct tach_string name,
    struct tach_string value)
{
	struct round_queue *q = arg;
	struct told_local *p = array_grow(q->told, q->ntold, &q->told_max,
	    sizeof(*p));

	q->text.failed = q->text.failed || p == NULL;
	if (p == NULL)
		return;
	q->told = p;
	p[q->ntold++] = (struct told_local){q->nruns, outer, name.len,
	    value.len};
	if (name.len > 0)
		buf_add(&q->text, name.bytes, name.len);
	if (value.len > 0)
		buf_add(&q->text, value.bytes, value.len);
}

static void
take_round(struct round_queue *q)
{
	q->nruns = q->nframes = q->nticks = q->ntold = q->text.len = 0;
	q->run = q->frame = q->tick = q->local = q->text_at = 0;
	q->taken = true;
	q->res = q->take(q->recorder, &q->sink);
}

/* ---- giving it ----------------------------------------------------------- */

static struct tach_string
next_text(struct round_queue *q, size_t len)
{
	struct tach_string s = {len > 0 ? q->text.text + q->text_at : "", len};

	q->text_at += len;
	return s;
}

/* Tells the local variables of the next run. */
static void
tell_locals(struct round_queue *q)
{
	for (; q->local < q->ntold && q->told[q->local].run == q->run;
	    q->local++) {
		const struct told_local *l = &q->told[q->local];
		struct tach_string name = next_text(q, l->name);
		struct tach_string value = next_text(q, l->value);
		if (q->locals.tell != NULL)
			q->locals.tell(q->locals.arg, l->outer, name, value);
	}
}

static int
rounds_next(struct tach_source *source, struct tach_run *run)
{
	struct round_queue *q = source->arg;

	if (!q->taken)
		take_round(q);
	if (q->run == q->nruns) {
		q->taken = false;
		return q->res == TACH_OK ? TACH_AGAIN : q->res;
	}
	tell_locals(q);
	*run = q->runs[q->run++];
	run->frames = q->frames + q->frame;
	run->ticks = q->ticks + q->tick;
	q->frame += run->depth;
	q->tick += run->count;
	return TACH_OK;
}

static enum tach_error
rounds_error(const struct tach_source *source, const char **line)
{
	const struct round_queue *q = source->arg;

	return tach_recorder_error(q->recorder, line);
}

static void
rounds_free(struct tach_source *source)
{
	struct round_queue *q = source->arg;

	free(q->runs);
	free(q->frames);
	free(q->ticks);
	free(q->told);
	buf_clear(&q->text);
	free(q);
}

static struct tach_source *
new_rounds(struct tach_recorder *r,
    int (*take)(struct tach_recorder *, struct tach_sink *))
{
	struct round_queue *q = calloc(1, sizeof(*q));

	if (q == NULL)
		return NULL;
	q->source = (struct tach_source){.size = sizeof(q->source), .arg = q,
	    .meta = tach_recorder_meta(r), .table = tach_recorder_table(r),
	    .next = rounds_next, .free = rounds_free, .error = rounds_error};
	q->sink = (struct tach_sink){.size = sizeof(q->sink), .arg = q,
	    .run = keep_run, .error = keep_error};
	q->recorder = r;
	q->take = take;
	return &q->source;
}

struct tach_source *
tach_rounds_new(struct tach_recorder *r)
{
	return new_rounds(r, tach_recorder_round);
}

struct tach_source *
tach_steps_new(struct tach_recorder *r)
{
	return new_rounds(r, tach_recorder_step);
}

int
tach_rounds_locals(struct tach_source *source,
    const struct tach_locals *locals)
{
	struct round_queue *q = source->arg;
	struct tach_locals keep = {.size = sizeof(keep), .arg = q}, own;

	/* The recorder says that they cannot be used. */
	if (!options_take(&own, sizeof(own), locals))
		return tach_recorder_locals(q->recorder, locals);
	q->locals = own;
	if (own.tell != NULL)
		keep.tell = keep_local;
	return tach_recorder_locals(q->recorder, &keep);
}
