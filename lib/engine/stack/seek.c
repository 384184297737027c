/* SPDX-License-Identifier: ISC */
/* seek.c: see seek.h. */
#include "engine/stack/seek.h"

#include <errno.h>

#include "engine/os/os.h"
#include "engine/stack/candidate.h"
#include "python/traits.h"

#define NEAR_MAX 1024 /* bytes between a caller and its frame */
#define LAST_MAX 512  /* bytes of a last frame that is not known */
#define LOOKS 3	      /* at a thread, by one call */

/* The frame that a thread runs, by a copy of its state. */
struct said {
	uint64_t frame; /* address of the current frame */
	uint64_t end;	/* address of the data stack's end */
};

static struct said
what_runs(const struct stack_reader *c, const uint8_t *copy)
{
	const struct py_offsets *o = c->offsets;

	return (struct said){reader_state(c, copy, o->thread_current_frame),
	    reader_state(c, copy, o->thread_stack_top)};
}

/* A chain's innermost frame on the data stack.  NULL if there is none. */
static const struct py_place *
last_on_stack(const struct py_chain *chain)
{
	for (size_t i = 0; i < chain->depth; i++)
		if (!chain->places[i].resumed && !place_is_mark(&chain->places[i]))
			return &chain->places[i];
	return NULL;
}

/* Whether a frame can be the last one of a data stack that ends at an address.  A
 * frame without room before the end has just gone, or come.  Behind the frame there
 * may be room for one more frame, which is in the making, or not gone yet. */
static bool
can_be_last(const struct stack_reader *c, const struct py_place *p, uint64_t end)
{
	const struct py_offsets *o = c->offsets;
	size_t size = codes_frame_size(c->codes, p->code);
	uint64_t room = end - p->frame;

	return size == 0 || room == size ||
	    (int64_t)room < (int64_t)o->frame_size ||
	    (room > size && room - size >= o->frame_size);
}

bool
seek_fits(const struct stack_reader *c, const struct py_chain *chain,
    const uint8_t *copy)
{
	const struct py_place *last = last_on_stack(chain);

	return !py_state_names_frame(c->offsets) || last == NULL ||
	    can_be_last(c, last, what_runs(c, copy).end);
}

/* Looks at a thread, made by one call.  Each look has its state, between two copies
 * of the memory that changes soon.  All other memory is taken from the first
 * capture. */
struct looks {
	const struct capture *first; /* borrowed for the search */
	const struct py_chain *was;  /* the chain there; none if nothing holds */
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

/* The memory of a frame of a chain, and of its caller if that lies close below. */
static struct range
with_caller(const struct stack_reader *c, const struct py_chain *chain,
    const struct py_place *p)
{
	const struct py_place *by = p + 1;
	bool together = by < chain->places + chain->depth &&
	    p->frame - by->frame < NEAR_MAX;
	uint64_t low = together ? by->frame : p->frame;

	return (struct range){low, p->frame - low + c->offsets->frame_size};
}

/* Looks for a current frame: at the last frame of the first chain, and at the current
 * frame if it lies elsewhere. */
static struct looks
looks_for(const struct stack_reader *c, const struct capture *first,
    const struct py_chain *was, const struct said *wanted)
{
	struct looks l = {.first = first, .was = was, .stamp = first->stamp};
	const struct py_place *p = last_on_stack(was);
	struct range last = p != NULL ? with_caller(c, was, p) :
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

/* Makes the looks.  READ_RETRY if the thread cannot be read. */
static enum read_result
look(struct stack_reader *c, struct thread *t, struct looks *l)
{
	struct snapshot *s = &c->scratch.copy;
	uint64_t before = l->stamp.count;
	size_t count, range;

	snapshot_clear(s);
	for (int i = 0; i < LOOKS; i++)
		if (!snapshot_near(s, l) || !reader_add_state(c, s, t))
			return READ_NOMEM;
	if (!snapshot_near(s, l) ||
	    !reader_add_count(c, s, s->count, t->py.interp, &count))
		return READ_NOMEM;
	if (!snapshot_read(s, c->process->task, &range))
		return errno == ENOMEM ? READ_NOMEM : READ_RETRY;
	l->stamp = codes_stamp(c->codes, t->py.interp, s->bytes + count,
	    s->bytes + count);
	l->stamp.steady = l->stamp.count == before;
	return READ_SURE;
}

/* The offset of the n-th look's state in the snapshot's bytes. */
static size_t
state_of(const struct stack_reader *c, const struct looks *l, int n)
{
	return (size_t)n * (l->size + c->part.size) + l->size;
}

/* The capture of the n-th look, without a view. */
static struct capture
capture_of_look(const struct stack_reader *c, const struct looks *l, int n)
{
	struct capture of = *l->first;

	of.state = of.after = c->scratch.copy.bytes + state_of(c, l, n);
	of.stamp = l->stamp;
	return of;
}

/* Makes the view of the n-th look: its state, with the memory that was copied before
 * it or with the memory that was copied after it.  False if out of memory. */
static bool
view_look(struct stack_reader *c, const struct looks *l, int n, bool before,
    struct capture *of)
{
	const struct snapshot *s = &c->scratch.copy;
	struct spans *spans = &c->scratch.spans;
	size_t state = state_of(c, l, n), ranges = l->count + 1;
	size_t first = (size_t)(before ? n : n + 1) * ranges;
	size_t offset = before ? state - l->size : state + c->part.size;

	spans->count = 0;
	if (!spans_add(spans, s, (size_t)n * ranges + l->count, 1, state) ||
	    !spans_add(spans, s, first, l->count, offset) ||
	    !spans_add_around(spans, of->in, of->first + 1, of->count - 1,
		of->offset + c->part.size, l->near, l->count))
		return false;
	of->view = spans_view(spans);
	return true;
}

/* Walks the view of a look, into the spare stack.  READ_SURE if that is proven, its
 * calls are known, it fits the state, and all but the two innermost frames of the
 * first chain are in it. */
static enum read_result
know(struct stack_reader *c, const struct thread *t, const struct looks *l,
    const struct capture *of)
{
	struct call_stack *found = &c->scratch.spare;
	enum read_result walked = candidate_walked(
	    candidate_walk_view(c, t, of, true, &found->chain));
	size_t proven;

	if (walked != READ_SURE)
		return walked;
	return reader_result(c, candidate_know(c, t, of, found, &proven) &&
	    seek_fits(c, &found->chain, of->state) &&
	    chain_shared(&found->chain, l->was) + 2 >= l->was->depth);
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
know_look(struct stack_reader *c, const struct thread *t, const struct looks *l,
    int n)
{
	struct capture of = capture_of_look(c, l, n);
	enum read_result got = READ_RETRY;

	for (int before = 0; before < 2 && got == READ_RETRY; before++)
		got = view_look(c, l, n, before != 0, &of) ?
		    know(c, t, l, &of) : READ_NOMEM;
	if (got == READ_SURE)
		reader_take_state(c, t, &of, false, &c->scratch.spare);
	return got;
}

/* READ_SURE if a look has a stack that can be believed.  Only looks with the wanted
 * state count; with wanted NULL, looks whose current frame was copied. */
static enum read_result
know_looks(struct stack_reader *c, const struct thread *t, const struct looks *l,
    const struct said *wanted)
{
	for (int i = 0; i < LOOKS; i++) {
		struct said now = what_runs(c,
		    c->scratch.copy.bytes + state_of(c, l, i));
		enum read_result got;
		if (wanted == NULL ? !has_near(l, now.frame) :
				     now.frame != wanted->frame ||
			    now.end != wanted->end)
			continue;
		if ((got = know_look(c, t, l, i)) != READ_RETRY)
			return got;
	}
	return READ_RETRY;
}

enum read_result
seek_frame(struct stack_reader *c, struct thread *t, const struct capture *first,
    bool known, struct call_stack *stack)
{
	const struct py_chain none = {0};
	struct said wanted = what_runs(c, first->state);
	struct looks l = looks_for(c, first, known ? &stack->chain : &none,
	    &wanted);
	uint64_t until = clock_ns() + c->patience;
	enum read_result got;

	do {
		c->retries++;
		if ((got = look(c, t, &l)) != READ_SURE)
			break;
		got = know_looks(c, t, &l, &wanted);
		if (got == READ_RETRY && !known)
			got = know_looks(c, t, &l, NULL);
	} while (got == READ_RETRY && known && clock_ns() < until);
	if (got == READ_SURE)
		call_stack_swap(stack, &c->scratch.spare);
	return got;
}
