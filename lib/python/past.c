/* SPDX-License-Identifier: ISC */
/* past.c: see past.h. */
#include "python/past.h"

#include <string.h>

#include "python/frames.h"
#include "python/traits.h"

#define SIZE_SOUGHT 2048 /* bytes; larger frames are not found by their end */
#define RESUMED_MAX 64	 /* generators, one resumed by the other */
#define HOLDER_MAX 1024	 /* bytes of a frame; words behind them do not count */
#define SOUGHT_MAX (256 * 1024) /* bytes that are searched for a reference, ... */
#define HITS_MAX 32	 /* ... and references that are looked at */
/* The variables of the interpreter's loop, its cframe and, from 3.12 on, its
 * entry frame, lie within so many bytes. */
#define LOOP_VARIABLES 1024
#define ENTRIES_MAX 8 /* entry frames in a row: enough to be whole */

/* ---- resumers ---------------------------------------------------------- */

static size_t
set_of(uint64_t frame)
{
	return (frame >> 3) * UINT64_C(0x9e3779b97f4a7c15) >> 32 &
	    (PAST_RESUMERS - 1);
}

static bool
is_same(const struct py_resumer *a, const struct py_resumer *b)
{
	return a->frame == b->frame && a->code == b->code && a->by == b->by &&
	    a->by_code == b->by_code;
}

/* The newest resumer comes first. */
void
past_note_resumer(struct py_past *p, const struct py_place *generator,
    const struct py_place *by)
{
	struct py_resumer *set = p->resumers[set_of(generator->frame)];
	struct py_resumer r = {generator->frame, generator->code,
	    by != NULL ? by->frame : 0, by != NULL ? by->code : 0};
	size_t i = 0;

	while (i < PAST_WAYS - 1 && !is_same(&set[i], &r))
		i++;
	memmove(set + 1, set, i * sizeof(*set));
	set[0] = r;
}

/* Whether a frame can be of a code object.  True also if its code object is not
 * known: from 3.14 on a frame that has ended has none. */
static bool
may_be_of(const struct py_offsets *o, struct py_view *v, uint64_t frame,
    uint64_t code)
{
	const uint8_t *f = view_at(v, frame, o->frame_size);
	uint64_t now = f != NULL ? frame_place(o, f, frame).code : 0;

	return now == 0 || now == code;
}

/* The resumer of a generator, from the *i-th entry of its set on; 0 if not
 * known. */
static uint64_t
resumer_from(const struct py_past *p, const struct py_offsets *o,
    struct py_view *v, uint64_t frame, size_t *i)
{
	const struct py_resumer *set = p->resumers[set_of(frame)];

	for (; *i < PAST_WAYS; ++*i)
		if (set[*i].frame == frame &&
		    may_be_of(o, v, frame, set[*i].code) &&
		    may_be_of(o, v, set[*i].by, set[*i].by_code))
			return set[*i].by;
	return 0;
}

uint64_t
past_resumer(const struct py_past *p, const struct py_offsets *o,
    struct py_view *v, uint64_t frame)
{
	size_t i = 0;

	return resumer_from(p, o, v, frame, &i);
}

/* Whether a frame resumed a generator, maybe by way of other generators. */
static bool
is_resumed_by(const struct py_past *p, const struct py_offsets *o,
    struct py_view *v, uint64_t generator, uint64_t by)
{
	uint64_t frame = generator;

	for (int i = 0; i < RESUMED_MAX && frame != 0; i++)
		if ((frame = past_resumer(p, o, v, frame)) == by)
			return by != 0;
	return false;
}

/* The resumer of a generator: the newest that is `frame` or was resumed by it;
 * if there is none, the newest of all. */
static uint64_t
resumer_inside(const struct py_past *p, const struct py_offsets *o,
    struct py_view *v, uint64_t generator, uint64_t frame)
{
	uint64_t by;

	for (size_t i = 0; (by = resumer_from(p, o, v, generator, &i)) != 0; i++)
		if (by == frame || is_resumed_by(p, o, v, by, frame))
			return by;
	return past_resumer(p, o, v, generator);
}

/* ---- frames ------------------------------------------------------------ */

/* The copy of a frame; NULL if there is none, or if it is the interpreter's
 * own. */
static const uint8_t *
frame_at(const struct py_offsets *o, struct py_view *v, uint64_t frame)
{
	const uint8_t *f = frame == 0 ? NULL :
	    view_at(v, frame, o->frame_size);

	return f == NULL || frame_is_own(o, f) ? NULL : f;
}

/* The size of a frame in bytes, by its copy; 0 if not known. */
static size_t
size_of(const struct py_past *p, const struct py_offsets *o, const uint8_t *f,
    uint64_t frame)
{
	return p->frame_size(p->arg, frame_place(o, f, frame).code);
}

/* The size of the frame at an address in bytes; 0 if none is known there. */
static size_t
size_at(const struct py_past *p, const struct py_offsets *o, struct py_view *v,
    uint64_t frame)
{
	const uint8_t *f = frame_at(o, v, frame);

	return f == NULL ? 0 : size_of(p, o, f, frame);
}

/* Whether a copy can be a frame of a data stack: most words of a data stack are
 * no beginning of a frame. */
static bool
is_on_stack(const struct py_offsets *o, const uint8_t *f)
{
	return f[o->frame_owner] == PY_OWNER_THREAD &&
	    load_u64(f + o->frame_code) != 0 &&
	    load_u64(f + o->frame_previous) % sizeof(void *) == 0;
}

/* The frame that ends at an address of the data stack; 0 if not known.  The
 * remains of an older frame may seem to end there, too: then none is taken. */
static uint64_t
frame_below(const struct py_past *p, const struct py_offsets *o,
    struct py_view *v, uint64_t end)
{
	uint64_t found = 0;

	for (size_t n = o->frame_size; n <= SIZE_SOUGHT && n <= end;
	    n += sizeof(uint64_t)) {
		const uint8_t *f = view_at(v, end - n, o->frame_size);
		if (f == NULL || !is_on_stack(o, f) ||
		    size_of(p, o, f, end - n) != n)
			continue;
		if (found != 0)
			return 0;
		found = end - n;
	}
	return found;
}

/* ---- the current frame ------------------------------------------------- */

/* A pointer in the thread state; 0 if the version or the view lacks it. */
static uint64_t
state_pointer(struct py_view *v, uint64_t thread, uint32_t field)
{
	const uint8_t *s = py_has(field) ?
	    view_at(v, thread + field, sizeof(uint64_t)) : NULL;

	return s != NULL ? load_u64(s) : 0;
}

uint64_t
past_stack_end(const struct py_offsets *o, struct py_view *v, uint64_t thread)
{
	return state_pointer(v, thread, o->thread_stack_top);
}

/* The frame of the innermost generator that ran; 0 if none did, or if it is not
 * known.  A generator that runs has the innermost exception item of its thread
 * inside of it. */
static uint64_t
running_generator(const struct py_offsets *o, struct py_view *v,
    uint64_t thread)
{
	uint64_t item = state_pointer(v, thread, o->thread_exc_info);

	if (item == 0 || item == thread + o->thread_exc_state ||
	    !py_has(o->generator_exc_item))
		return 0;
	return item - o->generator_exc_item + o->generator_frame;
}

/* The current frame of a loop cannot be one of its own variables.  If it is, the
 * value is from the end of the loop, or from an earlier loop whose variables were
 * at the same place. */
uint64_t
past_current(const struct py_past *p, const struct py_offsets *o,
    struct py_view *v, uint64_t thread, uint64_t cframe, uint64_t said)
{
	uint64_t ran, innermost;

	if (said != 0 && !past_is_near(said, cframe, LOOP_VARIABLES))
		return said;
	ran = running_generator(o, v, thread);
	innermost = frame_below(p, o, v, past_stack_end(o, v, thread));
	if (innermost == 0)
		return said;
	return is_resumed_by(p, o, v, ran, innermost) ? ran : innermost;
}

/* Whether a copy from the C stack is of an entry frame.  The caller of an entry
 * frame is not on the C stack, or is another entry frame: the loop that ran a
 * function also finalizes the objects that the function has left. */
static bool
is_whole_entry(const struct py_offsets *o, struct py_view *v, const uint8_t *f,
    uint64_t stack)
{
	for (int i = 0; i < ENTRIES_MAX && f != NULL; i++) {
		uint64_t by = load_u64(f + o->frame_previous);
		if (!frame_is_own(o, f) || by % sizeof(void *) != 0)
			return false;
		if (!past_is_near(by, stack, PAST_LOOPS_NEAR))
			return true;
		f = view_at(v, by, o->frame_size);
	}
	return true;
}

bool
past_is_lost(const struct py_past *p, const struct py_offsets *o,
    struct py_view *v, const struct past_seen *seen, uint64_t frame)
{
	const uint8_t *f;

	if (py_frames_are_objects(o) || seen->stack == 0 || seen->depth == 0 ||
	    !past_is_near(frame, seen->stack, PAST_LOOPS_NEAR))
		return false;
	f = view_at(v, frame, o->frame_size);
	return f != NULL && !is_whole_entry(o, v, f, seen->stack) &&
	    size_at(p, o, v, frame) == 0;
}

bool
past_may_be_lost(const struct py_past *p, const struct py_offsets *o,
    struct py_view *v, const struct past_seen *seen, uint64_t frame)
{
	const uint8_t *f;

	if (!seen->entry || seen->depth == 0 ||
	    past_is_near(frame, seen->stack, PAST_LOOPS_NEAR) ||
	    seen->end - frame < SIZE_SOUGHT)
		return false;
	f = view_at(v, frame, o->frame_size);
	return (f == NULL || f[o->frame_owner] != PY_OWNER_GENERATOR) &&
	    size_at(p, o, v, frame) == 0;
}

static bool
has_frame(const struct past_seen *seen, uint64_t frame)
{
	for (size_t i = 0; i < seen->depth; i++)
		if (seen->places[i].frame == frame)
			return true;
	return false;
}

/* The frame, if its code object was seen to call that of the outermost frame
 * seen; else 0. */
static uint64_t
if_calls(const struct py_past *p, const struct py_offsets *o,
    struct py_view *v, const struct past_seen *seen, uint64_t frame)
{
	const uint8_t *f = frame_at(o, v, frame);
	struct py_place caller;

	if (f == NULL || has_frame(seen, frame))
		return 0;
	caller = frame_place(o, f, frame);
	return p->calls(p->arg, &caller, &seen->places[seen->depth - 1]) ?
	    frame : 0;
}

/* The frame of a generator that has the word at an address among its variables;
 * 0 if there is none. */
static uint64_t
generator_around(const struct py_past *p, const struct py_offsets *o,
    const struct py_span *s, uint64_t word)
{
	for (size_t n = o->frame_size; n <= HOLDER_MAX;
	    n += sizeof(uint64_t)) {
		const uint8_t *f = span_at(s, word - n, n);
		if (f != NULL && f[o->frame_owner] == PY_OWNER_GENERATOR &&
		    size_of(p, o, f, word - n) > n)
			return word - n;
	}
	return 0;
}

/* A search for the generator that holds another one. */
struct hold {
	uint64_t object; /* the other one */
	uint64_t by;	 /* the frame that was found; 0: none yet */
	size_t bytes;	 /* that may still be searched */
	unsigned hits;
	bool more;	 /* there are two holders, or too many references */
};

static void
note_hit(struct hold *h, uint64_t by)
{
	h->more |= (by != 0 && h->by != 0 && by != h->by) ||
	    ++h->hits > HITS_MAX;
	h->by |= by;
}

static void
search(struct hold *h, const struct py_past *p, const struct py_offsets *o,
    struct py_view *v, const struct past_seen *seen, struct py_span s)
{
	if (s.size > h->bytes)
		return; /* most of so large a span is a data stack */
	h->bytes -= s.size;
	for (size_t i = 0; s.size - i >= sizeof(uint64_t) && !h->more;
	    i += sizeof(uint64_t))
		if (frame_untag(o, load_u64(s.bytes + i)) == h->object)
			note_hit(h, if_calls(p, o, v, seen,
			    generator_around(p, o, &s, s.addr + i)));
}

/* The frame of the generator that holds the outermost generator seen, as it
 * iterates over it or awaits it, and was seen to call it; 0 if there is none, or
 * more than one.  Without a GIL each new generator gets an address of its own,
 * so that its resumer has seldom been noted. */
static uint64_t
holder(const struct py_past *p, const struct py_offsets *o, struct py_view *v,
    const struct past_seen *seen)
{
	struct hold h = {.object = seen->places[seen->depth - 1].frame -
		o->generator_frame, .bytes = SOUGHT_MAX};

	if (py_frames_are_objects(o))
		return 0;
	for (size_t i = 0; i < v->count && !h.more; i++)
		search(&h, p, o, v, seen, v->spans[i]);
	return h.more ? 0 : h.by;
}

/* The caller is the next frame below on the data stack, or a generator that runs
 * inside of that frame: the innermost that ran, or, for a generator, its noted
 * resumer or its holder. */
uint64_t
past_caller(const struct py_past *p, const struct py_offsets *o,
    struct py_view *v, uint64_t thread, const struct past_seen *seen)
{
	const struct py_place *callee = &seen->places[seen->depth - 1];
	uint64_t last = py_frames_are_objects(o) ? 0 :
	    frame_below(p, o, v, seen->end);
	uint64_t below = if_calls(p, o, v, seen, last);
	uint64_t inside = callee->resumed ?
	    resumer_inside(p, o, v, callee->frame, last) :
	    running_generator(o, v, thread);

	inside = if_calls(p, o, v, seen, inside);
	if (inside == 0 && callee->resumed &&
	    (inside = holder(p, o, v, seen)) != 0)
		return inside;
	if (below == 0 || inside == 0 || below == inside)
		return below | inside;
	return is_resumed_by(p, o, v, inside, below) ? inside : 0;
}
