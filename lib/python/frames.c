/* SPDX-License-Identifier: ISC */
/* frames.c: see frames.h. */
#include "python/frames.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "python/traits.h"

/* Lost links of a chain that are searched for.  Each search looks at the whole
 * chain, and at a part of the data stack. */
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

/* The next place of a chain, to be filled in; NULL if out of memory.  (To make
 * a place elsewhere and copy it takes as long as the rest of a walk.) */
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

bool
chain_is_cut(const struct py_chain *c)
{
	size_t last = c->depth - 1;

	return c->depth > 0 && c->places[c->fixed ? last & (c->max - 1) :
	    last].code == PLACE_CUT;
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

/* Whether the walk searches for lost links. */
static bool
relinks(const struct py_marks *m)
{
	return m->past != NULL && !m->native;
}

/*
 * Finds the current frame; 0: none.  In 3.11 and 3.12 a cframe has its address.
 * A thread that runs no Python code uses the cframe in its state.  All other
 * cframes lie on the C stack: if such a cframe has no current frame, the copy
 * was made before it was there, or after.
 * *stack: an address on the C stack, or 0.
 */
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

	/* From the innermost shared frame on, else from the outermost. */
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
	/* The innermost frame runs, and may have left its instruction. */
	return shared + 1 == depth &&
	    a->places[a->depth - depth].code ==
	    b->places[b->depth - depth].code;
}

static uint64_t
code_of(const struct py_offsets *o, const uint8_t *f)
{
	return frame_untag(o, load_u64(f + o->frame_code));
}

/* The address of the instruction that a frame is at.  To 3.10 a frame has the
 * offset into the bytecode only, which is added to the code object's address. */
static uint64_t
instr_of(const struct py_offsets *o, const uint8_t *f)
{
	int64_t lasti;

	if (!py_frames_are_objects(o))
		return load_u64(f + o->frame_instr);
	lasti = (int32_t)load_u32(f + o->frame_lasti);
	return code_of(o, f) + o->code_bytecode +
	    (uint64_t)(lasti * o->lasti_unit);
}

/*
 * Whether the call of a frame goes on.  To 3.10 a frame object outlives its
 * call: it stays while it has references, or waits for the next call in a list
 * of free ones, which is linked as a chain is.
 */
static bool
is_live(const struct py_offsets *o, const uint8_t *f)
{
	if (code_of(o, f) == 0) /* 3.14 and later: it has returned */
		return false;
	return !py_has(o->frame_state) || (f[o->frame_state] < 8 &&
	    (o->live_states >> f[o->frame_state] & 1) != 0);
}

/* Whether a frame object, to 3.10, has no references: it is being freed, or is
 * in the list of free ones, where its link leads to the next free one. */
static bool
is_free(const struct py_offsets *o, const uint8_t *f)
{
	return py_frames_are_objects(o) &&
	    load_u64(f + o->object_type - sizeof(uint64_t)) == 0;
}

/* The number of the copy of the bytecode that a frame runs: in free-threaded
 * builds from 3.14 on, each thread may have its own.  0: the original. */
static uint32_t
copy_of(const struct py_offsets *o, const uint8_t *frame)
{
	return py_copies_bytecode(o) ? load_u32(frame + o->frame_copy) : 0;
}

/* Whether a frame is a generator's own, not one that makes a generator. */
static bool
is_resumed(const struct py_offsets *o, const uint8_t *f)
{
	if (py_frames_are_objects(o))
		return load_u64(f + o->frame_generator) != 0;
	return f[o->frame_owner] == PY_OWNER_GENERATOR;
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
 * Whether a frame can have called another one without leaving the interpreter's
 * loop.  From 3.11 to 3.13 a frame notes the top of its stack before a call, and
 * clears the note when it goes on.  A frame at its first instruction has called
 * nothing.  If false, the frame that it seems to have called has returned.
 */
static bool
may_call(const struct py_offsets *o, const uint8_t *f)
{
	if (py_frames_are_objects(o)) /* the first instruction can call, too */
		return (int32_t)load_u32(f + o->frame_lasti) >= 0;
	/* In a copy of the bytecode, the chain's user checks this. */
	if (copy_of(o, f) == 0 &&
	    instr_of(o, f) <= code_of(o, f) + o->code_bytecode)
		return false;
	return !py_has(o->frame_stacktop) ||
	    (int32_t)load_u32(f + o->frame_stacktop) >= 0;
}

/* The mark between a frame and the frame that it called, or PLACE_NONE. */
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

/* Whether a frame loses its link to its caller when it does not go on. */
static bool
is_forgetful(const struct py_offsets *o, const uint8_t *f)
{
	return is_resumed(o, f) ||
	    (py_frames_are_objects(o) && !is_live(o, f));
}

/* Whether a frame is of a generator that was suspended or, to 3.10, is one that
 * ended: all other frames keep the address of their caller's frame. */
static inline bool
is_suspended(const struct py_offsets *o, const uint8_t *f)
{
	return load_u64(f + o->frame_previous) == 0 && is_forgetful(o, f);
}

/* Whether the innermost frame of a chain has noted the top of its stack: it is
 * about to return, or to call. */
static bool
may_have_ended(const struct py_offsets *o, const uint8_t *f, size_t depth)
{
	return depth == 0 && py_has(o->frame_stacktop) &&
	    (int32_t)load_u32(f + o->frame_stacktop) >= 0;
}

static bool
is_text(const char *bytes, size_t size, const char *text)
{
	return size == strlen(text) && memcmp(bytes, text, size) == 0;
}

bool
frame_is_shim(const struct py_offsets *o, const char *name, size_t name_size,
    const char *file, size_t file_size)
{
	return name_size > 0 && is_text(name, name_size, o->shim.name) &&
	    is_text(file, file_size, o->shim.file);
}

bool
shims_has(const struct py_shims *s, uint64_t code)
{
	for (size_t i = 0; i < SHIMS_MAX && s->codes[i] != 0; i++)
		if (s->codes[i] == code)
			return true;
	return false;
}

void
shims_note(struct py_shims *s, uint64_t code, bool shim)
{
	uint64_t *kept = s->codes;
	size_t n = 0;

	for (size_t i = 0; i < SHIMS_MAX && kept[i] != 0; i++)
		if (kept[i] != code)
			kept[n++] = kept[i];
	n -= shim && n == SHIMS_MAX;
	if (shim)
		kept[n++] = code;
	while (n < SHIMS_MAX)
		kept[n++] = 0;
}

/* Whether a frame is the interpreter's own or, in 3.11, was called from C. */
static bool
is_entry(const struct py_offsets *o, const uint8_t *f)
{
	return frame_is_own(o, f) ||
	    (py_has(o->frame_is_entry) && f[o->frame_is_entry] != 0);
}

/* Whether a chain can end with a frame.  The frame of a generator that was
 * suspended meanwhile has no link either, but is not the root of a thread. */
static bool
is_root(const struct py_offsets *o, const uint8_t *f)
{
	if (py_frames_are_objects(o))
		return is_live(o, f) && load_u64(f + o->frame_generator) == 0;
	return is_entry(o, f) && f[o->frame_owner] != PY_OWNER_GENERATOR;
}

/* Whether an address is the end of all chains of a thread: 0, or in 3.15 the base
 * frame.  A thread that runs no Python code has nothing else in its chain. */
static bool
is_none(const struct py_offsets *o, struct py_view *v, uint64_t thread,
    uint64_t last)
{
	uint64_t base = 0;

	return last == 0 || (py_has(o->thread_base_frame) &&
	    get_pointer(v, thread + o->thread_base_frame, &base) &&
	    last == base);
}

/* ---- walks --------------------------------------------------------------- */

/* A walk from frame to frame, from the innermost one on. */
struct walk {
	const struct py_offsets *o;
	struct py_view *v;
	uint64_t thread; /* address of its state */
	const struct py_marks *m;
	struct py_chain *c; /* of the frames so far */
	uint64_t frame;	    /* the next frame; 0: the walk ends */
	uint64_t last;	    /* the last frame, ... */
	const uint8_t *f;   /* ... its copy, valid until more is read, ... */
	bool root;	    /* ... and whether a chain can end with it */
	bool from_c;	    /* the frame before was called from C */
	bool past;	    /* the frame before has ended */
	bool free;	    /* the last frame has no references, but a link */
	size_t n;	    /* frames that the walk has come to */
	uint64_t mark;	    /* one of these: a second time is a circle */
	size_t told;	    /* see may_have_resumed */
	struct past_seen seen;
};

/* Makes all places so far past, or removes them if they are not wanted. */
static void
end_live(const struct py_marks *m, struct py_chain *c)
{
	if (m->past == NULL)
		c->depth = 0;
	c->live = 0;
}

/* Adds the last frame, which runs Python code, to the chain. */
static bool
add_frame(struct walk *w)
{
	const struct py_offsets *o = w->o;
	struct py_chain *c = w->c;
	const uint8_t *f = w->f;
	bool keep = w->m->past != NULL;
	bool suspended = keep && is_suspended(o, f);
	bool live = is_live(o, f) && !suspended;
	bool gone_on = !live || (!w->from_c && !may_call(o, f));
	struct py_place *p;
	size_t depth;

	if (gone_on)
		end_live(w->m, c);
	if (!live && !keep)
		return true;
	depth = c->depth;
	if (!add_mark(c, mark_above(w->m, w->last, w->from_c, depth)) ||
	    (p = next_place(c)) == NULL)
		return false;
	read_place(o, f, w->last, p);
	p->calls = depth > 0 && !w->from_c;
	p->resumed |= suspended;
	p->left = depth > 0 && (gone_on || w->past);
	if (p->code == 0)
		p->code = PLACE_PAST;
	w->past = !live;
	c->ending |= may_have_ended(o, f, depth);
	c->live += live ? c->depth - depth : 0;
	return true;
}

/* The frames so far, for a search for a lost link. */
static const struct past_seen *
seen_of(struct walk *w)
{
	w->seen.places = w->c->places;
	w->seen.depth = w->c->depth;
	return &w->seen;
}

/* Makes the caller of the last frame the next one, if the link to it is lost.
 * The link to the frame that all chains end with is never lost.  False if the
 * caller is not known. */
static bool
relink(struct walk *w)
{
	const struct py_past *past = w->m->past;
	uint64_t by;
	bool lost;

	if (w->seen.stack == 0 || !past_may_lose(&w->seen, w->frame) ||
	    is_none(w->o, w->v, w->thread, w->frame))
		return true;
	lost = past_is_lost(past, w->o, w->v, seen_of(w), w->frame);
	if (!lost &&
	    !past_may_be_lost(past, w->o, w->v, &w->seen, w->frame))
		return true;
	by = w->seen.lost++ < LOST_MAX ?
	    past_caller(past, w->o, w->v, w->thread, &w->seen) : 0;
	if (!lost && by == 0)
		return true; /* a new code object's frame may be there */
	if (by != w->frame)
		w->from_c = w->past = true; /* the last one has returned */
	w->frame = by;
	return by != 0;
}

/* The resumer of the generator that the walk has come to, which was suspended
 * meanwhile and has lost its link; 0 if not known. */
static uint64_t
resumer_of(struct walk *w)
{
	const struct py_past *past = w->m->past;
	uint64_t by = 0;

	if (relinks(w->m) && w->seen.lost++ < LOST_MAX)
		by = past_caller(past, w->o, w->v, w->thread, seen_of(w));
	return by != 0 ? by : past_resumer(past, w->o, w->v, w->last);
}

/*
 * Whether the last frame may be the resumer that was noted for the frame before
 * it.  If the noted frame has ended, another frame may have resumed that one
 * since.  Then the chain keeps only its places up to the first one whose caller
 * was noted.  ->told: how many places these are; 0: no caller was noted.
 */
static bool
may_have_resumed(struct walk *w)
{
	bool suspended = is_suspended(w->o, w->f);

	if (w->told > 0 && !suspended && !is_live(w->o, w->f)) {
		w->c->depth = w->told;
		return false;
	}
	w->told = !suspended ? 0 : w->told == 0 ? w->c->depth + 1 : w->told;
	return true;
}

/* Whether the next address can be that of a frame.  A walk that comes back to a
 * frame runs in a circle. */
static bool
is_sound(struct walk *w)
{
	if (w->frame == w->mark || ++w->n > WALK_DEPTH_MAX ||
	    w->frame % sizeof(void *) != 0)
		return false;
	if ((w->n & (w->n - 1)) == 0) /* a power of two */
		w->mark = w->frame;
	return true;
}

/* Notes the last frame, for a search for its caller. */
static void
note_seen(struct walk *w, bool own)
{
	w->seen.entry = own;
	if (own)
		w->seen.stack = w->last; /* a variable of the loop */
	else if (!is_resumed(w->o, w->f))
		w->seen.end = w->last;
}

/* Makes the next frame the last one, and reads it. */
static enum walk_result
come_to(struct walk *w)
{
	bool free;

	if (!relink(w) || !is_sound(w))
		return WALK_BAD;
	w->last = w->frame;
	w->f = view_at(w->v, w->frame, w->o->frame_size);
	if (w->f == NULL)
		return WALK_MISS;
	free = is_free(w->o, w->f);
	if (w->free && free) /* not its caller, but the next free one */
		return WALK_BAD;
	w->frame = load_u64(w->f + w->o->frame_previous);
	w->free = free && w->frame != 0;
	return w->m->past != NULL && !may_have_resumed(w) ? WALK_BAD : WALK_OK;
}

/* Adds the last frame, and finds the next one if it was suspended. */
static enum walk_result
take(struct walk *w)
{
	bool own = frame_is_own(w->o, w->f), entry = is_entry(w->o, w->f);

	w->root = is_root(w->o, w->f);
	if (relinks(w->m))
		note_seen(w, own);
	if (own && w->c->stack == 0)
		w->c->stack = w->last; /* a variable of the loop */
	w->c->entry = !own ? 0 : w->c->entry != 0 ? w->c->entry : w->last;
	if (!own && w->m->shims != NULL &&
	    shims_has(w->m->shims, code_of(w->o, w->f)))
		return WALK_OK;
	if (!own && !add_frame(w))
		return WALK_MEMORY;
	if (w->m->past != NULL && is_suspended(w->o, w->f))
		w->frame = resumer_of(w);
	w->from_c = entry;
	return WALK_OK;
}

/* Whether a chain has no room left for a frame, a mark before it and a mark at
 * its end. */
static bool
is_full(const struct py_chain *c)
{
	return c->depth > CHAIN_DEPTH_MAX - 3;
}

/* Whether the next frames may be ordinary.  Only entry frames are called from C, and
 * no bytecode is copied; there are no marks to add; and the last frame goes on and is
 * no entry frame. */
static bool
is_ordinary(const struct walk *w)
{
	return py_has_entry_frames(w->o) && !py_copies_bytecode(w->o) && relinks(w->m) &&
	    w->m->gc_frame == 0 && w->c->depth > 0 && !w->from_c &&
	    !w->past && w->told == 0 && !w->seen.entry;
}

/*
 * Adds the next frames as long as they are ordinary, as most of a deep stack
 * are: functions that go on, and called the frame before without leaving the
 * loop.  The result is the same as by come_to and take, in a third of the time.
 */
static enum walk_result
take_ordinary(struct walk *w)
{
	const struct py_offsets *o = w->o;

	while (w->frame != 0 && !is_full(w->c) &&
	    !past_may_lose(&w->seen, w->frame)) {
		const uint8_t *f = view_at(w->v, w->frame, o->frame_size);
		uint64_t code, previous;
		struct py_place *p;

		if (f == NULL || f[o->frame_owner] != PY_OWNER_THREAD)
			break;
		code = code_of(o, f);
		previous = load_u64(f + o->frame_previous);
		if (code == 0 || previous == 0 || !may_call(o, f) ||
		    (w->m->shims != NULL && shims_has(w->m->shims, code)))
			break;
		if (!is_sound(w))
			return WALK_BAD;
		if ((p = next_place(w->c)) == NULL)
			return WALK_MEMORY;
		*p = (struct py_place){.code = code,
		    .instr = instr_of(o, f), .frame = w->frame,
		    .calls = true};
		w->c->live++;
		w->root = false;
		w->last = w->seen.end = w->frame;
		w->frame = previous;
	}
	return WALK_OK;
}

/* Whether the last frame is the root of the thread's last chain, and still leads
 * to the same entry frame. */
static bool
is_at_root(const struct walk *w)
{
	return w->m->entry != 0 && w->frame == w->m->entry &&
	    w->last == w->m->root;
}

/* Ends the walk at that root, as if it had come to the entry frame, too. */
static void
end_at_root(struct walk *w)
{
	struct py_chain *c = w->c;

	c->entry = w->frame;
	if (c->stack == 0)
		c->stack = w->frame;
	w->from_c = true;
}

/* Ends the walk with a mark for the frames that the chain has no room for. */
static enum walk_result
cut_walk(struct walk *w)
{
	struct py_chain *c = w->c;

	c->entry = 0;
	c->returned = c->live == 0;
	c->live++;
	return add_mark(c, PLACE_CUT) ? WALK_OK : WALK_MEMORY;
}

/* The root is called from C in all versions.  From 3.11 on PLACE_NATIVE stands
 * for that, as in CPython 3.15. */
static enum walk_result
end_walk(struct walk *w)
{
	struct py_chain *c = w->c;

	if (w->frame != 0 && !is_at_root(w))
		return cut_walk(w);
	if (is_at_root(w))
		end_at_root(w);
	else if (w->n > 0 && !w->root)
		return WALK_BAD;
	c->returned = c->live == 0 && !is_none(w->o, w->v, w->thread, w->last);
	if (!w->m->native || !w->from_c || c->depth == 0)
		return WALK_OK;
	c->live++;
	return add_mark(c, PLACE_NATIVE) ? WALK_OK : WALK_MEMORY;
}

enum walk_result
walk_frames(const struct py_offsets *o, struct py_view *v, uint64_t thread,
    const struct py_marks *m, struct py_chain *c)
{
	struct walk w = {.o = o, .v = v, .thread = thread, .m = m, .c = c,
	    .from_c = true};
	enum walk_result result;

	c->depth = c->live = 0;
	c->entry = 0;
	c->ending = false;
	result = current_frame(o, v, thread, m, &w.frame, &c->stack);
	if (relinks(m) && result == WALK_OK) {
		w.seen.end = past_stack_end(o, v, thread);
		w.seen.stack = c->stack != 0 ? c->stack : m->stack;
	}
	while (result == WALK_OK && w.frame != 0 && !is_at_root(&w) &&
	    !is_full(c)) {
		if ((result = come_to(&w)) == WALK_OK)
			result = take(&w);
		if (result == WALK_OK && is_ordinary(&w))
			result = take_ordinary(&w);
	}
	return result == WALK_OK ? end_walk(&w) : result;
}
