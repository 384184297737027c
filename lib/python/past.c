/* SPDX-License-Identifier: ISC */
/* past.c: see past.h. */
#include "python/past.h"

#include "python/frames.h"

#define SIZE_SOUGHT 2048 /* bytes; larger frames are not found by their end */
#define RESUMED_MAX 64	 /* generators, one resumed by the other */
/* The variables of the interpreter's loop, its cframe and, in 3.12, its entry
 * frame, lie within so many bytes. */
#define LOOP_VARIABLES 1024

/* ---- resumers ---------------------------------------------------------- */

static size_t
slot_of(uint64_t frame)
{
	return (frame >> 3) * UINT64_C(0x9e3779b97f4a7c15) >> 32 &
	    (PAST_RESUMERS - 1);
}

void
past_note_resumer(struct py_past *p, uint64_t frame, uint64_t by)
{
	p->resumers[slot_of(frame)] = (struct py_resumer){frame, by};
}

uint64_t
past_resumer(const struct py_past *p, uint64_t frame)
{
	const struct py_resumer *r = &p->resumers[slot_of(frame)];

	return r->frame == frame ? r->by : 0;
}

/* Whether a generator was resumed by a frame, maybe by way of others. */
static bool
is_resumed_by(const struct py_past *p, uint64_t generator, uint64_t by)
{
	uint64_t frame = generator;

	for (int i = 0; i < RESUMED_MAX && frame != 0; i++)
		if ((frame = past_resumer(p, frame)) == by)
			return by != 0;
	return false;
}

/* ---- frames ------------------------------------------------------------ */

/* How much a frame at an address takes; 0: there is none of Python's that is
 * known. */
static size_t
size_at(const struct py_past *p, const struct py_offsets *o, struct py_view *v,
    uint64_t frame)
{
	const uint8_t *f = view_at(v, frame, o->frame_size);

	if (f == NULL || p->frame_size == NULL || frame_is_own(o, f))
		return 0;
	return p->frame_size(p->arg, frame_place(o, f, frame).code);
}

bool
past_is_frame(const struct py_past *p, const struct py_offsets *o,
    struct py_view *v, uint64_t frame)
{
	const uint8_t *f = view_at(v, frame, o->frame_size);

	return f != NULL && (frame_is_own(o, f) || size_at(p, o, v, frame) > 0);
}

/* The frame that ends at an address of the data stack; 0: it is not known. */
static uint64_t
frame_below(const struct py_past *p, const struct py_offsets *o,
    struct py_view *v, uint64_t end)
{
	for (size_t n = o->frame_size; n <= SIZE_SOUGHT; n += sizeof(uint64_t))
		if (size_at(p, o, v, end - n) == n)
			return end - n;
	return 0;
}

/* ---- who ran ----------------------------------------------------------- */

/* 0: the state has no such field, or the view not that. */
static uint64_t
state_pointer(struct py_view *v, uint64_t thread, uint32_t field)
{
	const uint8_t *s = py_has(field) ?
	    view_at(v, thread + field, sizeof(uint64_t)) : NULL;

	return s != NULL ? load_u64(s) : 0;
}

/* While it runs, the exceptions that a generator handles are the innermost
 * ones of its thread; they are noted inside of it. */
uint64_t
past_generator(const struct py_offsets *o, struct py_view *v, uint64_t thread)
{
	uint64_t item = state_pointer(v, thread, o->thread_exc_info);

	if (item == 0 || item == thread + o->thread_exc_state ||
	    !py_has(o->generator_exc_item))
		return 0;
	return item - o->generator_exc_item + o->generator_frame;
}

/* What a loop runs cannot be one of its own variables: it has that from when it
 * ended, or from the one before it, whose variables were at the same place. */
uint64_t
past_current(const struct py_past *p, const struct py_offsets *o,
    struct py_view *v, uint64_t thread, uint64_t cframe, uint64_t frame)
{
	bool own = frame - cframe + LOOP_VARIABLES < 2 * LOOP_VARIABLES;
	uint64_t top = state_pointer(v, thread, o->thread_stack_top);
	uint64_t ran, innermost;

	if (top == 0 || (!own && size_at(p, o, v, frame) > 0))
		return frame;
	ran = past_generator(o, v, thread);
	innermost = frame_below(p, o, v, top);
	if (innermost != 0 && !is_resumed_by(p, ran, innermost))
		return innermost;
	return ran != 0 ? ran : frame;
}

uint64_t
past_caller(const struct py_past *p, const struct py_offsets *o,
    struct py_view *v, uint64_t frame, uint64_t ran)
{
	uint64_t by = past_resumer(p, frame);

	if (by != 0)
		return by;
	by = frame_below(p, o, v, frame);
	return by != 0 && !is_resumed_by(p, ran, by) ? by : ran;
}
