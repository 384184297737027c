/* SPDX-License-Identifier: ISC */
/*
 * speedscope.c: speedscope's own format; one profile for each thread, in the
 * order of time.  The viewer is slow with many samples, so equal samples in
 * sequence are one, and frames are functions.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "error.h"
#include "out/aggregate.h"
#include "out/emit.h"
#include "out/limits.h"
#include "out/out.h"
#include "out/timeline.h"

#define SCHEMA "https://www.speedscope.app/file-format-schema.json"

/* The duration of a stack. */
struct sample {
	uint64_t weight; /* microseconds */
	uint32_t node;	 /* TACH_NONE if it is a gap */
};

struct speedscope_track {
	uint64_t thread;
	uint32_t interp;
	uint64_t begin, end; /* of all its samples */
	uint64_t busy;	     /* its duration without gaps */
	struct sample *samples;
	uint32_t count;
	size_t max;
};

struct speedscope {
	struct tach_sink sink;
	struct emit out;
	const struct tach_format_options *options;
	struct aggregate stacks;
	struct tracks tracks;
	uint32_t nsamples; /* of all tracks */
	uint32_t *way; /* scratch: the locations of a stack, innermost first */
	size_t way_max;
	struct error error;
};

/* ---- samples ------------------------------------------------------------- */

/* False if out of memory, or if limits.h allows no more samples. */
static bool
add_sample(struct speedscope *s, struct speedscope_track *t, uint32_t node,
    uint64_t weight)
{
	struct sample *p;

	if (t->count > 0 && t->samples[t->count - 1].node == node) {
		t->samples[t->count - 1].weight += weight;
		return true;
	}
	if (s->nsamples == LIMIT_SAMPLES) {
		error_set(&s->error, TACH_ELIMIT,
		    LIMIT_TEXT("changes of stacks"));
		return false;
	}
	p = array_grow(t->samples, t->count, &t->max, sizeof(*p));
	if (p == NULL)
		return false;
	t->samples = p;
	p[t->count++] = (struct sample){weight, node};
	s->nsamples++;
	return true;
}

/* The time between two segments is a gap. */
static bool
add_segment(struct speedscope *s, struct speedscope_track *t, uint32_t node,
    const struct segment *segment)
{
	uint64_t weight = segment->end - segment->begin;
	bool gap = segment->idle && !s->options->keep_idle;

	if (t->count == 0)
		t->begin = segment->begin;
	else if (segment->begin > t->end &&
	    !add_sample(s, t, TACH_NONE, segment->begin - t->end))
		return false;
	t->end = segment->end;
	if (!gap)
		t->busy += weight;
	return add_sample(s, t, gap ? TACH_NONE : node, weight);
}

static int
speedscope_begin(struct tach_sink *sink, const struct tach_meta *meta,
    const struct tach_table *table)
{
	struct speedscope *s = sink->arg;

	(void)meta;
	aggregate_init(&s->stacks, table, (struct aggregate_options){
	    .kind = LOCATION_FUNCTIONS, .interps = true});
	return TACH_OK;
}

static int
speedscope_run(struct tach_sink *sink, const struct tach_run *run)
{
	struct speedscope *s = sink->arg;
	uint32_t node = aggregate_stack(&s->stacks, run);
	struct speedscope_track *t = tracks_find(&s->tracks, run->index,
	    sizeof(*t));
	struct segment segment;
	size_t next = 0;

	if (node == TACH_NONE)
		return aggregate_failed(&s->stacks, &s->error);
	if (t == NULL)
		return emit_failed(&s->out, &s->error);
	t->thread = run->thread;
	t->interp = run->interp;
	while (timeline_next(run, &next, &segment))
		if (!add_segment(s, t, node, &segment))
			return emit_failed(&s->out, &s->error);
	return TACH_OK;
}

/* ---- the file ------------------------------------------------------------ */

/* A frame has the number of its location; the number after the last location
 * stands for no frames. */
static void
speedscope_put_frames(struct speedscope *s)
{
	struct emit *e = &s->out;
	const struct locations *locations = &s->stacks.locations;

	for (uint32_t i = 0; i < locations->count; i++) {
		const struct location *p = &locations->all[i];
		emit(e, "{\"name\":");
		emit_json(e, p->func);
		emit(e, ",\"file\":");
		emit_json(e, p->file);
		if (p->line != 0) {
			emit(e, ",\"line\":");
			emit_signed(e, p->line);
		}
		emit(e, "},\n");
	}
	emit(e, "{\"name\":\"" NO_FRAMES "\"}");
}

/* Puts the locations of a stack into s->way. */
static bool
find_way(struct speedscope *s, uint32_t node, uint32_t *count)
{
	const struct node *nodes = s->stacks.nodes;
	uint32_t depth = nodes[node].depth - 1;

	if (depth > s->way_max) {
		uint32_t *p = reallocarray(s->way, depth, sizeof(*p));
		if (p == NULL)
			return false;
		s->way = p;
		s->way_max = depth;
	}
	for (uint32_t i = 0; i < depth; i++, node = nodes[node].parent)
		s->way[i] = nodes[node].what;
	*count = depth;
	return true;
}

static bool
speedscope_put_stack(struct speedscope *s, uint32_t node)
{
	struct emit *e = &s->out;
	const char *comma = "";
	uint32_t depth;

	if (node == TACH_NONE)
		return true;
	if (!find_way(s, node, &depth))
		return false;
	if (depth == 0)
		emit_number(e, s->stacks.locations.count);
	while (depth-- > 0) {
		emit(e, comma);
		emit_number(e, s->way[depth]);
		comma = ",";
	}
	return true;
}

static bool
speedscope_put_samples(struct speedscope *s, const struct speedscope_track *t)
{
	struct emit *e = &s->out;

	emit(e, ",\"samples\":[");
	for (uint32_t i = 0; i < t->count; i++) {
		emit(e, i > 0 ? ",\n[" : "\n[");
		if (!speedscope_put_stack(s, t->samples[i].node))
			return false;
		emit(e, "]");
	}
	emit(e, "],\"weights\":[");
	for (uint32_t i = 0; i < t->count; i++) {
		emit(e, i > 0 ? ",\n" : "\n");
		emit_number(e, t->samples[i].weight);
	}
	emit(e, "]}");
	return true;
}

static bool
speedscope_put_profile(struct speedscope *s, const struct speedscope_track *t,
    const char *name)
{
	struct emit *e = &s->out;

	emit(e, "{\"type\":\"sampled\",\"unit\":\"microseconds\",\"name\":");
	emit_json(e, (struct tach_string){name, strlen(name)});
	emit(e, ",\"startValue\":");
	emit_number(e, t->begin);
	emit(e, ",\"endValue\":");
	emit_number(e, t->end);
	return speedscope_put_samples(s, t);
}

/* The viewer needs at least one profile. */
static bool
put_profiles(struct speedscope *s)
{
	const struct speedscope_track *tracks = s->tracks.tracks, none = {0};
	struct buf name = {0};
	bool ok = true;

	for (uint32_t i = 0; ok && i < s->tracks.count; i++) {
		if (i > 0)
			emit(&s->out, ",\n");
		ok = speedscope_put_profile(s, &tracks[i],
		    out_thread_name(&name, s->stacks.locations.table,
			tracks[i].interp, tracks[i].thread));
	}
	buf_clear(&name);
	if (!ok)
		return false;
	return s->tracks.count > 0 ||
	    speedscope_put_profile(s, &none, "no samples");
}

static uint32_t
busiest(const struct speedscope *s)
{
	const struct speedscope_track *tracks = s->tracks.tracks;
	uint32_t best = 0;

	for (uint32_t i = 1; i < s->tracks.count; i++)
		if (tracks[i].busy > tracks[best].busy)
			best = i;
	return best;
}

static int
speedscope_end(struct tach_sink *sink)
{
	struct speedscope *s = sink->arg;
	struct emit *e = &s->out;
	const char *title = s->options->title;

	aggregate_settle(&s->stacks);
	emit(e, "{\"$schema\":\"" SCHEMA "\",\"exporter\":\"tach ");
	emit(e, tach_version());
	if (title != NULL) {
		emit(e, "\",\"name\":");
		emit_json(e, (struct tach_string){title, strlen(title)});
	} else {
		emit(e, "\"");
	}
	emit(e, ",\"activeProfileIndex\":");
	emit_number(e, busiest(s));
	emit(e, ",\n\"shared\":{\"frames\":[\n");
	speedscope_put_frames(s);
	emit(e, "]},\n\"profiles\":[\n");
	if (!put_profiles(s))
		return emit_failed(&s->out, &s->error);
	emit(e, "]}\n");
	return emit_end(e) == 0 ? TACH_OK : emit_failed(&s->out, &s->error);
}

/* ---- the sink ------------------------------------------------------------ */

static void
speedscope_free(struct tach_sink *sink)
{
	struct speedscope *s = sink->arg;
	struct speedscope_track *tracks = s->tracks.tracks;

	for (uint32_t i = 0; i < s->tracks.count; i++)
		free(tracks[i].samples);
	free(tracks);
	free(s->way);
	aggregate_clear(&s->stacks);
	emit_clear(&s->out);
	free(s);
}

static enum tach_error
speedscope_error(const struct tach_sink *sink, const char **line)
{
	const struct speedscope *s = sink->arg;

	return error_get(&s->error, line);
}

struct tach_sink *
speedscope_open(FILE *out, const struct tach_format_options *options)
{
	struct speedscope *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return NULL;
	s->sink = (struct tach_sink){.size = sizeof(s->sink),
	    .arg = s,
	    .begin = speedscope_begin,
	    .run = speedscope_run,
	    .end = speedscope_end,
	    .free = speedscope_free,
	    .error = speedscope_error};
	s->out.file = out;
	s->options = options;
	return &s->sink;
}
