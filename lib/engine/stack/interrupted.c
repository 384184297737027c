/* SPDX-License-Identifier: ISC */
/* interrupted.c: see interrupted.h. */
#include "engine/stack/interrupted.h"

#include "engine/os/os.h"
#include "engine/stack/read_once.h"
#include "python/traits.h"

#define TRIES 3 /* the code objects may have to be read first, and the thread
		 * may stand amid the making of a call */
#define VALUES 512 /* bytes of a frame's variables and of its evaluation stack */

/* The offset of a field of a thread's state in the snapshot's bytes. */
static uint32_t
place_of_field(const struct stack_reader *c, const struct thread_copy *y,
    uint32_t field)
{
	return (uint32_t)y->at + (field - c->part.low);
}

static void
add_exceptions(const struct stack_reader *c, const struct thread *t,
    const struct thread_copy *y, struct interrupt_way *w)
{
	const struct py_offsets *o = c->offsets;

	if (!py_has(o->thread_exc_info) || !py_has(o->thread_exc_state) ||
	    !py_has(o->exc_item_previous))
		return;
	w->item = place_of_field(c, y, o->thread_exc_info);
	w->item_size = o->exc_item_size;
	w->item_previous = o->exc_item_previous;
	w->item_last = t->py.addr + o->thread_exc_state;
}

/* Asks for copies of the code objects and of the beginnings of their texts.  Where
 * nothing counts code objects, only these copies prove them: they may have been
 * freed before they are read. */
static void
add_codes(const struct stack_reader *c, struct interrupt_way *w)
{
	const struct py_offsets *o = c->offsets;

	w->code_size = o->code_size;
	w->frame_code = o->frame_code;
	w->text[0] = py_has(o->code_qualname) ? o->code_qualname : o->code_name;
	w->text[1] = o->code_filename;
	w->text[2] = o->code_linetable;
	w->text_size = o->unicode_compact_size + CODE_PART_MAX;
}

/* Asks for a copy of the innermost frame's evaluation stack and, at known sites, of the
 * object that it calls. */
static void
add_callable(const struct py_offsets *o, struct interrupt_way *w)
{
	w->narrow = py_frames_are_objects(o);
	w->instr = w->narrow ? o->frame_lasti : o->frame_instr;
	w->frame_code = o->frame_code;
	w->values = o->slots_first + VALUES - o->frame_size;
	w->tags = o->tags;
	w->object_size = o->object_size + CALLABLE_WORDS * sizeof(uint64_t);
	w->head_size = o->object_size;
	w->operand_size = o->object_size + OPERAND_WORDS * sizeof(uint64_t);
	w->self = o->object_size + CALLABLE_SELF * sizeof(uint64_t);
}

/* The way to the frames of a thread.  Its state must be in the snapshot. */
static struct interrupt_way
way_of(const struct stack_reader *c, const struct thread *t,
    const struct thread_copy *y)
{
	const struct py_offsets *o = c->offsets;
	bool told = py_has(o->thread_current_frame);
	struct interrupt_way w = {.frame_size = o->frame_size,
	    .frame_previous = o->frame_previous,
	    .block = py_frames_are_objects(c->offsets) ? 1 : INTERRUPT_BLOCK};

	w.current = place_of_field(c, y, told ? o->thread_current_frame :
					  o->thread_cframe);
	if (!told) {
		w.cframe_size = o->cframe_size;
		w.cframe_current = o->cframe_current_frame;
	}
	add_exceptions(c, t, y, &w);
	if (c->wants.callees)
		add_callable(o, &w);
	w.stack = c->wants.mixed;
	w.kernel = c->wants.kernel;
	w.stack_end = t->memory.needed_end != 0 ? t->memory.needed_end :
						  t->memory.stack_end;
	return w;
}

/* Begins a thread's copy with its state, which is copied before its frames. */
static bool
begin_copy(const struct stack_reader *c, const struct thread *t, struct snapshot *s,
    struct thread_copy *y)
{
	y->first = y->before = s->count;
	y->at = y->before_at = s->size;
	return reader_add_state(c, s, t);
}

/* Notes where the stack of C lies, which is the last range of the copy.  told: it was
 * copied, with these registers. */
static void
note_stack(const struct snapshot *s, struct thread_copy *y, bool told)
{
	const struct range *last = &s->ranges[s->count - 1];

	y->stack.low = last->addr;
	y->stack.size = told ? last->size : 0;
	y->stack.at = s->size - y->stack.size;
}

/* Ends a thread's copy.  Its set is cleared: to copy that from outside, too, would
 * be in vain. */
static void
finish(struct thread *t, const struct snapshot *s, struct thread_copy *y)
{
	y->ranges = s->count - y->first;
	y->how = COPIED_INTERRUPT;
	workset_clear(&t->memory.set);
}

bool
interrupted_spares(const struct thread *t)
{
	return t->interrupt.spared != 0 && clock_ns() < t->interrupt.spared;
}

/* Whether a thread's last stack was too deep for the copy of an interrupt. */
static bool
is_too_deep(const struct thread *t)
{
	return chain_is_cut(&t->last.chain);
}

enum interrupt_result
interrupted_copy(struct interrupts *in, const struct stack_reader *c,
    struct thread *t, struct snapshot *s, struct thread_copy *y)
{
	enum interrupt_result result;
	struct interrupt_way way;
	uint64_t rest;

	if (interrupted_spares(t))
		return INTERRUPT_FAILED;
	if (is_too_deep(t)) {
		t->interrupt.unfit = true;
		return INTERRUPT_FAILED;
	}
	if (!begin_copy(c, t, s, y))
		return INTERRUPT_NOMEM;
	way = way_of(c, t, y);
	result = interrupts_read(in, t->task, t->interrupt.cpu, s, &way, &rest);
	if (result == INTERRUPT_ELSEWHERE || result == INTERRUPT_NOMEM)
		return result;
	t->interrupt.spared = rest > 0 ? clock_ns() + rest : 0;
	t->interrupt.unfit = result == INTERRUPT_FAILED;
	if (result == INTERRUPT_OK) {
		y->kernel = interrupts_kernel(in);
		note_stack(s, y, interrupts_registers(in, &y->stack.registers));
		finish(t, s, y);
	}
	return result;
}

bool
interrupted_ask(const struct stack_reader *c, struct thread *t, struct snapshot *s,
    struct batch_ask *ask)
{
	if (is_too_deep(t) || (c->wants.mixed && t->memory.deep > 0) ||
	    !begin_copy(c, t, s, &t->copy))
		return false;
	ask->task = t->task;
	ask->first = s;
	ask->way = way_of(c, t, &t->copy);
	if (!codes_are_counted(c->codes))
		add_codes(c, &ask->way);
	return true;
}

enum interrupt_result
interrupted_take(const struct batch *b, const struct stack_reader *c,
    struct thread *t, struct snapshot *s)
{
	enum interrupt_result result = begin_copy(c, t, s, &t->copy) ?
	    batch_take(b, s) : INTERRUPT_NOMEM;

	if (result == INTERRUPT_OK) {
		t->copy.kernel = batch_kernel(b);
		note_stack(s, &t->copy, batch_registers(b, &t->copy.stack.registers));
		finish(t, s, &t->copy);
	}
	return result;
}

/* Copies a thread alone, after the words for its stamp and its marks. */
static enum interrupt_result
copy_there(struct interrupts *in, struct stack_reader *c, struct thread *t,
    struct capture *from)
{
	struct snapshot *s = &c->scratch.copy;
	struct thread_copy copy = {.how = COPIED_NOT};
	enum interrupt_result result;
	struct stamp stamp;
	size_t count, gc;

	snapshot_clear(s);
	if (!reader_add_count(c, s, 0, t->py.interp, &count) ||
	    !reader_add_gc(c, s, 0, t->py.interp, &gc))
		return INTERRUPT_NOMEM;
	result = interrupted_copy(in, c, t, s, &copy);
	if (result != INTERRUPT_OK)
		return result;
	stamp = codes_stamp(c->codes, t->py.interp, s->bytes + count,
	    s->bytes + count);
	*from = capture_of(s, &copy, gc, &stamp);
	return result;
}

/* Whether a thread is on another CPU than ->cpu; notes its CPU there. */
static bool
has_moved(const struct stack_reader *c, struct thread *t)
{
	int before = t->interrupt.cpu;

	t->interrupt.cpu = process_thread_cpu(c->process, t->task);
	return t->interrupt.cpu != before;
}

/* Copies a thread on the CPU where it ran last, or, if it has moved, on its new
 * CPU. */
static enum interrupt_result
copy_wherever(struct interrupts *in, struct stack_reader *c, struct thread *t,
    struct capture *from)
{
	enum interrupt_result result = copy_there(in, c, t, from);

	return result == INTERRUPT_ELSEWHERE && has_moved(c, t) ?
	    copy_there(in, c, t, from) : result;
}

struct verdict
interrupted_read(struct interrupts *in, struct stack_reader *c, struct thread *t,
    struct capture *from, struct call_stack *stack)
{
	struct verdict v = {.is = READ_RETRY};
	enum interrupt_result copied;

	for (int i = 0; i < TRIES && verdict_can_improve(&v); i++) {
		copied = copy_wherever(in, c, t, from);
		if (copied != INTERRUPT_OK)
			return (struct verdict){.is = copied == INTERRUPT_NOMEM ?
			    READ_NOMEM : READ_RETRY};
		v = read_once_still(c, t, from, stack);
	}
	return v;
}
