/* SPDX-License-Identifier: ISC */
/* read_once.c: see read_once.h. */
#include "engine/stack/read_once.h"

#include "engine/stack/candidate.h"
#include "engine/stack/seek.h"

/* The copy of a thread in a round's snapshot. */
static struct copied
copy_of(const struct thread *t, const struct snapshot *s, size_t gc,
    const struct stamp *stamp)
{
	return (struct copied){.in = s, .first = t->copy.first,
	    .count = t->copy.ranges, .offset = t->copy.at, .gc = gc,
	    .stamp = stamp};
}

static enum read_result
walk_copy(struct chains *c, struct thread *t,
    const struct copied *from, bool past)
{
	enum walk_result w = candidate_walk(c, t, from, past, &c->chain);

	candidate_note_state(c, from->in->bytes + from->offset,
	    from->in->bytes + from->offset);
	return candidate_walked(w);
}

enum read_result
read_once_still(struct chains *c, struct thread *t, const struct snapshot *s,
    size_t gc, const struct stamp *stamp, size_t *sure)
{
	struct copied from = copy_of(t, s, gc, stamp);
	enum read_result walked;

	*sure = 0;
	chains_trim(c, t);
	walked = walk_copy(c, t, &from, false);
	if (walked != READ_OK)
		return walked;
	*sure = candidate_in_place(c, candidate_prove(c, t, stamp));
	c->sound = true;
	return chains_result(c, *sure == c->chain.depth && candidate_learn(c));
}

/* Adds the current frame, or the cframe, that the state has to the thread's set.
 * A walk of memory would find the frame that runs by then, which is seldom one of
 * a function that ends soon. */
static void
note_current(const struct chains *c, struct thread *t, const uint8_t *state)
{
	const struct py_offsets *o = c->offsets;
	bool told = py_has(o->thread_current_frame);
	uint64_t addr = chains_state(c, state,
	    told ? o->thread_current_frame : o->thread_cframe);

	if (addr != 0)
		workset_add(&t->memory.set, addr,
		    told ? o->frame_size : o->cframe_size);
}

/* Whether frames of a thread were copied before its state. */
static bool
has_before(const struct thread *t)
{
	return t->copy.first != t->copy.before;
}

/* Shows the state in ->spans, with the frames that were copied before it.  False if
 * out of memory. */
static bool
see_before(struct chains *c, const struct thread *t, const struct copied *from)
{
	const struct thread_copy *y = &t->copy;

	c->spans.count = 0;
	return spans_add(&c->spans, from->in, y->first, 1, y->at) &&
	    spans_add(&c->spans, from->in, y->before, y->first - y->before,
		y->before_at);
}

/* Walks ->spans.  The chain becomes the newest one if all its calls are known and
 * its innermost frame is not at a call.  If not, the newest chain is as it was. */
static enum read_result
take_seen(struct chains *c, const struct thread *t, const struct copied *from)
{
	size_t last = c->last, proven;
	bool sound = c->sound;
	enum read_result got;

	candidate_swap(c);
	got = candidate_walked(candidate_walk_spans(c, t, from, false,
	    &c->chain));
	if (got == READ_OK)
		got = chains_result(c, c->chain.depth > 0 &&
		    candidate_know(c, t, from->stamp, &proven) &&
		    !contexts_is_calling(c->contexts, &c->chain));
	if (got == READ_OK)
		return got;
	candidate_swap(c);
	c->last = last;
	c->sound = sound;
	return got;
}

/* Takes the chain of the frames that were copied before the state, if there are
 * any. */
static enum read_result
take_before(struct chains *c, const struct thread *t, const struct copied *from)
{
	if (!has_before(t))
		return READ_TORN;
	return see_before(c, t, from) ? take_seen(c, t, from) : READ_NOMEM;
}

/* Whether another frame seems to have taken the place of the current frame: the
 * known chain does not fit the state, or no chain was walked.  A chain with an
 * unknown call does not count: its frame may only have gone on, and then its former
 * place cannot be found again. */
static bool
is_replaced(const struct chains *c, bool walked, bool known)
{
	return chains_tell_frame(c) &&
	    (known ? !seek_fits(c, c->copies.first) : !walked);
}

/* Notes what the next read needs, where a copy could not be believed. */
static void
note_failed(struct chains *c, struct thread *t, bool walked, size_t proven)
{
	if (walked && proven == c->chain.depth)
		colocate_want(&c->colocation, t->task,
		    contexts_is_unsteady(c->contexts));
	else if (!walked && c->chain.depth == 0)
		note_current(c, t, c->copies.first);
}

enum read_result
read_once_running(struct chains *c, struct thread *t, const struct snapshot *s,
    size_t gc, const struct stamp *stamp)
{
	struct copied from = copy_of(t, s, gc, stamp);
	enum read_result walked, got = READ_TORN;
	size_t proven = 0;
	bool known;

	chains_trim(c, t);
	walked = walk_copy(c, t, &from, true);
	if (walked == READ_NOMEM)
		return walked;
	known = walked == READ_OK && candidate_know(c, t, stamp, &proven);
	if (is_replaced(c, walked == READ_OK, known))
		got = seek_frame(c, t, &from, known);
	if (got == READ_TORN && known && (!has_before(t) ||
		!contexts_is_calling(c->contexts, &c->chain)))
		return READ_OK;
	if (got == READ_TORN)
		got = take_before(c, t, &from);
	if (got != READ_TORN || known)
		return got == READ_NOMEM ? got : READ_OK;
	note_failed(c, t, walked == READ_OK, proven);
	return chains_result(c, false);
}
