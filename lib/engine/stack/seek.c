/* SPDX-License-Identifier: ISC */
/* seek.c: see seek.h. */
#include "engine/stack/seek.h"

#include <errno.h>

#include "engine/os/os.h"
#include "engine/stack/candidate.h"

#define NEAR_MAX 1024 /* bytes between a caller and its frame */
#define LAST_MAX 512  /* bytes of a last frame that is not known */
#define LOOKS 3	      /* at a thread, by one call */

/* The frame that a thread runs, by a copy of its state. */
struct said {
	uint64_t frame; /* address of the current frame */
	uint64_t end;	/* address of the data stack's end */
};

static struct said
what_runs(const struct chains *c, const uint8_t *copy)
{
	const struct py_offsets *o = c->offsets;

	return (struct said){chains_state(c, copy, o->thread_current_frame),
	    chains_state(c, copy, o->thread_stack_top)};
}

/* The newest chain's innermost frame on the data stack.  NULL if there is none. */
static const struct py_place *
last_on_stack(const struct chains *c)
{
	for (size_t i = 0; i < c->chain.depth; i++)
		if (!c->chain.places[i].resumed &&
		    !place_is_mark(&c->chain.places[i]))
			return &c->chain.places[i];
	return NULL;
}

/* Whether a frame can be the last one of a data stack that ends at an address.  A
 * frame without room before the end has just gone, or come.  Behind the frame there
 * may be room for one more frame, which is in the making, or not gone yet. */
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

/* Looks at a thread, made by one call.  Each look has its state, between two copies
 * of the memory that changes soon.  All other memory is taken from the first
 * copy. */
struct looks {
	const struct copied *first;
	struct range near[2]; /* memory that changes soon */
	size_t count;	   /* of ->near */
	size_t size;	   /* of ->near, in bytes */
	struct stamp stamp;
};

static void
add_near(struct looks *l, struct range r)
{
	l->near[l->count++] = r;
	l->size += r.size;
}

/* The memory of a frame of the newest chain, and of its caller if that lies close
 * below. */
static struct range
with_caller(const struct chains *c, const struct py_place *p)
{
	const struct py_place *by = p + 1;
	bool together = by < c->chain.places + c->chain.depth &&
	    p->frame - by->frame < NEAR_MAX;
	uint64_t low = together ? by->frame : p->frame;

	return (struct range){low, p->frame - low + c->offsets->frame_size};
}

/* Looks for a current frame: at the last frame of the newest chain, and at the
 * current frame if it lies elsewhere. */
static struct looks
looks_for(const struct chains *c, const struct copied *first,
    const struct said *wanted)
{
	struct looks l = {.first = first, .stamp = *first->stamp};
	const struct py_place *p = last_on_stack(c);
	struct range last = p != NULL ? with_caller(c, p) :
	    (struct range){wanted->end - LAST_MAX, LAST_MAX};

	add_near(&l, last);
	if (wanted->frame - last.addr >= last.size)
		add_near(&l, (struct range){wanted->frame,
		    c->offsets->frame_size});
	return l;
}

static bool
snapshot_near(struct snapshot *s, const struct looks *l)
{
	for (size_t i = 0; i < l->count; i++)
		if (!snapshot_add(s, l->near[i].addr, l->near[i].size))
			return false;
	return true;
}

/* Makes the looks.  READ_TORN if the thread cannot be read. */
static enum read_result
look(struct chains *c, struct thread *t, struct looks *l)
{
	struct snapshot *s = &c->one;
	uint64_t before = l->stamp.count;
	size_t count, range;

	snapshot_clear(s);
	for (int i = 0; i < LOOKS; i++)
		if (!snapshot_near(s, l) || !chains_add_state(c, s, t))
			return READ_NOMEM;
	if (!snapshot_near(s, l) ||
	    !chains_add_count(c, s, s->count, t->py.interp, &count))
		return READ_NOMEM;
	if (!snapshot_read(s, c->process->task, &range))
		return errno == ENOMEM ? READ_NOMEM : READ_TORN;
	l->stamp = codes_stamp(c->codes, t->py.interp, s->bytes + count,
	    s->bytes + count);
	l->stamp.steady = l->stamp.count == before;
	return READ_OK;
}

/* The offset of the n-th look's state in the snapshot's bytes. */
static size_t
state_of(const struct chains *c, const struct looks *l, int n)
{
	return (size_t)n * (l->size + c->part.size) + l->size;
}

/* Shows the n-th look in ->spans: its state, with the memory that was copied before
 * it or with the memory that was copied after it.  False if out of memory. */
static bool
see(struct chains *c, const struct looks *l, int n, bool before)
{
	size_t state = state_of(c, l, n), ranges = l->count + 1;
	size_t first = (size_t)(before ? n : n + 1) * ranges;
	size_t offset = before ? state - l->size : state + c->part.size;

	c->spans.count = 0;
	return spans_add(&c->spans, &c->one, (size_t)n * ranges + l->count, 1,
		   state) &&
	    spans_add(&c->spans, &c->one, first, l->count, offset) &&
	    spans_add_around(&c->spans, l->first->in, l->first->first + 1,
		l->first->count - 1, l->first->offset + c->part.size,
		l->near, l->count);
}

/* Walks ->spans.  READ_OK if the chain is proven, its calls are known, it fits the
 * state, and all but the two innermost frames of the first chain are in it. */
static enum read_result
know(struct chains *c, const struct thread *t, const struct looks *l)
{
	struct copied from = *l->first;
	enum read_result walked;
	size_t proven;

	from.stamp = &l->stamp;
	walked = candidate_walked(candidate_walk_spans(c, t, &from, true,
	    &c->chain));
	if (walked != READ_OK)
		return walked;
	return chains_result(c, candidate_know(c, t, &l->stamp, &proven) &&
	    seek_fits(c, c->copies.first) &&
	    chain_shared(&c->chain, &c->other) + 2 >= c->other.depth);
}

/* Whether a frame lies in the memory that the looks copied. */
static bool
has_near(const struct looks *l, uint64_t frame)
{
	for (size_t i = 0; i < l->count; i++)
		if (frame - l->near[i].addr < l->near[i].size)
			return true;
	return false;
}

static enum read_result
know_look(struct chains *c, const struct thread *t, const struct looks *l,
    int n)
{
	enum read_result got = READ_TORN;

	for (int before = 0; before < 2 && got == READ_TORN; before++)
		got = see(c, l, n, before != 0) ? know(c, t, l) : READ_NOMEM;
	return got;
}

/* READ_OK if a look has a chain that can be believed.  Only looks with the wanted
 * state count; with wanted NULL, looks whose current frame was copied. */
static enum read_result
know_looks(struct chains *c, const struct thread *t, const struct looks *l,
    const struct said *wanted)
{
	for (int i = 0; i < LOOKS; i++) {
		const uint8_t *state = c->one.bytes + state_of(c, l, i);
		struct said now = what_runs(c, state);
		enum read_result got;
		if (wanted == NULL ? !has_near(l, now.frame) :
				     now.frame != wanted->frame ||
			    now.end != wanted->end)
			continue;
		candidate_note_state(c, state, state);
		if ((got = know_look(c, t, l, i)) != READ_TORN)
			return got;
	}
	return READ_TORN;
}

static enum read_result
know_again(struct chains *c, struct thread *t, const struct copied *first,
    bool known)
{
	struct said wanted = what_runs(c, c->copies.first);
	struct looks l = looks_for(c, first, &wanted);
	uint64_t until = clock_ns() + c->patience;
	enum read_result got;

	candidate_swap(c);
	do {
		c->retries++;
		if ((got = look(c, t, &l)) != READ_OK)
			return got;
		got = know_looks(c, t, &l, &wanted);
		if (got == READ_TORN && !known)
			got = know_looks(c, t, &l, NULL);
	} while (got == READ_TORN && known && clock_ns() < until);
	return got;
}

enum read_result
seek_frame(struct chains *c, struct thread *t, const struct copied *first,
    bool known)
{
	const uint8_t *state = c->copies.first;
	size_t last = c->last, depth = c->chain.depth;
	enum read_result got;

	if (!known)
		c->chain.depth = 0; /* nothing of it holds */
	if ((got = know_again(c, t, first, known)) != READ_TORN)
		return got;
	candidate_swap(c);
	c->chain.depth = depth;
	candidate_note_state(c, state, state);
	c->stamp = *first->stamp;
	c->last = last;
	c->sound = known;
	return READ_TORN;
}
