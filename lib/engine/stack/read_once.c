/* SPDX-License-Identifier: ISC */
/* read_once.c: see read_once.h. */
#include "engine/stack/read_once.h"

#include "engine/stack/candidate.h"
#include "engine/stack/seek.h"
#include "python/traits.h"

struct verdict
read_once_still(struct stack_reader *c, struct thread *t, struct capture *from,
    struct call_stack *stack)
{
	enum read_result walked;
	struct verdict v;
	size_t sure;

	reader_trim(c, t);
	walked = candidate_walked(candidate_walk(c, t, from, false, &stack->chain));
	if (walked != READ_SURE)
		return (struct verdict){.is = walked};
	sure = candidate_in_place(&stack->chain,
	    candidate_prove(c, t, from, stack));
	stack->sound = true;
	v = reader_verdict(c, sure,
	    sure == stack->chain.depth && candidate_learn(c, stack));
	if (verdict_believes(&v))
		reader_take_state(c, t, from, true, stack);
	return v;
}

/* Adds the current frame, or the cframe, that the state has to the thread's set.
 * A walk of memory would find the frame that runs by then, which is seldom one of
 * a function that ends soon. */
static void
note_current(const struct stack_reader *c, struct thread *t, const uint8_t *state)
{
	const struct py_offsets *o = c->offsets;
	bool told = py_has(o->thread_current_frame);
	uint64_t addr = reader_state(c, state,
	    told ? o->thread_current_frame : o->thread_cframe);

	if (addr != 0)
		workset_add(&t->memory.set, addr,
		    told ? o->frame_size : o->cframe_size);
}

/* Whether frames of a thread were copied before its state. */
static bool
has_before(const struct capture *from)
{
	return from->first != from->before;
}

/* Makes the view of the state with the frames that were copied before it.  False if
 * out of memory. */
static bool
view_before(struct stack_reader *c, const struct capture *from, struct capture *before)
{
	struct spans *spans = &c->scratch.spans;

	*before = *from;
	spans->count = 0;
	if (!spans_add(spans, from->in, from->first, 1, from->offset) ||
	    !spans_add(spans, from->in, from->before,
		from->first - from->before, from->before_at))
		return false;
	before->view = spans_view(spans);
	return true;
}

/* Walks the view of a capture, into the spare stack.  READ_SURE if all calls of that
 * are known and its innermost frame is not at a call. */
static enum read_result
know_before(struct stack_reader *c, const struct thread *t,
    const struct capture *before)
{
	struct call_stack *found = &c->scratch.spare;
	enum read_result walked = candidate_walked(
	    candidate_walk_view(c, t, before, false, &found->chain));
	size_t proven;

	if (walked != READ_SURE)
		return walked;
	return reader_result(c, found->chain.depth > 0 &&
	    candidate_know(c, t, before, found, &proven) &&
	    !contexts_is_calling(c->contexts, &found->chain));
}

/* Takes the stack of the frames that were copied before the state, if there are any.
 * READ_RETRY if that cannot be believed: the stack is as it was. */
static enum read_result
take_before(struct stack_reader *c, const struct thread *t, const struct capture *from,
    struct call_stack *stack)
{
	struct capture before;
	enum read_result got;

	if (!has_before(from))
		return READ_RETRY;
	if (!view_before(c, from, &before))
		return READ_NOMEM;
	got = know_before(c, t, &before);
	if (got != READ_SURE)
		return got;
	reader_take_state(c, t, &before, false, &c->scratch.spare);
	call_stack_swap(stack, &c->scratch.spare);
	return READ_SURE;
}

/* Whether another frame seems to have taken the place of the current frame: the
 * known stack does not fit the state, or none was walked.  A stack with an unknown
 * call does not count: its frame may only have gone on, and then its former place
 * cannot be found again. */
static bool
is_replaced(const struct stack_reader *c, const struct capture *from,
    const struct call_stack *stack, bool walked, bool known)
{
	return py_state_names_frame(c->offsets) && (known ?
	    !seek_fits(c, &stack->chain, from->state) : !walked);
}

/* Whether a known stack has its innermost frame, as far as can be seen.  Frames that
 * were copied before the state may have another one. */
static bool
is_settled(const struct stack_reader *c, const struct capture *from,
    const struct call_stack *stack)
{
	return !has_before(from) || !contexts_is_calling(c->contexts, &stack->chain);
}

/* Notes what the next read needs, where a capture could not be believed. */
static void
note_failed(struct stack_reader *c, struct thread *t, const struct capture *from,
    const struct call_stack *stack, bool walked, size_t proven)
{
	if (walked && proven == stack->chain.depth)
		colocate_want(&c->colocation, t->task,
		    contexts_is_unsteady(c->contexts));
	else if (!walked && stack->chain.depth == 0)
		note_current(c, t, from->state);
}

/* Looks for a stack of the moment of the state: first for the current frame, then
 * among the frames that were copied before.  READ_RETRY if there is none: the stack
 * is as it was. */
static enum read_result
find_replaced(struct stack_reader *c, struct thread *t, const struct capture *from,
    struct call_stack *stack, bool walked, bool known)
{
	enum read_result got = READ_RETRY;

	if (is_replaced(c, from, stack, walked, known))
		got = seek_frame(c, t, from, known, stack);
	if (got == READ_RETRY && !(known && is_settled(c, from, stack)))
		got = take_before(c, t, from, stack);
	return got;
}

struct verdict
read_once_running(struct stack_reader *c, struct thread *t, struct capture *from,
    struct call_stack *stack)
{
	enum read_result walked, got;
	size_t proven = 0;
	bool known;

	reader_trim(c, t);
	walked = candidate_walked(candidate_walk(c, t, from, true, &stack->chain));
	if (walked == READ_NOMEM)
		return (struct verdict){.is = walked};
	known = walked == READ_SURE && candidate_know(c, t, from, stack, &proven);
	got = find_replaced(c, t, from, stack, walked == READ_SURE, known);
	if (got == READ_NOMEM)
		return (struct verdict){.is = got};
	if (got == READ_RETRY && known)
		reader_take_state(c, t, from, false, stack);
	if (got == READ_SURE || known)
		return (struct verdict){.sure = stack->chain.depth};
	note_failed(c, t, from, stack, walked == READ_SURE, proven);
	return reader_verdict(c, 0, false);
}
