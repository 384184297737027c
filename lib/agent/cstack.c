/* SPDX-License-Identifier: ISC */
/* cstack.c: see cstack.h. */
#include "agent/cstack.h"

#include <pthread.h>
#include <string.h>
#include <ucontext.h>

#include "agent/agent.h"
#include "python/segments.h"
#include "python/traits.h"

#define WORD 8u
#define RED_ZONE 128 /* bytes below the stack pointer that a function may use */
/* The loop's frame of C ends at most so many bytes above its entry. */
#define LOOP_ABOVE 512
/* The recorder learns from whole stacks where that is, so a thread's first ones are. */
#define WHOLE 16
#define PAGE 4096
#define TOLD_FRAMES 512 /* the first segments are told with their frames */
#define BLOCK 256 /* bytes that are compared at a time */

/* ---- registers ------------------------------------------------------------------ */

#ifdef __x86_64__
#define SP 7
static void
copy_registers(const ucontext_t *u, struct wire_stack *h)
{
	static const uint8_t in_order[WIRE_REGISTERS] = {REG_RAX, REG_RDX, REG_RCX,
	    REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8, REG_R9, REG_R10,
	    REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

	for (unsigned i = 0; i < WIRE_REGISTERS; i++)
		h->registers[i] = (uint64_t)u->uc_mcontext.gregs[in_order[i]];
	h->pc = (uint64_t)u->uc_mcontext.gregs[REG_RIP];
}
#else
#define SP 31
static void
copy_registers(const ucontext_t *u, struct wire_stack *h)
{
	for (unsigned i = 0; i < SP; i++)
		h->registers[i] = u->uc_mcontext.regs[i];
	h->registers[SP] = u->uc_mcontext.sp;
	h->pc = u->uc_mcontext.pc;
}
#endif

/* ---- segments ------------------------------------------------------------------- */

static bool
add_run(struct cstack *s, uint64_t entry, uint64_t frame, uint32_t places)
{
	struct wire_segment *last = s->segments + s->head.segments - 1;

	if (s->head.segments > 0 && entry == 0 && last->entry == 0 && frame == 0 &&
	    last->frame == 0 && last->places == places) {
		last->times++;
		return true;
	}
	if (s->head.segments == WIRE_SEGMENTS)
		return false;
	s->segments[s->head.segments++] = (struct wire_segment){entry, frame, places, 1};
	return true;
}

/* Whether the next place of a chain that is no mark is of a frame; goes on behind it
 * then. */
static bool
is_next_place(const struct py_chain *c, size_t *place, uint64_t frame)
{
	while (*place < c->depth && place_is_mark(&c->places[*place]))
		++*place;
	if (*place == c->depth || c->places[*place].frame != frame)
		return false;
	++*place;
	return true;
}

/* A frame without a place is the interpreter's own, or it begins or has ended. */
static void
find_segments(struct cstack *s, const struct py_offsets *o,
    const struct py_memory *memory, uint64_t state, const struct py_chain *c,
    size_t place)
{
	struct segment_walk w;
	enum segment_step step;
	uint32_t places = 0, left = 2 * WIRE_DEPTH;
	uint64_t frame = 0;

	s->head.segments = 0;
	if (c->depth > c->max || !segment_walk_begin(&w, o, memory, state))
		return;
	while ((step = segment_walk_next(&w)) < SEGMENT_DONE) {
		if (step == SEGMENT_FRAME) {
			places += is_next_place(c, &place, w.at);
			frame = py_frames_are_objects(o) &&
				s->head.segments < TOLD_FRAMES ? w.at : 0;
		} else if (left-- == 0 || !add_run(s, w.at, frame, places))
			return;
		else
			places = 0;
	}
}

/* ---- the stack ------------------------------------------------------------------ */

/* The address up to which the stack is wanted.  A deep stack ends at a page's end, as
 * the previous one may do then. */
static uint64_t
wanted_end(const struct cstack *s, uint64_t low)
{
	uint64_t end = (low + WIRE_STACK) & ~(uint64_t)(PAGE - 1), outermost = 0;

	if ((agent.asked & WIRE_WHOLE) || s->whole < WHOLE)
		return end;
	for (uint32_t i = 0; i < s->head.segments; i++) {
		uint64_t entry = s->segments[i].entry;
		if (entry >= low && entry < end - LOOP_ABOVE && entry > outermost)
			outermost = entry;
	}
	return outermost != 0 ? (outermost + LOOP_ABOVE) & ~(uint64_t)(WORD - 1) : end;
}

/* The end of the stack, if that comes before an address.  The C library has its struct of
 * a thread there; what lies behind it others may unmap while it is read. */
static uint64_t
end_of_thread(uint64_t sp, uint64_t high)
{
	uint64_t self = (uint64_t)(uintptr_t)pthread_self();

	return self > sp && self < high ? self & ~(uint64_t)(WORD - 1) : high;
}

static void
find_stack(struct cstack *s, const struct self_view *v)
{
	uint64_t sp = s->head.registers[SP];
	uint64_t low = (sp - RED_ZONE) & ~(uint64_t)(WORD - 1), high;

	s->head.len = 0;
	if (sp < RED_ZONE || sp > UINT64_MAX - WIRE_STACK)
		return;
	high = end_of_thread(sp, wanted_end(s, low));
	s->whole += s->whole < WHOLE;
	s->head.low = low;
	s->head.len = (uint32_t)self_view_extent(v, low, (size_t)(high - low));
	s->bytes = (const uint8_t *)(uintptr_t)low;
}

/* How many bytes at the end two stacks that end at one address have in common. */
static uint32_t
common_bytes(const uint8_t *a_end, const uint8_t *b_end, uint32_t max)
{
	uint32_t n = 0;

	while (n + BLOCK <= max &&
	    memcmp(a_end - n - BLOCK, b_end - n - BLOCK, BLOCK) == 0)
		n += BLOCK;
	while (n + WORD <= max && memcmp(a_end - n - WORD, b_end - n - WORD, WORD) == 0)
		n += WORD;
	return n;
}

static void
find_shared(struct cstack *s)
{
	uint64_t high = s->head.low + s->head.len;
	uint64_t low = s->head.low > s->prev_low ? s->head.low : s->prev_low;

	s->head.shared = s->head.len == 0 || high != s->prev_high ? 0 :
	    common_bytes(s->bytes + s->head.len, s->prev + WIRE_STACK,
		(uint32_t)(high - low));
}

void
cstack_take(struct cstack *s, const void *context, const struct py_offsets *o,
    struct self_view *v, uint64_t state, const struct py_chain *frames, uint32_t depth)
{
	copy_registers(context, &s->head);
	find_segments(s, o, &v->view.memory, state, frames, frames->depth - depth);
	find_stack(s, v);
	find_shared(s);
}

size_t
cstack_own(const struct cstack *s)
{
	return s->head.len - s->head.shared;
}

void
cstack_keep(struct cstack *s)
{
	memcpy(s->prev + WIRE_STACK - s->head.len, s->bytes, cstack_own(s));
	s->prev_low = s->head.low;
	s->prev_high = s->head.low + s->head.len;
}
