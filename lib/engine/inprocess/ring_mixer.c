/* SPDX-License-Identifier: ISC */
/* ring_mixer.c: see ring_mixer.h. */
#include "engine/inprocess/ring_mixer.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"

#define SOME_CODE PLACE_MARKS /* of the places that are no marks */
#define NO_ENTRY UINT64_MAX   /* no frame of C has it */

struct ring_mixer {
	struct mixed *mixed;
	struct py_chain chain; /* Python's frames: ->instr is the table's frame */
	struct py_segments one; /* for a sample without a stack of C */
};

struct ring_mixer *
ring_mixer_new(const struct process *p, const struct py_offsets *o,
    const struct py_memory *memory, struct tach_table *table,
    struct native_faults *faults, struct late_lines *lines,
    const struct tach_recorder_options *options)
{
	struct ring_mixer *r = calloc(1, sizeof(*r));

	if (r == NULL)
		return NULL;
	r->mixed = mixed_new(p, o, memory, table, faults, lines, options);
	if (r->mixed != NULL)
		return r;
	ring_mixer_free(r);
	return NULL;
}

void
ring_mixer_free(struct ring_mixer *r)
{
	if (r == NULL)
		return;
	mixed_free(r->mixed);
	chain_free(&r->chain);
	segments_free(&r->one);
	free(r);
}

struct mixed *
ring_mixer_mixed(struct ring_mixer *r)
{
	return r->mixed;
}

/* Makes the chain of the frames of Python.  *frames: how many are no marks. */
static bool
make_chain(struct ring_mixer *r, const struct thread_ring *a,
    const struct thread_ring_reader *reader, size_t *frames)
{
	const uint32_t *stack = a->stack + a->max - a->depth;

	r->chain.depth = *frames = 0;
	for (size_t i = 0; i < a->depth; i++) {
		struct py_place p = {.code = PLACE_FRAME, .instr = stack[i]};
		if (!thread_ring_is_mark(reader, stack[i])) {
			p.code = SOME_CODE;
			p.frame = ++*frames;
		}
		if (!chain_add(&r->chain, p))
			return false;
	}
	return true;
}

/* Makes one segment of all frames. */
static bool
make_one(struct ring_mixer *r, size_t frames)
{
	struct py_segments *s = &r->one;

	struct py_segment *list = array_reserve(s->list, &s->max, 1, sizeof(*list));
	uint64_t *p = array_reserve(s->frames, &s->frames_max, frames, sizeof(*p));

	s->list = list != NULL ? list : s->list;
	s->frames = p != NULL ? p : s->frames;
	if (list == NULL || p == NULL)
		return false;
	*s->list = (struct py_segment){NO_ENTRY, 0, 0, frames};
	for (size_t i = 0; i < frames; i++)
		s->frames[i] = i + 1;
	s->count = 1;
	s->nframes = frames;
	return true;
}

static bool
merge(struct ring_mixer *r, const struct thread_ring *a, size_t frames)
{
	struct native_capture from = {.without = "a stack that found no room"};
	const struct wire_stack *h;

	if (!a->has_c || a->c->head.len == 0) {
		if (!make_one(r, frames))
			return false;
		mixed_take(r->mixed, &r->one);
		mixed_unwind(r->mixed, &from);
		return mixed_merge(r->mixed, &r->chain);
	}
	h = &a->c->head;
	from.registers.pc = h->pc;
	from.registers.count = WIRE_REGISTERS;
	memcpy(from.registers.value, h->registers, sizeof(h->registers));
	from.low = h->low;
	from.bytes = told_stack_bytes(a->c);
	from.len = h->len;
	mixed_take(r->mixed, &a->c->segments);
	mixed_unwind(r->mixed, &from);
	return mixed_merge(r->mixed, &r->chain);
}

/* Makes the frames of a chain the thread's. */
static bool
keep(struct thread_ring *a, const struct py_chain *c, size_t *common)
{
	size_t n = 0;

	if (c->depth >= a->mixed_max) { /* with room for the reason of a wait */
		size_t max = (c->depth + 1) * 2;
		uint32_t *p = calloc(max, sizeof(*p));
		if (p == NULL)
			return false;
		if (a->mixed_depth > 0)
			memcpy(p + max - a->mixed_depth,
			    a->mixed + a->mixed_max - a->mixed_depth,
			    a->mixed_depth * sizeof(*p));
		free(a->mixed);
		a->mixed = p;
		a->mixed_max = max;
	}
	while (n < c->depth && n < a->mixed_depth &&
	    c->places[c->depth - 1 - n].instr == a->mixed[a->mixed_max - 1 - n])
		n++;
	for (size_t i = n; i < c->depth; i++)
		a->mixed[a->mixed_max - 1 - i] =
		    (uint32_t)c->places[c->depth - 1 - i].instr;
	a->mixed_depth = c->depth;
	*common = n;
	return true;
}

bool
ring_mixer_mix(struct ring_mixer *r, struct thread_ring *a,
    const struct thread_ring_reader *reader, uint32_t callee, size_t *common)
{
	const struct py_chain *c;
	size_t frames;

	return make_chain(r, a, reader, &frames) && merge(r, a, frames) &&
	    (c = mixed_name(r->mixed, &r->chain, callee)) != NULL &&
	    keep(a, c, common);
}
