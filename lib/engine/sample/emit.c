/* SPDX-License-Identifier: ISC */
/* emit.c: see emit.h. */
#include "engine/sample/emit.h"

#include <stdlib.h>
#include <string.h>

#include "kind.h"

/* Names of synthetic frames.  CPython gives its own the same file. */
#define TORN_NAME "<torn>"

#define MORE_FRAMES 2 /* before those of a chain: leaves, or TORN_NAME */

static const char *const mark_names[PLACE_MARKS] = {
	[PLACE_GC] = "<GC>",
	[PLACE_NATIVE] = "<native>",
	[PLACE_CUT] = "<truncated>",
};

void
emitter_init(struct emitter *e, struct tach_table *table,
    struct thread_names *names, struct codes *codes)
{
	*e = (struct emitter){.table = table,
	    .names = names, .codes = codes, .torn_frame = TACH_NONE};
	for (size_t i = 0; i < PLACE_MARKS; i++)
		e->marks[i] = TACH_NONE;
}

void
emitter_free(struct emitter *e)
{
	free(e->frames);
	*e = (struct emitter){0};
}

uint32_t
emit_lineless(struct tach_table *t, const char *file, struct tach_string name)
{
	return tach_table_add_frame(t, &(struct tach_frame){
	    .file = tach_table_add_string(t, file, strlen(file)),
	    .func = tach_table_add_string(t, name.bytes, name.len),
	    .line = -1, .end_line = -1, .column = -1, .end_column = -1,
	    .opcode = TACH_NO_OPCODE});
}

uint32_t
emit_synthetic(struct tach_table *t, const char *name)
{
	return emit_lineless(t, NO_FILE,
	    (struct tach_string){name, strlen(name)});
}

/* Makes room for the frames of a chain and as many as are put before it.  False if out
 * of memory. */
static bool
reserve_frames(struct emitter *e, size_t depth)
{
	void *p;

	if (depth + MORE_FRAMES <= e->frames_max)
		return true;
	p = reallocarray(e->frames, (depth + MORE_FRAMES) * 2, sizeof(*e->frames));
	if (p == NULL)
		return false;
	e->frames = p;
	e->frames_max = (depth + MORE_FRAMES) * 2;
	return true;
}

static void
swap_chains(struct py_chain *a, struct py_chain *b)
{
	struct py_chain c = *a;

	*a = *b;
	*b = c;
}

/* The new sample becomes the thread's last one. */
static void
swap_sample(struct emitter *e, struct thread *t, uint32_t depth,
    struct py_chain *chain, struct py_chain *shown)
{
	uint32_t *frames = t->last.frames;
	size_t max = t->last.frames_max;

	t->last.frames = e->frames;
	t->last.frames_max = e->frames_max;
	t->last.depth = depth;
	e->frames = frames;
	e->frames_max = max;
	swap_chains(&t->last.chain, chain);
	t->last.shown.depth = 0;
	if (shown != NULL)
		swap_chains(&t->last.shown, shown);
}

/* The places of the frames of a thread's last sample. */
static const struct py_chain *
last_places(const struct thread *t)
{
	return t->last.shown.depth > 0 ? &t->last.shown : &t->last.chain;
}

/* Whether the last run of a thread's index is its last sample: the index can pass
 * from one thread state to another.  Notes the thread's state. */
static bool
is_continued(struct emitter *e, const struct thread *t)
{
	struct thread_name *n = &e->names->list[t->index];
	bool same = n->state == t->py.addr;

	n->state = t->py.addr;
	return same;
}

static uint32_t
frame_of(struct emitter *e, const struct py_place *p)
{
	uint32_t *mark;

	if (!place_is_mark(p))
		return codes_frame(e->codes, p);
	if (p->code == PLACE_FRAME)
		return (uint32_t)p->instr;
	mark = &e->marks[p->code];
	if (*mark == TACH_NONE)
		*mark = emit_synthetic(e->table, mark_names[p->code]);
	return *mark;
}

/* Puts the leaves of a sample into frames[2], innermost first.  Returns how many. */
static uint32_t
list_leaves(struct sample_leaves l, uint32_t *frames)
{
	uint32_t n = 0;

	if (l.wait != TACH_NONE)
		frames[n++] = l.wait;
	if (l.callee != TACH_NONE)
		frames[n++] = l.callee;
	return n;
}

/* How many of the n leaves in `frames` the last sample of a thread has too, if their
 * chains are equal: depth frames each. */
static uint32_t
shared_leaves(const struct thread *t, uint32_t depth, const uint32_t *frames, uint32_t n)
{
	uint32_t shared = 0, n_last = t->last.depth - depth;

	while (shared < n && shared < n_last &&
	    frames[n - 1 - shared] == t->last.frames[n_last - 1 - shared])
		shared++;
	return shared;
}

/* Turns a chain and its leaves into frames.  The outermost frames that the thread's last
 * sample had already are copied; returns how many.  TACH_NONE if out of memory. */
static uint32_t
map_frames(struct emitter *e, const struct thread *t,
    const struct py_chain *c, struct sample_leaves leaves)
{
	size_t shared = 0, fresh, lead;

	if (!reserve_frames(e, c->depth))
		return TACH_NONE;
	if (is_continued(e, t) && t->last.replaced == codes_replaced(e->codes))
		shared = chain_shared(c, last_places(t));
	/* The interpreter can have changed the instruction in its place. */
	if (e->opcodes && shared > 0 && shared == c->depth)
		shared--;
	fresh = c->depth - shared;
	lead = list_leaves(leaves, e->frames);
	for (size_t i = 0; i < fresh; i++)
		if ((e->frames[lead + i] = frame_of(e, &c->places[i])) ==
		    TACH_NONE)
			return TACH_NONE;
	if (shared > 0)
		memcpy(e->frames + lead + fresh,
		    t->last.frames + t->last.depth - shared,
		    shared * sizeof(*e->frames));
	if (shared == c->depth && shared > 0)
		shared += shared_leaves(t, (uint32_t)shared, e->frames, (uint32_t)lead);
	return (uint32_t)shared;
}

/* Puts "<torn>" on a sample that has only its outermost frames.  The next sample
 * shares nothing with it.  False if out of memory. */
static bool
mark_torn(struct emitter *e, struct thread *t, struct tach_run *run)
{
	if (e->torn_frame == TACH_NONE)
		e->torn_frame = emit_synthetic(e->table, TORN_NAME);
	if (e->torn_frame == TACH_NONE)
		return false;
	memmove(t->last.frames + 1, t->last.frames,
	    run->depth * sizeof(*t->last.frames));
	t->last.frames[0] = e->torn_frame;
	t->last.chain.depth = 0;
	t->last.shown.depth = 0;
	t->last.depth = 0;
	run->depth++;
	return true;
}

bool
emit_sample(struct emitter *e, struct thread *t, struct py_chain *chain,
    struct py_chain *shown, struct sample_leaves leaves, bool torn,
    const struct moment *m, struct tach_sink *sink)
{
	const struct py_chain *places = shown != NULL ? shown : chain;
	struct sample_leaves put = {shown != NULL ? TACH_NONE : leaves.callee,
	    leaves.wait};
	uint32_t shared = map_frames(e, t, places, put);
	struct tach_tick tick = {m->time_us, t->status.bits = m->status, 0};
	struct tach_run run = {.thread = t->id.tid,
	    .interp = (uint32_t)t->py.interp_id, .index = t->index,
	    .depth = (uint32_t)places->depth + (put.wait != TACH_NONE) +
		(put.callee != TACH_NONE),
	    .shared = shared,
	    .ticks = &tick, .count = 1};

	if (shared == TACH_NONE)
		return false;
	t->last.replaced = codes_replaced(e->codes);
	t->last.sampled_us = m->time_us;
	t->last.callee = leaves.callee;
	t->last.wait = leaves.wait;
	swap_sample(e, t, run.depth, chain, shown);
	if (torn && !mark_torn(e, t, &run))
		return false;
	run.frames = t->last.frames;
	return tach_sink_run(sink, &run) == TACH_OK;
}

/* Gives the last sample of a thread once more, of which the sample before had `shared`
 * outermost frames. */
static bool
repeat_sample(struct emitter *e, struct thread *t, uint32_t shared, uint64_t time_us,
    struct tach_sink *sink)
{
	struct tach_tick tick = {time_us, t->status.bits, 0};
	struct tach_run run = {.thread = t->id.tid,
	    .interp = (uint32_t)t->py.interp_id, .index = t->index,
	    .frames = t->last.frames, .depth = t->last.depth,
	    .shared = is_continued(e, t) ? shared : 0,
	    .ticks = &tick, .count = 1};

	t->last.sampled_us = time_us;
	return tach_sink_run(sink, &run) == TACH_OK;
}

bool
emit_again(struct emitter *e, struct thread *t, uint64_t time_us,
    struct tach_sink *sink)
{
	return repeat_sample(e, t, t->last.depth, time_us, sink);
}

/* The frames of a sample have room for all leaves: see reserve_frames. */
bool
emit_waiting(struct emitter *e, struct thread *t, uint32_t wait, uint64_t time_us,
    struct tach_sink *sink)
{
	uint32_t had = t->last.wait != TACH_NONE, has = wait != TACH_NONE;
	uint32_t others = t->last.depth - had;

	if (wait == t->last.wait)
		return emit_again(e, t, time_us, sink);
	memmove(t->last.frames + has, t->last.frames + had,
	    others * sizeof(*t->last.frames));
	if (has)
		t->last.frames[0] = wait;
	t->last.wait = wait;
	t->last.depth = others + has;
	return repeat_sample(e, t, others, time_us, sink);
}
