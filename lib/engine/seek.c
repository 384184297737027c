/* SPDX-License-Identifier: ISC */
/* seek.c: see seek.h. */
#include "engine/seek.h"

#include "engine/clock.h"
#include "engine/newest.h"

#define NEAR_MAX 1024 /* bytes: of a frame and its caller */

/* What a copy of a thread's state says of what it runs. */
struct said {
	uint64_t frame; /* the current one */
	uint64_t end;	/* of what the data stack has */
};

static struct said
what_runs(const struct chains *c, const uint8_t *copy)
{
	const struct py_offsets *o = c->offsets;

	return (struct said){chains_state(c, copy, o->thread_current_frame),
	    chains_state(c, copy, o->thread_stack_top)};
}

/* The newest chain's innermost frame that is on the data stack; or NULL. */
static const struct py_place *
last_on_stack(const struct chains *c)
{
	for (size_t i = 0; i < c->chain.depth; i++)
		if (!c->chain.places[i].resumed &&
		    !place_is_mark(&c->chain.places[i]))
			return &c->chain.places[i];
	return NULL;
}

/* Whether a frame can be the last one of a data stack that ends there: the next
 * one may be in the making, or not be gone yet, and one that is beyond the end
 * has just gone, or come. */
static bool
can_be_last(const struct chains *c, const struct py_place *p, uint64_t end)
{
	const struct py_offsets *o = c->offsets;
	size_t size = codes_frame_size(c->codes, p->code);
	uint64_t room = end - p->frame;

	return size == 0 || room == size ||
	    (int64_t)room < (int64_t)o->frame_size ||
	    (room > size && room - size >= o->frame_size);
}

bool
seek_fits(const struct chains *c, const uint8_t *copy)
{
	const struct py_place *last = last_on_stack(c);

	return !chains_tell_frame(c) || last == NULL ||
	    can_be_last(c, last, what_runs(c, copy).end);
}

/* Where a frame of the newest chain is, and its caller, if they lie together. */
static struct range
with_caller(const struct chains *c, const struct py_place *p)
{
	const struct py_place *by = p + 1;
	bool together = by < c->chain.places + c->chain.depth &&
	    p->frame - by->frame < NEAR_MAX;
	uint64_t low = together ? by->frame : p->frame;

	return (struct range){low, p->frame - low + c->offsets->frame_size};
}

/* A copy of a thread that is sought. */
struct again {
	struct range near; /* what is soon lost: copied before and after the
			    * state */
	size_t ranges;	   /* of the thread */
	size_t gc;	   /* offset of the words on garbage collection */
	struct stamp stamp;
};

/* Copies a thread once more.  False: it cannot be read. */
static bool
copy_again(struct chains *c, struct thread *t, struct again *a)
{
	struct snapshot *s = &c->one;
	uint64_t before = a->stamp.count;
	size_t count, range;

	snapshot_clear(s);
	if (!snapshot_add(s, a->near.addr, a->near.size) ||
	    !chains_add_state(c, s, t) ||
	    !snapshot_add(s, a->near.addr, a->near.size) ||
	    !chains_add_frames(c, s, t))
		return false;
	a->ranges = s->count;
	if (!chains_add_gc(c, s, 0, t->py.interp, &a->gc) ||
	    !chains_add_count(c, s, s->count, t->py.interp, &count) ||
	    !snapshot_read(s, c->process->pid, &range))
		return false;
	newest_note_state(c, s->bytes + a->near.size, s->bytes + a->near.size);
	a->stamp = codes_stamp(c->codes, t->py.interp, s->bytes + count,
	    s->bytes + count);
	a->stamp.steady = a->stamp.count == before;
	return true;
}

/* Whether what was copied again is of what the state says, with known calls
 * only, inside of the same callers as before; by what was copied before the
 * state, or by what was copied after it. */
static bool
know_again(struct chains *c, const struct thread *t, const struct again *a,
    bool before)
{
	struct copied from = {.in = &c->one, .first = !before,
	    .count = a->ranges - !before, .offset = before ? 0 : a->near.size,
	    .gc = a->gc, .stamp = &a->stamp};

	return newest_walk(c, t, &from, true, &c->chain) == WALK_OK &&
	    newest_is_known(c, newest_prove(c, t, &a->stamp)) &&
	    seek_fits(c, c->state) &&
	    chain_shared(&c->chain, &c->other) + 2 >= c->other.depth;
}

bool
seek_frame(struct chains *c, struct thread *t)
{
	struct said wanted = what_runs(c, c->state), now;
	struct again a = {.near = with_caller(c, last_on_stack(c)),
	    .stamp = c->stamp};
	uint64_t until = clock_ns() + c->patience;

	newest_swap(c);
	do {
		c->retries++;
		if (!copy_again(c, t, &a))
			return false;
		now = what_runs(c, c->state);
		if (now.frame == wanted.frame && now.end == wanted.end &&
		    (know_again(c, t, &a, false) || know_again(c, t, &a, true)))
			return true;
	} while (clock_ns() < until);
	return false;
}
