/* SPDX-License-Identifier: ISC */
/*
 * stack.c: see stack.h.
 *
 * The thread stands still while its own handler runs, and so do its frames.
 * But it may stand in the middle of a call or a return, and then any pointer
 * may be wrong.  Everything is therefore read through a view, whose reads can
 * fail, and a stack counts only if all of it can be a stack.
 */
#include "agent/stack.h"

#include <pthread.h>

#include "agent/agent.h"
#include "agent/ring.h"
#include "agent/waited.h"
#include "agent/waits.h"
#include "python/code.h"
#include "python/copies.h"
#include "python/traits.h"

#define LIST_MAX 100000 /* thread states and interpreters that are looked at */
#define NOT_STARTED UINT32_MAX

static uint64_t
load(struct agent_thread *t, uint64_t addr)
{
	const uint8_t *p = view_at(&t->view.view, addr, sizeof(uint64_t));

	return p != NULL ? load_u64(p) : 0;
}

static uint32_t
load_half(struct agent_thread *t, uint64_t addr)
{
	const uint8_t *p = view_at(&t->view.view, addr, sizeof(uint32_t));

	return p != NULL ? load_u32(p) : 0;
}

/* ---- the thread state ---------------------------------------------------------- */

static bool
is_ours(struct agent_thread *t, const struct wire_python *py, uint64_t state)
{
	return state != 0 && state % sizeof(void *) == 0 &&
	    load(t, state + py->offsets.thread_ident) == t->area->ident;
}

static uint64_t
thread_pointer(void)
{
#ifdef __x86_64__
	uint64_t p;

	__asm__("mov %%fs:0, %0" : "=r"(p));
	return p;
#else
	return (uintptr_t)__builtin_thread_pointer();
#endif
}

static uint64_t
state_by_tls(struct agent_thread *t, const struct wire_python *py)
{
	for (int i = 0; i < 2; i++) {
		uint64_t state;
		if (py->state_tls[i] == 0)
			continue;
		state = load(t, thread_pointer() +
		    (uint64_t)(int64_t)py->state_tls[i]);
		if (is_ours(t, py, state))
			return state;
	}
	return 0;
}

/* Looks through all interpreters' lists for a state of the thread.  wanted: the
 * only address to accept, where a state may have been freed; 0: any.  Returns 0
 * if there is none. */
static uint64_t
state_by_lists(struct agent_thread *t, const struct wire_python *py,
    uint64_t wanted)
{
	const struct py_offsets *o = &py->offsets;
	uint64_t interp = load(t, py->runtime + o->runtime_interpreters_head);
	int left = LIST_MAX;

	for (; interp != 0 && left > 0; left--) {
		uint64_t state = load(t, interp + o->interp_threads_head);
		for (; state != 0 && left > 0; left--) {
			if ((wanted == 0 || state == wanted) &&
			    is_ours(t, py, state))
				return state;
			state = load(t, state + o->thread_next);
		}
		interp = load(t, interp + o->interp_next);
	}
	return 0;
}

/* The thread state that holds the GIL at an address; 0 if none does. */
static uint64_t
gil_holder(struct agent_thread *t, const struct py_offsets *o, uint64_t gil)
{
	if (py_has(o->gil_locked) &&
	    (int32_t)load_half(t, gil + o->gil_locked) <= 0)
		return 0;
	return load(t, gil + o->gil_holder);
}

/*
 * The thread's state in another interpreter, or 0.  To 3.11 the key holds the
 * first state that a thread got.  A thread that then runs in another
 * interpreter takes the one GIL by its state there.  The GIL still names that
 * state when the thread has come back, and even when the state was freed.
 */
static uint64_t
other_state(struct agent_thread *t, const struct wire_python *py, uint64_t state)
{
	const struct py_offsets *o = &py->offsets;
	uint64_t holder;

	if (!py_has_one_gil(o))
		return 0;
	holder = load(t, py->runtime + o->runtime_gil + o->gil_holder);
	return holder != state && is_ours(t, py, holder) ?
	    state_by_lists(t, py, holder) : 0;
}

static uint64_t
find_state(struct agent_thread *t, const struct wire_python *py)
{
	uint64_t state;

	if (py->state_key >= 0) {
		state = (uint64_t)(uintptr_t)pthread_getspecific(
		    (pthread_key_t)py->state_key);
		return is_ours(t, py, state) ? state : 0;
	}
	if (py->state_tls[0] != 0 || py->state_tls[1] != 0)
		return state_by_tls(t, py);
	return state_by_lists(t, py, 0);
}

/* ---- status -------------------------------------------------------------------- */

/* The address of the GIL that an interpreter's threads need; 0 if there is
 * none. */
static uint64_t
gil_of(struct agent_thread *t, const struct wire_python *py, uint64_t interp)
{
	const struct py_offsets *o = &py->offsets;

	if (py_is_free_threaded(o))
		return 0;
	if (py_has_one_gil(o))
		return py->runtime + o->runtime_gil;
	return py_has(o->interp_gil) ? load(t, interp + o->interp_gil) : 0;
}

static bool
wants_gil(struct agent_thread *t, const struct py_offsets *o, uint64_t state,
    uint64_t gil)
{
	return (py_has(o->thread_gil_requested) &&
		   load_half(t, state + o->thread_gil_requested) != 0) ||
	    (gil != 0 && status_waits(o, gil, wait_place()));
}

/* True if the thread holds the GIL, by this state or by its state in another
 * interpreter (see other_state). */
static bool
holds(struct agent_thread *t, const struct wire_python *py, uint64_t state,
    uint64_t holder)
{
	return holder == state ||
	    (py_has_one_gil(&py->offsets) && is_ours(t, py, holder));
}

static uint32_t
flags_of(struct agent_thread *t, const struct wire_python *py, uint64_t state,
    uint64_t interp)
{
	const struct py_offsets *o = &py->offsets;
	bool has_gil = !py_is_free_threaded(o);
	uint64_t gil = gil_of(t, py, interp),
		 holder = has_gil && gil != 0 ? gil_holder(t, o, gil) : 0;
	uint32_t flags = 0;

	if (has_gil ? holder != 0 && holds(t, py, state, holder) :
	    (load_half(t, state + o->thread_status) & o->active) != 0)
		flags |= WIRE_HOLDS_GIL;
	else if (holder != 0)
		flags |= WIRE_OTHER_HAS_GIL;
	if (!(flags & WIRE_HOLDS_GIL) && wants_gil(t, o, state, gil))
		flags |= WIRE_WANTS_GIL;
	if (status_exception(o, &t->view.view, &t->view.view.memory, state,
		&t->none))
		flags |= WIRE_EXCEPTION;
	if (py_has(o->thread_executor) &&
	    load(t, state + o->thread_executor) != 0)
		flags |= WIRE_COMPILED;
	return flags;
}

static struct py_marks
marks_of(struct agent_thread *t, const struct wire_python *py, uint64_t interp,
    uint32_t flags)
{
	const struct py_offsets *o = &py->offsets;
	struct py_marks m = {.native = (agent.asked & WIRE_NATIVE) != 0,
	    .shims = &t->shims};
	const uint8_t *words;
	uint64_t addr;
	size_t size;
	struct py_gc gc;

	if ((agent.asked & WIRE_NO_GC) ||
	    !status_gc_words(o, py->runtime, interp, &addr, &size) ||
	    (words = view_at(&t->view.view, addr, size)) == NULL)
		return m;
	gc = status_gc(o, words);
	m.gc_frame = gc.frame;
	/* To 3.14 no frame is named: the thread with the GIL collects. */
	m.gc_inner = gc.collecting && !py_gc_names_frame(o) &&
	    (flags & WIRE_HOLDS_GIL);
	return m;
}

/* ---- frames -------------------------------------------------------------------- */

/* Moves a place in a copy of the bytecode to the original.  False if the copy
 * cannot be found. */
static bool
to_original(struct agent_thread *t, const struct py_offsets *o, struct py_place *p)
{
	uint64_t copy;

	if (!code_copy(o, &t->view.view.memory, p->code, p->copy, &copy))
		return false;
	p->instr = p->instr - copy + p->code + o->code_bytecode;
	p->copy = 0;
	return true;
}

/*
 * The opcode at a code unit, in the form that the interpreter has made of it
 * by now; NO_OPCODE if it is not known.  To 3.12 a frame that calls is at the
 * last cache of its instruction.  Only a walk from the first code unit on tells
 * caches from instructions.
 */
static uint8_t
opcode_at(struct agent_thread *t, const struct wire_python *py, uint64_t code,
    uint32_t unit)
{
	const struct py_offsets *o = &py->offsets;
	const struct py_layout *l = py_layout_find(PY_MINOR(py->version),
	    py_is_free_threaded(o));
	uint64_t bytecode = py_has(o->code_code) ?
	    load(t, code + o->code_code) + o->bytes_data :
	    code + o->code_bytecode;
	const uint8_t *p = view_at(&t->view.view, bytecode, 2 * unit + 2);
	uint32_t i = 0;

	if (p == NULL || l == NULL)
		return NO_OPCODE;
	while (i < unit) {
		uint8_t known = l->opcodes[p[2 * i]];
		uint32_t next = i + 1 + (known & PY_OPCODE_CACHES);
		if (known & PY_OPCODE_HIDES)
			return p[2 * unit];
		if (next > unit)
			break;
		i = next;
	}
	return p[2 * i];
}

static uint16_t
mark_of(const struct py_place *p)
{
	return p->code == PLACE_GC ? WIRE_MARK_GC :
	    p->code == PLACE_CUT ? WIRE_MARK_CUT : WIRE_MARK_NATIVE;
}

/* The result for a place. */
enum frame_result {
	FRAME_OK,
	FRAME_LAST, /* the frame that it seems to have called has returned */
	FRAME_SHIM, /* a shim, noted: the next walk passes over it */
	FRAME_BAD,
	FRAME_FULL, /* see CODES_FULL */
	FRAME_NO_ROOM,
};

static enum frame_result
frame_result_of(enum codes_result r)
{
	return r == CODES_BAD ? FRAME_BAD :
	    r == CODES_FULL ? FRAME_FULL : FRAME_NO_ROOM;
}

static enum frame_result
make_frame(struct agent_thread *t, const struct wire_python *py, struct py_place *p,
    struct wire_frame *f)
{
	const struct py_offsets *o = &py->offsets;
	const struct code_entry *e;
	enum codes_result r;
	uint32_t number;
	int64_t off;
	bool copy;

	*f = (struct wire_frame){.code = mark_of(p), .opcode = NO_OPCODE};
	if (place_is_mark(p))
		return FRAME_OK;
	r = codes_number(&t->codes, o, &t->view, t->area, p->code, &number);
	if (r != CODES_OK)
		return frame_result_of(r);
	e = &t->codes.entries[number];
	copy = p->copy != 0;
	if (e->shim) {
		shims_note(&t->shims, p->code, true);
		return FRAME_SHIM;
	}
	if (copy && !to_original(t, o, p))
		return FRAME_BAD;
	off = (int64_t)(p->instr - p->code - o->code_bytecode);
	/* At -1 or -2 the frame has not begun, and cannot have called. */
	if (off < (p->calls && !copy ? 0 : -2) || off >= 2 * (int64_t)e->units)
		return FRAME_BAD;
	f->code = (uint16_t)number;
	f->instr = off < 0 ? NOT_STARTED : (uint32_t)off;
	if ((agent.asked & WIRE_OPCODES) && off >= 0)
		f->opcode = opcode_at(t, py, p->code, (uint32_t)off / 2);
	/* In a frame that runs the original, walk_frames has checked this. */
	return copy && p->calls && off <= 0 ? FRAME_LAST : FRAME_OK;
}

/* Makes frames of a chain's places, from the outermost one on.  The frames lie
 * at the end of t->frames. */
static enum frame_result
make_frames(struct agent_thread *t, const struct wire_python *py,
    const struct py_chain *c, uint32_t *depth)
{
	struct wire_frame *end = t->frames + WIRE_DEPTH;
	enum frame_result r = FRAME_OK;
	uint32_t n = 0;

	for (size_t i = 0; i < c->depth && r != FRAME_LAST; i++) {
		struct py_place p =
		    c->places[(c->depth - 1 - i) & (c->max - 1)];
		r = make_frame(t, py, &p, end - n - 1);
		if (r >= FRAME_SHIM)
			return r;
		n++;
	}
	*depth = n;
	return FRAME_OK;
}

/* Makes the frames of a chain; gives all numbers anew if none is free. */
static enum frame_result
make_all(struct agent_thread *t, const struct wire_python *py,
    const struct py_chain *c, uint32_t *depth)
{
	enum frame_result r = make_frames(t, py, c, depth);

	if (r != FRAME_FULL)
		return r;
	codes_clear(&t->codes);
	return make_frames(t, py, c, depth);
}

/* ---- what is called -------------------------------------------------- */

/* The place in a frame of the object that it calls from an instruction; 0: not known. */
static uint64_t
place_of_call(const struct wire_slot *slot, uint64_t instr)
{
	const struct wire_site *s = &slot->sites[WIRE_SITE(instr)];

	for (size_t i = 0; i < WIRE_SITE_WAYS; i++)
		if (atomic_load_explicit(&s[i].instr, memory_order_acquire) == instr)
			return atomic_load_explicit(&s[i].place, memory_order_relaxed);
	return 0;
}

/* Whether the top of a frame's stack is where a call has it.  A frame that has it has an
 * old one while no code of C runs. */
static bool
has_top(struct agent_thread *t, const struct py_offsets *o, uint64_t frame,
    uint64_t base, uint64_t top)
{
	return top == 0 || !py_has(o->frame_stack) ||
	    load(t, frame + o->frame_stack) == base + top;
}

/* Reads the object that a frame calls from an instruction, or the operands of its
 * operator, if that is one of the sites. */
static bool
find_called(struct agent_thread *t, const struct wire_slot *slot,
    const struct py_place *p, uint64_t instr, struct wire_called *c)
{
	const struct py_offsets *o = &slot->python.offsets;
	uint64_t base = py_frames_are_objects(o) ?
	    load(t, p->frame + o->frame_values) : p->frame;
	uint64_t slot_addr, objects[CALLED_OBJECTS];
	enum py_operator operator;

	if ((c->place = place_of_call(slot, instr)) == 0 ||
	    !has_top(t, o, p->frame, base, c->place >> WIRE_TOP_BIT))
		return false;
	operator = (enum py_operator)(c->place >> WIRE_AT_BITS & 0xff);
	slot_addr = base + (c->place & ((1u << WIRE_AT_BITS) - 1));
	for (size_t i = 0; i < CALLED_OBJECTS; i++)
		objects[i] = frame_untag(o,
		    load(t, slot_addr + i * sizeof(*objects)));
	if (objects[0] == 0 && operator == PY_CALL)
		objects[0] = objects[1];
	return objects[0] != 0 && called_read(o, &t->view.view.memory, operator,
	    objects, &c->called);
}

/* ---- samples ------------------------------------------------------------------- */

/* The number of outermost frames that the ring's previous sample has, too. */
static uint32_t
shared_frames(struct agent_thread *t, uint32_t depth)
{
	const struct wire_frame *a = t->frames + WIRE_DEPTH;
	const struct wire_frame *b = t->prev + WIRE_DEPTH;
	uint32_t n = 0;

	if (t->codes.changed) /* a number may stand for another code object */
		t->prev_depth = 0;
	t->codes.changed = false;
	while (n < depth && n < t->prev_depth &&
	    memcmp(a - n - 1, b - n - 1, sizeof(*a)) == 0)
		n++;
	return n;
}

/* Puts a record that is made of pieces. */
static bool
put_pieces(struct agent_thread *t, struct wire_sample *s, const struct ring_piece *p,
    size_t n)
{
	s->record = (struct wire_record){.kind = WIRE_SAMPLE};
	for (size_t i = 0; i < n; i++)
		s->record.size += (uint32_t)p[i].size;
	return ring_put(t->area, p, n);
}

static bool
put(struct agent_thread *t, struct wire_sample *s, const struct wire_called *called,
    const struct wire_waited *waited)
{
	uint32_t own = s->depth - s->shared;
	size_t size = own * sizeof(*t->frames);
	const struct wire_frame *frames = t->frames + WIRE_DEPTH - s->depth;
	const struct cstack *c = &t->cstack;
	struct ring_piece pieces[] = {{s, sizeof(*s)}, {frames, size},
	    {called, s->flags & WIRE_CALLS ? sizeof(*called) : 0},
	    {waited, s->flags & WIRE_HAS_WAIT ? sizeof(*waited) : 0},
	    {&c->head, sizeof(c->head)},
	    {c->segments, c->head.segments * sizeof(*c->segments)},
	    {c->bytes, cstack_own(c)}};

	if ((s->flags & WIRE_HAS_STACK) && put_pieces(t, s, pieces, 7))
		cstack_keep(&t->cstack);
	else {
		s->flags &= ~(uint32_t)WIRE_HAS_STACK;
		if (!put_pieces(t, s, pieces, 4))
			return false;
	}
	memcpy(t->prev + WIRE_DEPTH - s->depth, frames, size);
	t->prev_depth = s->depth;
	return true;
}

/* Walks the frames of a thread state; fills in the sample's interpreter and
 * flags. */
static enum walk_result
walk(struct agent_thread *t, const struct wire_python *py, uint64_t state,
    struct wire_sample *s, struct py_chain *c)
{
	uint64_t interp = load(t, state + py->offsets.thread_interp);
	struct py_marks marks;

	s->interp = (uint32_t)load(t, interp + py->offsets.interp_id);
	s->flags = flags_of(t, py, state, interp);
	marks = marks_of(t, py, interp, s->flags);
	return walk_frames(&py->offsets, &t->view.view, state, &marks, c);
}

/* Walks the frames of the thread's other state, or, if that gives none, of *state,
 * which becomes the one that was walked. */
static enum walk_result
walk_any(struct agent_thread *t, const struct wire_python *py, uint64_t *state,
    struct wire_sample *s, struct py_chain *c)
{
	uint64_t other = other_state(t, py, *state);

	c->depth = 0;
	if (other != 0 && walk(t, py, other, s, c) == WALK_OK && c->depth > 0) {
		*state = other;
		return WALK_OK;
	}
	return walk(t, py, *state, s, c);
}

/* Makes the frames of a state, which becomes the one that they are of.  A shim stays at
 * its first instruction, so that the frame that it called seems to have returned.  A
 * walk that comes to a new shim is therefore repeated. */
static enum frame_result
make_stack(struct agent_thread *t, const struct wire_python *py, uint64_t *state,
    struct wire_sample *s, struct py_chain *c)
{
	enum frame_result r = FRAME_SHIM;

	for (int i = 0; i <= SHIMS_MAX && r == FRAME_SHIM; i++) {
		if (walk_any(t, py, state, s, c) != WALK_OK)
			return FRAME_BAD;
		r = make_all(t, py, c, &s->depth);
	}
	return r;
}

enum wire_drop
stack_put(struct agent_thread *t, struct wire_slot *slot, uint64_t time,
    uint32_t weight, uint32_t flags, const void *context)
{
	const struct wire_python *py = &slot->python;
	struct wire_sample s = {.time = time, .weight = weight};
	struct py_chain chain = {.places = t->places, .max = WIRE_DEPTH,
	    .fixed = true};
	const struct wire_frame *f;
	struct wire_called called;
	struct wire_waited waited;
	struct py_place innermost;
	enum frame_result r;
	uint64_t state;

	if (atomic_load_explicit(&slot->state, memory_order_acquire) !=
	    WIRE_SLOT_LIVE)
		return WIRE_DROP_EARLY;
	self_view_begin(&t->view, time);
	if (py->code_type != 0)
		t->codes.type = py->code_type;
	if ((state = find_state(t, py)) == 0)
		return WIRE_DROP_STATE;
	r = make_stack(t, py, &state, &s, &chain);
	if (r == FRAME_BAD || r == FRAME_SHIM)
		return WIRE_DROP_INVALID;
	if (r != FRAME_OK)
		return WIRE_DROP_FULL;
	f = t->frames + WIRE_DEPTH - s.depth;
	innermost = chain.places[(chain.depth - s.depth) & (WIRE_DEPTH - 1)];
	if (s.depth > 0 && !place_is_mark(&innermost) && f->instr != NOT_STARTED &&
	    find_called(t, slot, &innermost, innermost.code + f->instr, &called))
		flags |= WIRE_CALLS;
	if ((flags & WIRE_WAITED) && (agent.asked & WIRE_REASONS)) {
		waited_take(&t->view, &py->offsets, state,
		    gil_of(t, py, load(t, state + py->offsets.thread_interp)), &waited);
		flags |= WIRE_HAS_WAIT;
	}
	if (agent.asked & WIRE_STACKS) {
		cstack_take(&t->cstack, context, &py->offsets, &t->view, state,
		    &chain, s.depth);
		flags |= WIRE_HAS_STACK;
	}
	s.flags |= flags;
	s.shared = shared_frames(t, s.depth);
	return put(t, &s, &called, &waited) ? STACK_TAKEN : WIRE_DROP_FULL;
}
