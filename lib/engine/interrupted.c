/* SPDX-License-Identifier: ISC */
/* interrupted.c: see interrupted.h. */
#include "engine/interrupted.h"

#include "engine/first.h"

#define TRIES 3 /* the code objects may have to be read before, and it may
		 * stand amid the making of a call */
#define SPARED 64 /* times that it is not tried if it was in vain: to copy all
		   * that there is room for takes the thread long */

static struct interrupt_way
way_of(const struct chains *c)
{
	const struct py_offsets *o = c->offsets;
	struct interrupt_way w = {.frame_size = o->frame_size,
	    .frame_previous = o->frame_previous,
	    .block = chains_lie_apart(c) ? 1 : INTERRUPT_BLOCK};

	if (!py_has(o->thread_current_frame)) {
		w.cframe_size = o->cframe_size;
		w.cframe_current = o->cframe_current_frame;
	}
	return w;
}

/* Where a copy of a thread state says which frame is the current one. */
static size_t
current_in_state(const struct chains *c)
{
	const struct py_offsets *o = c->offsets;

	return (py_has(o->thread_current_frame) ? o->thread_current_frame :
		   o->thread_cframe) - c->state_low;
}

bool
interrupted_copy(struct interrupts *in, const struct chains *c,
    struct thread *t, struct snapshot *s)
{
	struct interrupt_way way = way_of(c);
	enum interrupt_result result;

	if (t->spared > 0) {
		t->spared--;
		return false;
	}
	t->first = s->count;
	t->copy = s->size;
	if (!chains_add_state(c, s, t))
		return false;
	result = interrupts_read(in, c->process, t->task, &t->cpu, s, &way,
	    t->copy + current_in_state(c));
	if (result == INTERRUPT_FAILED)
		t->spared = SPARED;
	if (result != INTERRUPT_OK)
		return false;
	t->ranges = s->count - t->first;
	/* To copy what it needed from outside would now be in vain. */
	workset_clear(&t->set);
	return t->still = true;
}

/* Copies it alone, after what its stamp and its marks need. */
static bool
copy(struct interrupts *in, struct chains *c, struct thread *t, size_t *gc,
    struct stamp *stamp)
{
	struct snapshot *s = &c->one;
	size_t count;

	snapshot_clear(s);
	if (!chains_add_count(c, s, 0, t->py.interp, &count) ||
	    !chains_add_gc(c, s, 0, t->py.interp, gc) ||
	    !interrupted_copy(in, c, t, s))
		return false;
	*stamp = codes_stamp(c->codes, t->py.interp, s->bytes + count,
	    s->bytes + count);
	return true;
}

bool
interrupted_read(struct interrupts *in, struct chains *c, struct thread *t)
{
	size_t first = t->first, ranges = t->ranges, at = t->copy, gc;
	struct stamp stamp;
	bool whole = false;

	for (int i = 0; i < TRIES && !whole && copy(in, c, t, &gc, &stamp);
	    i++)
		whole = first_walk(c, t, &c->one, gc, &stamp);
	/* Those are of the round's snapshot. */
	t->first = first;
	t->ranges = ranges;
	t->copy = at;
	t->still = false;
	return whole;
}
