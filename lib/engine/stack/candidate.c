/* SPDX-License-Identifier: ISC */
/* candidate.c: see candidate.h. */
#include "engine/stack/candidate.h"
#include "python/traits.h"

/* ---- walking it -------------------------------------------------------- */

static enum walk_result
walk_view(struct stack_reader *c, const struct thread *t, const struct capture *from,
    struct py_view *view, bool past, struct py_chain *chain)
{
	struct py_marks marks = reader_marks(c, t, from->gc);
	enum walk_result w;

	marks.past = past ? &c->past : NULL;
	marks.stack = t->last.stack;
	reader_mark_root(c, t, &marks);
	chain->depth = 0;
	w = walk_frames(c->offsets, view, t->py.addr, &marks, chain);
	chain->ending = chain->ending && !c->wants.native;
	if (w != WALK_OK)
		return w;
	if (!codes_name_past(c->codes, chain))
		chain_drop_past(chain);
	if (chain->returned && chain->depth == 0)
		return WALK_BAD;
	if (codes_originals(c->codes, chain, &from->stamp))
		return WALK_OK;
	return codes_failed(c->codes) ? WALK_MEMORY : WALK_BAD;
}

enum walk_result
candidate_walk_view(struct stack_reader *c, const struct thread *t,
    const struct capture *from, bool past, struct py_chain *chain)
{
	struct py_view view = from->view;

	return walk_view(c, t, from, &view, past, chain);
}

/* A view of a capture, for one walk.  Memory that the capture lacks is read when the
 * walk needs it. */
struct filled_view {
	struct py_view view; /* first: fill gets its address */
	struct stack_reader *reader;
	struct thread *thread;
	const struct py_chain *chain;
	size_t used; /* bytes of the scratch for them */
	size_t depth; /* of the chain when memory was read last */
	bool failed;  /* memory of the recorder ran out */
};

static bool
fill_copy(struct py_view *v, uint64_t addr, size_t size)
{
	struct filled_view *f = (struct filled_view *)v;
	struct stack_reader *c = f->reader;
	struct range blocks = workset_blocks(addr, size);
	struct spans *spans = &c->scratch.spans;
	uint8_t *bytes = c->scratch.filled + f->used;
	enum copy_result added;

	if (blocks.size == 0 || blocks.size > READER_FILL - f->used ||
	    !py_read(&c->memory.memory, blocks.addr, bytes, blocks.size))
		return false;
	added = workset_add(&f->thread->memory.set, addr, size);
	if (added == COPY_OK && !spans_add_bytes(spans, blocks, bytes))
		added = COPY_NOMEM;
	f->failed = f->failed || added == COPY_NOMEM;
	if (added != COPY_OK)
		return false;
	f->used += blocks.size;
	f->depth = f->chain->depth;
	v->spans = spans->list;
	v->count = spans->count;
	v->hint = v->count - 1;
	return true;
}

static bool
is_twice_in(const struct py_chain *c, size_t i)
{
	for (size_t n = 0; n < c->depth; n++)
		if (n != i && c->places[n].code == c->places[i].code)
			return true;
	return false;
}

/* Whether frames that were read late cannot be believed.  By then another thread
 * may use them, unless they lead to an outermost frame that was copied.  In a
 * recursion, or in calls from it, they may be at another depth.
 * copied: spans that are not late. */
static bool
is_too_late(const struct filled_view *f, size_t copied)
{
	const struct py_chain *c = f->chain;
	struct py_view copy = {.spans = f->view.spans, .count = copied};

	if (f->used == 0 || c->depth == 0)
		return false;
	for (size_t i = 0; i <= f->depth + 1 && i < c->depth; i++)
		if (is_twice_in(c, i))
			return true;
	return view_find(&copy, c->places[c->depth - 1 -
	    chain_is_cut(c)].frame, 1) == NULL;
}

enum walk_result
candidate_walk(struct stack_reader *c, struct thread *t, struct capture *from,
    bool past, struct py_chain *chain)
{
	struct filled_view f = {.reader = c, .thread = t, .chain = chain};
	struct spans *spans = &c->scratch.spans;
	enum walk_result w;

	spans->count = 0;
	if (!spans_add(spans, from->in, from->first, from->count, from->offset))
		return WALK_MEMORY;
	f.view = spans_view(spans);
	if (past && py_frames_are_objects(c->offsets))
		f.view.fill = fill_copy;
	w = walk_view(c, t, from, &f.view, past, chain);
	from->view = spans_view(spans);
	if (f.failed)
		return WALK_MEMORY;
	return w == WALK_OK && is_too_late(&f, from->count) ? WALK_MISS : w;
}

enum read_result
candidate_walked(enum walk_result w)
{
	return w == WALK_OK ? READ_SURE :
	    w == WALK_MEMORY ? READ_NOMEM : READ_RETRY;
}

/* ---- proving it --------------------------------------------------------- */

size_t
candidate_same_as_last(const struct stack_reader *c, const struct thread *t,
    const struct py_chain *chain)
{
	return t->last.sound && t->last.replaced == codes_replaced(c->codes) ?
	    chain_shared(chain, &t->last.chain) : 0;
}

size_t
candidate_in_place(const struct py_chain *chain, size_t proven)
{
	size_t n = 0;

	while (n < proven && !chain->places[chain->depth - 1 - n].left)
		n++;
	return n;
}

/* Proves a stack of which ->last is set.  Frames of the last sample are proven if the
 * count stood still since, except the innermost of them, which may have made another
 * call by now.  Where marks of native code are wanted, all frames must be in place:
 * calls from C are told by the C stack, which is used again at once. */
static size_t
prove_frames(struct stack_reader *c, const struct thread *t, const struct capture *from,
    struct call_stack *stack)
{
	struct py_view copy = from->view;
	bool copied = from->stamp.past && !codes_are_counted(c->codes);
	struct py_chain inner = stack->chain;
	size_t known = 0;

	stack->stamp = from->stamp;
	if (stack->last > 1 && t->last.count == from->stamp.count)
		known = stack->last - 1;
	inner.depth -= known;
	known += codes_check(c->codes, &inner, &from->stamp,
	    copied ? &copy.memory : NULL);
	return c->wants.native ? candidate_in_place(&stack->chain, known) : known;
}

size_t
candidate_prove(struct stack_reader *c, const struct thread *t,
    const struct capture *from, struct call_stack *stack)
{
	stack->last = candidate_same_as_last(c, t, &stack->chain);
	return prove_frames(c, t, from, stack);
}

static bool
note_sound(struct stack_reader *c, struct call_stack *stack, bool sound)
{
	stack->sound = sound;
	if (sound)
		chain_note_resumers(&stack->chain, stack->last, &c->past);
	return sound;
}

bool
candidate_is_known(struct stack_reader *c, struct call_stack *stack, size_t proven)
{
	return note_sound(c, stack, proven == stack->chain.depth &&
	    contexts_know(c->contexts, &stack->chain, stack->last));
}

bool
candidate_know(struct stack_reader *c, const struct thread *t,
    const struct capture *from, struct call_stack *stack, size_t *proven)
{
	uint64_t replaced = codes_replaced(c->codes);
	bool all;

	*proven = stack->chain.depth;
	stack->last = candidate_same_as_last(c, t, &stack->chain);
	stack->sound = false;
	all = codes_has_all(c->codes, &stack->chain, stack->last);
	if (all && !contexts_know(c->contexts, &stack->chain, stack->last))
		return false;
	*proven = prove_frames(c, t, from, stack);
	return all && replaced == codes_replaced(c->codes) ?
	    note_sound(c, stack, *proven == stack->chain.depth) :
	    candidate_is_known(c, stack, *proven);
}

bool
candidate_learn(struct stack_reader *c, const struct call_stack *stack)
{
	chain_note_resumers(&stack->chain, stack->last, &c->past);
	return contexts_learn(c->contexts, &stack->chain, stack->last);
}
