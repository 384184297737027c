/* SPDX-License-Identifier: ISC */
/* candidate.c: see candidate.h. */
#include "engine/stack/candidate.h"

#define LEFT_MAX 4 /* doubted callers of a chain that are read again */

/* ---- walking it -------------------------------------------------------- */

static enum walk_result
walk_view(struct chains *c, const struct thread *t, const struct copied *from,
    struct py_view *view, bool past, struct py_chain *chain)
{
	struct py_marks marks = chains_marks(c, t, from->in->bytes + from->gc);
	enum walk_result w;

	marks.past = past ? &c->past : NULL;
	marks.stack = t->last.stack;
	chains_mark_root(c, t, &marks);
	chain->depth = 0;
	w = walk_frames(c->offsets, view, t->py.addr, &marks, chain);
	chain->ending = chain->ending && !c->wants.native;
	if (w != WALK_OK)
		return w;
	if (!codes_name_past(c->codes, chain))
		chain_drop_past(chain);
	if (chain->returned && chain->depth == 0)
		return WALK_BAD;
	if (codes_originals(c->codes, chain, from->stamp))
		return WALK_OK;
	return codes_failed(c->codes) ? WALK_MEMORY : WALK_BAD;
}

enum walk_result
candidate_walk_spans(struct chains *c, const struct thread *t,
    const struct copied *from, bool past, struct py_chain *chain)
{
	struct py_view view = spans_view(&c->spans);

	return walk_view(c, t, from, &view, past, chain);
}

/* A view of a copy.  Memory that the copy lacks is read when a walk needs it. */
struct filled_view {
	struct py_view view; /* first: fill gets its address */
	struct chains *chains;
	struct thread *thread;
	const struct py_chain *chain;
	size_t used; /* bytes of ->filled */
	size_t depth; /* of the chain when memory was read last */
	bool failed;  /* memory of the recorder ran out */
};

static bool
fill_copy(struct py_view *v, uint64_t addr, size_t size)
{
	struct filled_view *f = (struct filled_view *)v;
	struct chains *c = f->chains;
	struct range blocks = workset_blocks(addr, size);
	uint8_t *bytes = c->filled + f->used;
	enum copy_result added;

	if (blocks.size == 0 || blocks.size > CHAINS_FILL - f->used ||
	    !py_read(&c->memory.memory, blocks.addr, bytes, blocks.size))
		return false;
	added = workset_add(&f->thread->memory.set, addr, size);
	if (added == COPY_OK && !spans_add_bytes(&c->spans, blocks, bytes))
		added = COPY_NOMEM;
	f->failed = f->failed || added == COPY_NOMEM;
	if (added != COPY_OK)
		return false;
	f->used += blocks.size;
	f->depth = f->chain->depth;
	v->spans = c->spans.list;
	v->count = c->spans.count;
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
candidate_walk(struct chains *c, struct thread *t, const struct copied *from,
    bool past, struct py_chain *chain)
{
	struct filled_view f = {.chains = c, .thread = t, .chain = chain};
	enum walk_result w;

	c->spans.count = 0;
	if (!spans_add(&c->spans, from->in, from->first, from->count,
	    from->offset))
		return WALK_MEMORY;
	f.view = spans_view(&c->spans);
	if (past && chains_lie_apart(c))
		f.view.fill = fill_copy;
	w = walk_view(c, t, from, &f.view, past, chain);
	if (f.failed)
		return WALK_MEMORY;
	return w == WALK_OK && is_too_late(&f, from->count) ? WALK_MISS : w;
}

enum read_result
candidate_walked(enum walk_result w)
{
	return w == WALK_OK ? READ_OK :
	    w == WALK_MEMORY ? READ_NOMEM : READ_TORN;
}

/* ---- proving it --------------------------------------------------------- */

size_t
candidate_same_as_last(const struct chains *c, const struct thread *t)
{
	return t->last.sound && t->last.replaced == codes_replaced(c->codes) ?
	    chain_shared(&c->chain, &t->last.chain) : 0;
}

size_t
candidate_in_place(const struct chains *c, size_t proven)
{
	size_t n = 0;

	while (n < proven && !c->chain.places[c->chain.depth - 1 - n].left)
		n++;
	return n;
}

/* Proves the candidate.  Frames of the last sample are proven if the count stood
 * still since, except the innermost of them, which may have made another call by
 * now.  Where marks of native code are wanted, all frames must be in place: calls
 * from C are told by the C stack, which is used again at once. */
static size_t
prove_frames(struct chains *c, const struct thread *t, const struct stamp *stamp)
{
	struct py_view copy = spans_view(&c->spans);
	bool copied = stamp->past && !codes_are_counted(c->codes);
	struct py_chain inner = c->chain;
	size_t known = 0;

	c->stamp = *stamp;
	if (c->last > 1 && t->last.count == stamp->count)
		known = c->last - 1;
	inner.depth -= known;
	known += codes_check(c->codes, &inner, stamp,
	    copied ? &copy.memory : NULL);
	return c->wants.native ? candidate_in_place(c, known) : known;
}

size_t
candidate_prove(struct chains *c, const struct thread *t,
    const struct stamp *stamp)
{
	c->last = candidate_same_as_last(c, t);
	return prove_frames(c, t, stamp);
}

static bool
note_sound(struct chains *c, bool sound)
{
	c->sound = sound;
	if (sound)
		chain_note_resumers(&c->chain, c->last, &c->past);
	return sound;
}

/* Whether the call that a caller made is over by now.  False if that cannot be
 * read. */
static bool
is_call_over(const struct chains *c, size_t caller)
{
	const struct py_place *by = &c->chain.places[caller], *of = by - 1;
	size_t size = c->offsets->frame_size;
	uint8_t now[2][PY_FRAME_MAX];
	struct py_piece pieces[2];

	while (place_is_mark(of))
		of--;
	pieces[0] = (struct py_piece){by->frame, size, now[0]};
	pieces[1] = (struct py_piece){of->frame, size, now[1]};
	return c->memory.memory.read(&c->memory.memory, pieces, 2) &&
	    frame_call_is_over(c->offsets, by, now[0], of, now[1]);
}

/*
 * Whether all calls of the candidate are known.  A doubted caller is read again: if
 * its call is over by now, it is marked as `left`.  It has gone on from its call to a
 * place of other calls, and mostly has gone on once more by now.  (If it makes a new
 * call, which is as short, a stay learns that call.)  Where marks of native code are
 * wanted, this is not done: all frames must be in place.
 */
static bool
know_calls(struct chains *c, const struct thread *t)
{
	for (int i = 0; !contexts_know(c->contexts, &c->chain, c->last); i++) {
		size_t caller = contexts_doubted(c->contexts);
		if (i == LEFT_MAX || caller == CONTEXTS_NONE || c->wants.native ||
		    !is_call_over(c, caller))
			return false;
		c->chain.places[caller].left = true;
		colocate_want(&c->colocation, t->task, false);
	}
	return true;
}

bool
candidate_is_known(struct chains *c, const struct thread *t, size_t proven)
{
	return note_sound(c, proven == c->chain.depth && know_calls(c, t));
}

bool
candidate_know(struct chains *c, const struct thread *t,
    const struct stamp *stamp, size_t *proven)
{
	uint64_t replaced = codes_replaced(c->codes);
	bool all;

	*proven = c->chain.depth;
	c->last = candidate_same_as_last(c, t);
	c->sound = false;
	all = codes_has_all(c->codes, &c->chain, c->last);
	if (all && !know_calls(c, t))
		return false;
	*proven = prove_frames(c, t, stamp);
	return all && replaced == codes_replaced(c->codes) ?
	    note_sound(c, *proven == c->chain.depth) :
	    candidate_is_known(c, t, *proven);
}

bool
candidate_learn(struct chains *c)
{
	chain_note_resumers(&c->chain, c->last, &c->past);
	return contexts_learn(c->contexts, &c->chain, c->last);
}

/* The id is taken from the last copy: a new thread gets its id late. */
void
candidate_note_state(struct chains *c, const uint8_t *state,
    const uint8_t *after)
{
	c->copies.first = state;
	c->copies.after = after;
	c->copies.tid = chains_state(c, after, c->part.id);
}

void
candidate_swap(struct chains *c)
{
	struct py_chain other = c->other;

	c->other = c->chain;
	c->chain = other;
}
