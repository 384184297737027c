/* SPDX-License-Identifier: ISC */
/*
 * depth.c: a source whose stacks are cut to a number of frames, for readers that take
 * no deeper ones.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "error.h"
#include "tablecopy.h"
#include "tach.h"

/* As a recorder calls the frames that it leaves out. */
#define DEPTH_MARK "<truncated>"

struct cutter {
	struct tach_source source, *from;
	struct tablecopy table;
	uint32_t most;	  /* frames of a stack, with the mark */
	uint32_t mark;	  /* its frame; TACH_NONE: not used yet */
	uint32_t *stack;  /* of a run */
	size_t room;
	bool *cut; /* by a run's index: its last stack was cut */
	size_t nthreads, threads_max;
	struct error error;
};

static bool *
cut_of(struct cutter *c, uint32_t index)
{
	while (c->nthreads <= index) {
		bool *all = array_grow(c->cut, c->nthreads, &c->threads_max,
		    sizeof(*all));
		if (all == NULL)
			return NULL;
		c->cut = all;
		all[c->nthreads++] = false;
	}
	return &c->cut[index];
}

static bool
add_mark(struct cutter *c, uint32_t at)
{
	if (c->mark == TACH_NONE)
		c->mark = tablecopy_mark(&c->table, DEPTH_MARK);
	return (c->stack[at] = c->mark) != TACH_NONE;
}

/* Makes the stack to give.  A stack that is cut has lost the end from which
 * `shared` counts. */
static bool
cut_stack(struct cutter *c, struct tach_run *run)
{
	bool cuts = run->depth > c->most;
	uint32_t kept = cuts ? c->most - 1 : run->depth;
	uint32_t *stack = array_reserve(c->stack, &c->room, (size_t)kept + 1,
	    sizeof(*stack));
	bool *was_cut = cut_of(c, run->index);

	if (stack == NULL)
		return false;
	c->stack = stack;
	if (was_cut == NULL || !tablecopy_notes(&c->table))
		return false;
	for (uint32_t i = 0; i < kept; i++)
		if ((stack[i] = tablecopy_frame(&c->table, run->frames[i])) ==
		    TACH_NONE)
			return false;
	if (cuts && !add_mark(c, kept))
		return false;
	if (cuts || *was_cut)
		run->shared = 0;
	*was_cut = cuts;
	run->frames = stack;
	run->depth = kept + cuts;
	return true;
}

static int
cutter_next(struct tach_source *source, struct tach_run *run)
{
	struct cutter *c = source->arg;
	int rc = tach_source_next(c->from, run);
	bool ok = rc == TACH_OK ? cut_stack(c, run) :
				  tablecopy_notes(&c->table);

	return ok ? rc : error_memory(&c->error);
}

static void
cutter_free(struct tach_source *source)
{
	struct cutter *c = source->arg;

	tach_source_free(c->from);
	tablecopy_clear(&c->table);
	free(c->stack);
	free(c->cut);
	free(c);
}

static enum tach_error
cutter_error(const struct tach_source *source, const char **line)
{
	const struct cutter *c = source->arg;

	return error_or(&c->error, c->from, line);
}

struct tach_source *
tach_depth_new(struct tach_source *from, uint32_t depth)
{
	struct cutter *c;

	if (from == NULL || depth == 0)
		return from;
	c = calloc(1, sizeof(*c));
	if (c == NULL || !tablecopy_init(&c->table, from->table)) {
		tach_source_free(from);
		free(c);
		return NULL;
	}
	c->source = (struct tach_source){.size = sizeof(c->source),
	    .arg = c,
	    .meta = from->meta,
	    .table = c->table.to,
	    .next = cutter_next,
	    .free = cutter_free,
	    .error = cutter_error};
	c->from = from;
	c->most = depth;
	c->mark = TACH_NONE;
	return &c->source;
}
