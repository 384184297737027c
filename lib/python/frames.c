/* SPDX-License-Identifier: ISC */
/* frames.c: see frames.h. */
#include "python/frames.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"

/* CPython 3.14 and later keep tags in the low bits of a code pointer; an
 * object's address has none. */
#define TAG_MASK UINT64_C(7)

/* Links of a chain that are sought; for each, all of the chain is looked at, and
 * some of the data stack. */
#define LOST_MAX 64

/* Makes room in a chain that has none left. */
static bool
grow(struct py_chain *c)
{
	struct py_place *p = array_grow(c->places, c->depth, &c->max,
	    sizeof(*p));

	if (p != NULL)
		c->places = p;
	return p != NULL;
}

/* The next place of a chain, to be filled in.  NULL: out of memory.  (What is
 * made elsewhere and copied takes as long as all the rest of a walk.) */
static inline struct py_place *
next_place(struct py_chain *c)
{
	if (c->fixed)
		return &c->places[c->depth++ & (c->max - 1)];
	return c->depth < c->max || grow(c) ? &c->places[c->depth++] : NULL;
}

bool
chain_add(struct py_chain *c, struct py_place place)
{
	struct py_place *p = next_place(c);

	if (p != NULL)
		*p = place;
	return p != NULL;
}

void
chain_free(struct py_chain *c)
{
	free(c->places);
	*c = (struct py_chain){0};
}

size_t
chain_shared(const struct py_chain *a, const struct py_chain *b)
{
	size_t max = a->depth < b->depth ? a->depth : b->depth;
	size_t n = 0;

	while (n < max &&
	    a->places[a->depth - 1 - n].code ==
		b->places[b->depth - 1 - n].code &&
	    a->places[a->depth - 1 - n].instr ==
		b->places[b->depth - 1 - n].instr)
		n++;
	return n;
}

static bool
get_pointer(struct py_view *v, uint64_t addr, uint64_t *out)
{
	const uint8_t *p = view_at(v, addr, sizeof(*out));

	if (p == NULL)
		return false;
	*out = load_u64(p);
	return true;
}

/* Whether links that are lost are found by other means. */
static bool
relinks(const struct py_marks *m)
{
	return m->past != NULL && !m->native;
}

/* In 3.11 and 3.12 a thread that runs no code of Python's has a cframe in its
 * state.  Others lie on the C stack, and no current frame there means that what
 * was copied is not that cframe: not yet, or not any more.
 * *stack: an address on the C stack, or 0. */
static enum walk_result
current_frame(const struct py_offsets *o, struct py_view *v, uint64_t thread,
    const struct py_marks *m, uint64_t *frame, uint64_t *stack)
{
	uint64_t cframe;

	*stack = 0;
	if (py_has(o->thread_current_frame))
		return get_pointer(v, thread + o->thread_current_frame,
			   frame) ? WALK_OK : WALK_MISS;
	if (!get_pointer(v, thread + o->thread_cframe, &cframe))
		return WALK_MISS;
	*frame = 0;
	*stack = cframe;
	if (cframe == 0)
		return WALK_OK;
	if (!get_pointer(v, cframe + o->cframe_current_frame, frame))
		return WALK_MISS;
	if (*frame == 0 && cframe - thread < o->thread_size)
		return WALK_OK;
	if (relinks(m))
		*frame = past_current(m->past, o, v, thread, cframe, *frame);
	return *frame != 0 ? WALK_OK : WALK_BAD;
}

void
chain_note_resumers(const struct py_chain *c, size_t shared,
    struct py_past *past)
{
	const struct py_place *by = NULL;

	/* From the outermost one on, after the innermost that they share. */
	while (shared > 0 && place_is_mark(&c->places[c->depth - shared]))
		shared--;
	for (size_t n = shared > 0 ? shared : 1; n <= c->depth; n++) {
		const struct py_place *p = &c->places[c->depth - n];
		if (place_is_mark(p))
			continue;
		if (p->resumed && n > shared)
			past_note_resumer(past, p, by);
		by = p;
	}
}

/* ---- chains ------------------------------------------------------------ */

void
chain_drop_past(struct py_chain *c)
{
	if (c->live == c->depth)
		return;
	memmove(c->places, c->places + (c->depth - c->live),
	    c->live * sizeof(*c->places));
	c->depth = c->live;
	c->ending = false;
	if (c->depth > 0)
		c->places[0].calls = c->places[0].left = false;
}

bool
chain_continues(const struct py_chain *a, const struct py_chain *b)
{
	size_t depth = a->depth < b->depth ? a->depth : b->depth;
	size_t shared = chain_shared(a, b);

	if (shared >= depth)
		return true;
	/* The innermost one runs, and may have gone on to the next. */
	return shared + 1 == depth &&
	    a->places[a->depth - depth].code ==
	    b->places[b->depth - depth].code;
}

static uint64_t
code_of(const struct py_offsets *o, const uint8_t *f)
{
	return load_u64(f + o->frame_code) & ~TAG_MASK;
}

/* The address of the instruction that a frame is at.  A frame object only
 * tells how far into the bytecode that is; see code_bytecode. */
static uint64_t
instr_of(const struct py_offsets *o, const uint8_t *f)
{
	int64_t lasti;

	if (!py_has(o->frame_lasti))
		return load_u64(f + o->frame_instr);
	lasti = (int32_t)load_u32(f + o->frame_lasti);
	return code_of(o, f) + o->code_bytecode +
	    (uint64_t)(lasti * o->lasti_unit);
}

/*
 * Whether a frame is one of a call that goes on.  Frame objects outlive their
 * calls: they wait for the next one, in lists of free ones that are linked
 * as chains are, or as long as somebody holds them.
 */
static bool
is_live(const struct py_offsets *o, const uint8_t *f)
{
	if (code_of(o, f) == 0) /* 3.14 and later: it has returned */
		return false;
	return !py_has(o->frame_state) || (f[o->frame_state] < 8 &&
	    (o->live_states >> f[o->frame_state] & 1) != 0);
}

/* In free-threaded builds each thread may run a copy of the bytecode. */
static uint32_t
copy_of(const struct py_offsets *o, const uint8_t *frame)
{
	return py_has(o->frame_copy) ? load_u32(frame + o->frame_copy) : 0;
}

/* Whether it is one of a generator that has begun, not one that makes it. */
static bool
is_resumed(const struct py_offsets *o, const uint8_t *f)
{
	if (py_has(o->frame_generator))
		return load_u64(f + o->frame_generator) != 0;
	return py_has(o->frame_owner) && f[o->frame_owner] == OWNER_GENERATOR;
}

static inline void
read_place(const struct py_offsets *o, const uint8_t *f, uint64_t frame,
    struct py_place *p)
{
	p->code = code_of(o, f);
	p->instr = instr_of(o, f);
	p->frame = frame;
	p->copy = copy_of(o, f);
	p->calls = p->left = false;
	p->resumed = is_resumed(o, f);
}

struct py_place
frame_place(const struct py_offsets *o, const uint8_t *f, uint64_t frame)
{
	struct py_place p;

	read_place(o, f, frame, &p);
	return p;
}

/*
 * Whether a frame can be calling another one without having left the
 * interpreter's loop.  Before it does so it notes the top of its stack, and
 * forgets that when it goes on; one that is at its first instruction has not
 * called anything.  What it seems to have called then has returned.
 */
static bool
may_call(const struct py_offsets *o, const uint8_t *f)
{
	if (py_has(o->frame_lasti)) /* the first one can call, to 3.10 */
		return (int32_t)load_u32(f + o->frame_lasti) >= 0;
	/* Of a copy, codes_originals says so. */
	if (copy_of(o, f) == 0 &&
	    instr_of(o, f) <= code_of(o, f) + o->code_bytecode)
		return false;
	return !py_has(o->frame_stacktop) ||
	    (int32_t)load_u32(f + o->frame_stacktop) >= 0;
}

/* What stands between a frame and the one that it called, if anything. */
static enum py_mark
mark_above(const struct py_marks *m, uint64_t frame, bool from_c, size_t depth)
{
	if (m->gc_inner ? depth == 0 : m->gc_frame != 0 && m->gc_frame == frame)
		return PLACE_GC;
	return m->native && from_c && depth > 0 ? PLACE_NATIVE : PLACE_NONE;
}

static bool
add_mark(struct py_chain *c, enum py_mark mark)
{
	return mark == PLACE_NONE ||
	    chain_add(c, (struct py_place){.code = mark});
}

/* Whether a frame is one that forgets its caller when it does not go on. */
static bool
is_forgetful(const struct py_offsets *o, const uint8_t *f)
{
	return is_resumed(o, f) ||
	    (py_has(o->frame_generator) && !is_live(o, f));
}

/* Whether a frame is one of a generator that was suspended, or, to 3.10, that
 * ended: others keep the address of their caller's frame then. */
static inline bool
is_suspended(const struct py_offsets *o, const uint8_t *f)
{
	return load_u64(f + o->frame_previous) == 0 && is_forgetful(o, f);
}

/* Whether a frame was the current one when it noted the top of its stack: it
 * is about to return, or to call. */
static bool
may_have_ended(const struct py_offsets *o, const uint8_t *f, size_t depth)
{
	return depth == 0 && py_has(o->frame_stacktop) &&
	    (int32_t)load_u32(f + o->frame_stacktop) >= 0;
}

/* A thread's own copy of the bytecode tells nothing: the place that was seen is
 * one of the original. */
bool
frame_call_is_over(const struct py_offsets *o, const struct py_place *caller,
    const uint8_t *caller_frame, const struct py_place *callee,
    const uint8_t *callee_frame)
{
	return code_of(o, caller_frame) != caller->code ||
	    code_of(o, callee_frame) != callee->code ||
	    (copy_of(o, caller_frame) == 0 &&
		instr_of(o, caller_frame) != caller->instr) ||
	    !is_live(o, callee_frame) || is_suspended(o, callee_frame);
}

/* What goes on ends here, with this place of the chain or before it. */
static void
end_live(const struct py_marks *m, struct py_chain *c)
{
	if (m->past == NULL)
		c->depth = 0;
	c->live = 0;
}

/* Adds a frame of Python's own, at an address, to the chain of those that it
 * called.  *past: the one before has ended; then, whether this one has. */
static bool
add_frame(const struct py_offsets *o, const struct py_marks *m, uint64_t frame,
    const uint8_t *f, bool called_from_c, struct py_chain *c, bool *past)
{
	bool keep = m->past != NULL;
	bool suspended = keep && is_suspended(o, f);
	bool live = is_live(o, f) && !suspended;
	bool gone_on = !live || (!called_from_c && !may_call(o, f));
	struct py_place *p;
	size_t depth;

	if (gone_on)
		end_live(m, c);
	if (!live && !keep)
		return true;
	depth = c->depth;
	if (!add_mark(c, mark_above(m, frame, called_from_c, depth)) ||
	    (p = next_place(c)) == NULL)
		return false;
	read_place(o, f, frame, p);
	p->calls = depth > 0 && !called_from_c;
	p->resumed |= suspended;
	p->left = depth > 0 && (gone_on || *past);
	if (p->code == 0)
		p->code = PLACE_PAST;
	*past = !live;
	c->ending |= may_have_ended(o, f, depth);
	c->live += live ? c->depth - depth : 0;
	return true;
}

static bool
is_text(const char *bytes, size_t size, const char *text)
{
	return size == strlen(text) && memcmp(bytes, text, size) == 0;
}

bool
frame_is_shim(const char *name, size_t name_size, const char *file,
    size_t file_size)
{
	return (is_text(name, name_size, "__init__") &&
		   is_text(file, file_size, "__init__")) ||
	    (is_text(name, name_size, "<interpreter trampoline>") &&
		is_text(file, file_size, "<shim>"));
}

bool
shims_has(const struct py_shims *s, uint64_t code)
{
	for (size_t i = 0; i < SHIMS_MAX && s->codes[i] != 0; i++)
		if (s->codes[i] == code)
			return true;
	return false;
}

/* Whether a frame is the interpreter's own, or, in 3.11, was called by it. */
static bool
is_entry(const struct py_offsets *o, const uint8_t *f)
{
	return frame_is_own(o, f) ||
	    (py_has(o->frame_is_entry) && f[o->frame_is_entry] != 0);
}

/* Whether a chain can end with a frame.  A generator that was suspended in
 * the meantime ends it, too, but that is not the root of a thread. */
static bool
is_root(const struct py_offsets *o, const uint8_t *f)
{
	if (py_has(o->frame_generator))
		return is_live(o, f) && load_u64(f + o->frame_generator) == 0;
	return is_entry(o, f) && f[o->frame_owner] != OWNER_GENERATOR;
}

/* Whether a frame may be the one that was noted as who resumed the one before.
 * By now that may be resumed by another, and this one have ended, or be used
 * again; then only what comes before stays in the chain.  *told: how many
 * frames there are to the first whose caller is only noted; 0: none is. */
static bool
may_have_resumed(const struct py_offsets *o, const uint8_t *f,
    struct py_chain *c, size_t *told)
{
	bool suspended = is_suspended(o, f);

	if (*told > 0 && !suspended && !is_live(o, f)) {
		c->depth = *told;
		return false;
	}
	*told = !suspended ? 0 : *told == 0 ? c->depth + 1 : *told;
	return true;
}

/* Whether a chain without a frame of Python's is all that a thread has that has
 * none: it ends with the frame that all chains end with, if any. */
static bool
is_none(const struct py_offsets *o, struct py_view *v, uint64_t thread,
    uint64_t last)
{
	uint64_t base = 0;

	return last == 0 || (py_has(o->thread_base_frame) &&
	    get_pointer(v, thread + o->thread_base_frame, &base) &&
	    last == base);
}

/* Sets *frame, which a walk comes to next, to the frame that is the caller of
 * the last one, if the link to it is lost.  False: it is not known. */
static bool
relink(const struct py_offsets *o, struct py_view *v, const struct py_marks *m,
    uint64_t thread, struct past_seen *seen, const struct py_chain *c,
    uint64_t *frame)
{
	uint64_t by;
	bool lost;

	if (seen->stack == 0 || !past_may_lose(seen, *frame))
		return true;
	seen->places = c->places;
	seen->depth = c->depth;
	lost = past_is_lost(m->past, o, v, seen, *frame);
	if (!lost && !past_may_be_lost(m->past, o, v, seen, *frame))
		return true;
	by = seen->lost++ < LOST_MAX ?
	    past_caller(m->past, o, v, thread, seen) : 0;
	if (lost || by != 0) /* else a new one may be there */
		*frame = by;
	return *frame != 0;
}

/* Who resumed the generator that a chain has come to, which was suspended
 * meanwhile and has forgotten it; 0: not known. */
static uint64_t
resumer_of(const struct py_offsets *o, struct py_view *v,
    const struct py_marks *m, uint64_t thread, struct past_seen *seen,
    const struct py_chain *c, uint64_t generator)
{
	uint64_t by = 0;

	seen->places = c->places;
	seen->depth = c->depth;
	if (relinks(m) && seen->lost++ < LOST_MAX)
		by = past_caller(m->past, o, v, thread, seen);
	return by != 0 ? by : past_resumer(m->past, o, v, generator);
}

/* Notes where a walk has come to, by the frame that it has seen last. */
static void
note_seen(const struct py_offsets *o, const uint8_t *f, uint64_t frame,
    struct past_seen *seen)
{
	seen->entry = frame_is_own(o, f);
	if (seen->entry)
		seen->stack = frame; /* a variable of the loop */
	else if (!is_resumed(o, f))
		seen->end = frame;
}

enum walk_result
walk_frames(const struct py_offsets *o, struct py_view *v, uint64_t thread,
    const struct py_marks *m, struct py_chain *c)
{
	uint64_t frame, last = 0, mark = 0;
	enum walk_result w;
	bool from_c = true; /* the frame before this one was called from C */
	bool past = false, own;
	const uint8_t *f = NULL;
	struct past_seen seen = {0};
	size_t told = 0;

	c->depth = c->live = 0;
	c->ending = false;
	w = current_frame(o, v, thread, m, &frame, &c->stack);
	if (w != WALK_OK)
		return w;
	if (relinks(m)) {
		seen.end = past_stack_end(o, v, thread);
		seen.stack = c->stack != 0 ? c->stack : m->stack;
	}
	for (size_t n = 1; frame != 0; n++) {
		uint64_t link = frame;

		if (!relink(o, v, m, thread, &seen, c, &frame))
			return WALK_BAD;
		if (frame != link)
			from_c = past = true; /* it has returned */
		/* One that comes back to a frame runs in a circle. */
		if (frame == 0 || frame == mark || n > WALK_DEPTH_MAX ||
		    frame % sizeof(void *) != 0)
			return WALK_BAD;
		if ((n & (n - 1)) == 0) /* a power of two */
			mark = frame;
		if ((f = view_at(v, frame, o->frame_size)) == NULL)
			return WALK_MISS;
		if (m->past != NULL && !may_have_resumed(o, f, c, &told))
			return WALK_BAD;
		last = frame;
		frame = load_u64(f + o->frame_previous);
		own = frame_is_own(o, f);
		if (relinks(m))
			note_seen(o, f, last, &seen);
		if (own && c->stack == 0)
			c->stack = last; /* a variable of the loop */
		if (!own && m->shims != NULL &&
		    shims_has(m->shims, code_of(o, f)))
			continue;
		if (!own && !add_frame(o, m, last, f, from_c, c, &past))
			return WALK_MEMORY;
		if (m->past != NULL && is_suspended(o, f))
			frame = resumer_of(o, v, m, thread, &seen, c, last);
		from_c = is_entry(o, f);
	}
	if (f != NULL && !is_root(o, f))
		return WALK_BAD;
	c->returned = c->live == 0 && !is_none(o, v, thread, last);
	/* The root is called from C in all versions; CPython 3.15 says so. */
	if (m->native && from_c && c->depth > 0) {
		c->live++;
		return add_mark(c, PLACE_NATIVE) ? WALK_OK : WALK_MEMORY;
	}
	return WALK_OK;
}
