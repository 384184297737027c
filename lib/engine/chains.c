/* SPDX-License-Identifier: ISC */
/* chains.c: see chains.h. */
#include "engine/chains.h"

#include <errno.h>
#include <stdlib.h>
#include <xxhash.h>

#include "engine/clock.h"

#define READ_TRIES 16 /* to see calls go on, from where we are */
#define PAUSES 3      /* for one that is stuck */
#define MOMENT 20000  /* ns */
#define BEFORE_MAX 65536 /* bytes that are copied twice */
#define PATIENCE 3    /* part of an interval that a moment is sought for, ... */
#define PATIENCE_MAX 150000 /* ns */
#define NEAR_MAX 1024 /* bytes: of a frame and its caller */
#define STILL 4	      /* equal reads in a row, of a thread that does not move */
#define NEAR_TRIES 4  /* the same, from the CPU that they run on: memory and
		       * code objects may have to be found first */
#define BLOCKS_KEPT 1024
#define DATA_STACK (16 * 1024) /* bytes: no part of one is smaller */

/* ---- making ------------------------------------------------------------ */

/* The part of a thread state from its first field that we need to its last. */
static void
find_state_part(struct chains *c)
{
	const struct py_offsets *o = c->offsets;
	uint32_t fields[] = {o->thread_next, o->thread_interp,
	    o->thread_current_frame, o->thread_base_frame,
	    o->thread_cframe, o->thread_stack_top, o->thread_chunk, c->id_field,
	    o->thread_gil_requested, o->thread_status, o->thread_executor,
	    o->thread_raised, o->thread_exc_info, o->thread_exc_state};
	uint32_t high = 0;

	c->state_low = UINT32_MAX;
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		if (!py_has(fields[i]))
			continue;
		if (fields[i] < c->state_low)
			c->state_low = fields[i];
		if (fields[i] > high)
			high = fields[i];
	}
	c->state_size = high - c->state_low + (uint32_t)sizeof(uint64_t);
	/* The exception item inside of it is wanted whole. */
	if (py_has(o->thread_exc_state) && high == o->thread_exc_state &&
	    py_has(o->exc_item_size) && o->exc_item_size <= o->thread_size - high)
		c->state_size += o->exc_item_size - (uint32_t)sizeof(uint64_t);
}

bool
chains_init(struct chains *c, const struct process *p,
    const struct py_runtime *rt, const struct tach_recorder_options *options,
    struct tach_table *table)
{
	*c = (struct chains){.process = p, .offsets = &rt->offsets,
	    .runtime = rt->addr, .native = options->native, .gc = !options->no_gc};
	process_memory_init(&c->memory, p->pid);
	c->id_field = py_has(rt->offsets.thread_native_thread_id) ?
	    rt->offsets.thread_native_thread_id : rt->offsets.thread_ident;
	find_state_part(c);
	c->newest = calloc(1, c->state_size + DATA_STACK);
	c->patience = options->interval_ns / PATIENCE < PATIENCE_MAX ?
	    options->interval_ns / PATIENCE : PATIENCE_MAX;
	near_init(&c->near, p, options->interval_ns);
	c->codes = codes_new(c->offsets, &c->memory.memory, table,
	    options->opcodes);
	c->past.frame_size = codes_frame_size;
	c->past.calls = codes_may_call;
	c->past.arg = c->codes;
	return c->codes != NULL && c->newest != NULL;
}

void
chains_free(struct chains *c)
{
	near_break_off(&c->near);
	codes_free(c->codes);
	free(c->newest);
	snapshot_free(&c->one);
	spans_free(&c->spans);
	chain_free(&c->chain);
	chain_free(&c->other);
	inner_free(&c->inner);
}

/* ---- snapshots --------------------------------------------------------- */

static bool
add_state(const struct chains *c, struct snapshot *s, const struct thread *t)
{
	return snapshot_add(s, t->py.addr + c->state_low, c->state_size);
}

/* Whether a thread state says which frame is the current one, and where that
 * ends: from 3.13 on. */
static bool
tells_frame(const struct chains *c)
{
	return py_has(c->offsets->thread_current_frame) &&
	    py_has(c->offsets->thread_stack_top);
}

/* In which order the ranges of a thread's set are copied after its state: first
 * what soon is another.  That is where the last sample's innermost frame was, or,
 * in 3.11 and 3.12, the C stack, which says which frame is the current one. */
static size_t
frames_order(const struct chains *c, const struct thread *t, bool *reversed)
{
	*reversed = !tells_frame(c);
	return tells_frame(c) && t->chain.depth > 0 ?
	    workset_find(&t->set, t->chain.places[0].frame) : 0;
}

static bool
add_frames(const struct chains *c, struct snapshot *s, const struct thread *t)
{
	bool reversed;
	size_t first = frames_order(c, t, &reversed);

	return snapshot_add_set(s, &t->set, first, reversed);
}

bool
chains_add(const struct chains *c, struct snapshot *s, const struct thread *t)
{
	return add_state(c, s, t) && add_frames(c, s, t);
}

bool
chains_add_before(const struct chains *c, struct snapshot *s,
    const struct thread *t)
{
	return !py_has(c->offsets->thread_chunk) || tells_frame(c) ||
	    t->set.bytes > BEFORE_MAX ||
	    snapshot_add_set(s, &t->set, 0, false);
}

bool
chains_drop(const struct chains *c, struct thread *t, size_t n)
{
	bool reversed;
	size_t first = frames_order(c, t, &reversed);

	if (n == 0)
		return false;
	workset_drop(&t->set, workset_nth(&t->set, first, reversed, n - 1));
	return true;
}

bool
chains_add_gc(const struct chains *c, struct snapshot *s, size_t first,
    uint64_t interp, size_t *where)
{
	uint64_t addr;
	size_t size;

	*where = s->size;
	return !c->gc || !status_gc_words(c->offsets, c->runtime, interp, &addr,
	    &size) || snapshot_add_once(s, first, addr, size, where);
}

struct py_marks
chains_marks(const struct chains *c, const struct thread *t,
    const uint8_t *words)
{
	struct py_marks m = {.native = c->native,
	    .shims = codes_shims(c->codes)};
	uint64_t addr;
	size_t size;
	struct py_gc gc;

	if (!c->gc || !status_gc_words(c->offsets, 0, 0, &addr, &size))
		return m;
	gc = status_gc(c->offsets, words);
	m.gc_frame = gc.frame;
	/* Before 3.15, who has the GIL is who collects. */
	m.gc_inner = gc.collecting && !py_has(c->offsets->gc_frame) &&
	    t->holds_gil;
	return m;
}

uint64_t
chains_state(const struct chains *c, const uint8_t *copy, uint32_t offset)
{
	return load_u64(copy + (offset - c->state_low));
}

bool
chains_add_count(const struct chains *c, struct snapshot *s, size_t first,
    uint64_t interp, size_t *where)
{
	struct range at[CODES_COUNTS];
	size_t n = codes_counts(c->codes, interp, at);

	if (n == 1)
		return snapshot_add_once(s, first, at[0].addr, at[0].size,
		    where);
	*where = s->size;
	for (size_t i = 0; i < n; i++)
		if (!snapshot_add(s, at[i].addr, at[i].size))
			return false;
	return true;
}

bool
chains_note_words(const struct chains *c, struct workset *w, uint64_t interp)
{
	struct range at[CODES_COUNTS];
	size_t n = codes_counts(c->codes, interp, at), size;
	uint64_t addr;

	return (n != 1 || workset_add(w, at[0].addr, at[0].size)) &&
	    (!c->gc || !status_gc_words(c->offsets, c->runtime, interp, &addr,
		&size) || workset_add(w, addr, size));
}

/* ---- walks ------------------------------------------------------------- */

/* Walks the copy of a thread that the spans are.  past: with the frames that
 * went on before they were copied. */
static enum walk_result
walk_spans(struct chains *c, const struct thread *t, const struct snapshot *s,
    size_t gc, const struct stamp *stamp, bool past, struct py_chain *chain)
{
	struct py_marks marks = chains_marks(c, t, s->bytes + gc);
	enum walk_result w;
	struct py_view view;

	marks.past = past ? &c->past : NULL;
	marks.stack = t->stack;
	chain->depth = 0;
	view = spans_view(&c->spans);
	w = walk_frames(c->offsets, &view, t->py.addr, &marks, chain);
	chain->ending = chain->ending && !c->native;
	if (w != WALK_OK)
		return w;
	if (!codes_name_past(c->codes, chain))
		chain_drop_past(chain);
	return (chain->returned && chain->depth == 0) ||
		!codes_originals(c->codes, chain, stamp) ? WALK_BAD : WALK_OK;
}

/* Walks n ranges of a snapshot. */
static enum walk_result
walk(struct chains *c, const struct thread *t, const struct snapshot *s,
    size_t first, size_t n, size_t offset, size_t gc,
    const struct stamp *stamp, bool past, struct py_chain *chain)
{
	c->spans.count = 0;
	return !spans_add(&c->spans, s, first, n, offset) ? WALK_MEMORY :
	    walk_spans(c, t, s, gc, stamp, past, chain);
}

/* How many of the newest chain's outermost frames its last sample had. */
static size_t
same_as_last(const struct chains *c, const struct thread *t)
{
	return t->sound && t->replaced == codes_replaced(c->codes) ?
	    chain_shared(&c->chain, &t->chain) : 0;
}

/* How many of the newest chain's outermost frames are where they called the
 * next one, out of those that are proven. */
static size_t
in_place(const struct chains *c, size_t proven)
{
	size_t n = 0;

	while (n < proven && !c->chain.places[c->chain.depth - 1 - n].left)
		n++;
	return n;
}

/* How many of the newest chain's outermost frames are proven by their code
 * objects.  Those of the last sample are, if nothing was counted since; but the
 * innermost of them may have called another one by now.  Where marks are wanted,
 * all must be in place: what C called is told by its stack, which is used again
 * at once. */
static size_t
prove(struct chains *c, const struct thread *t, const struct stamp *stamp)
{
	struct py_chain inner = c->chain;
	size_t known = 0;

	c->stamp = *stamp;
	c->last = same_as_last(c, t);
	if (c->last > 1 && t->count == stamp->count)
		known = c->last - 1;
	inner.depth -= known;
	known += codes_check(c->codes, &inner, stamp);
	return c->native ? in_place(c, known) : known;
}

/* Whether every call of the newest chain is known. */
static bool
is_known(struct chains *c, size_t proven)
{
	c->sound = proven == c->chain.depth &&
	    codes_know_calls(c->codes, &c->chain, c->last);
	if (c->sound)
		chain_note_resumers(&c->chain, c->last, &c->past);
	return c->sound;
}

/* Makes the calls of the newest chain known. */
static bool
learn_calls(struct chains *c)
{
	chain_note_resumers(&c->chain, c->last, &c->past);
	return codes_learn_calls(c->codes, &c->chain, c->last);
}

/* Takes note of the copies of the state that go with the newest chain, the first
 * and the last one.  That has the id: a new thread gets it late. */
static void
note_state(struct chains *c, const uint8_t *state, const uint8_t *after)
{
	c->state = state;
	c->after = after;
	c->tid = chains_state(c, after, c->id_field);
}

/* Walks the copy in a round's snapshot.  Returns how many of the outermost
 * frames are proven, or SIZE_MAX. */
static size_t
walk_copy(struct chains *c, const struct thread *t, const struct snapshot *s,
    size_t gc, const struct stamp *stamp, bool past)
{
	enum walk_result w = walk(c, t, s, t->first, t->set.count + 1, t->copy,
	    gc, stamp, past, &c->chain);

	note_state(c, s->bytes + t->copy, s->bytes + t->copy);
	return w == WALK_OK ? prove(c, t, stamp) : SIZE_MAX;
}

bool
chains_walk(struct chains *c, const struct thread *t, const struct snapshot *s,
    size_t gc, const struct stamp *stamp)
{
	size_t proven;

	codes_trim(c->codes, t->chain.depth);
	proven = walk_copy(c, t, s, gc, stamp, false);
	c->sound = true;
	return proven == c->chain.depth &&
	    in_place(c, proven) == proven && learn_calls(c);
}

/* Adds what the state says that the thread runs to what is read of it.  To be
 * looked for is only what runs when that is done, which is seldom a function
 * that ends soon. */
static void
note_current(const struct chains *c, struct thread *t, const uint8_t *state)
{
	const struct py_offsets *o = c->offsets;
	bool told = py_has(o->thread_current_frame);
	uint64_t addr = chains_state(c, state,
	    told ? o->thread_current_frame : o->thread_cframe);

	if (addr != 0)
		workset_add(&t->set, addr,
		    told ? o->frame_size : o->cframe_size);
}

static void
swap_chains(struct chains *c)
{
	struct py_chain other = c->other;

	c->other = c->chain;
	c->chain = other;
}

/* Whether frames of a thread were copied before its state. */
static bool
has_before(const struct thread *t)
{
	return t->first != t->before;
}

/* Takes the chain of the frames as they were before the state was copied, if
 * every call of it is known.  False: the newest chain is as it was. */
static bool
take_before(struct chains *c, const struct thread *t, const struct snapshot *s,
    size_t gc, const struct stamp *stamp)
{
	size_t last = c->last;
	bool sound = c->sound;

	c->spans.count = 0;
	if (!has_before(t) ||
	    !spans_add(&c->spans, s, t->first, 1, t->copy) ||
	    !spans_add(&c->spans, s, t->before, t->first - t->before,
		t->before_copy))
		return false;
	swap_chains(c);
	if (walk_spans(c, t, s, gc, stamp, false, &c->chain) == WALK_OK &&
	    c->chain.depth > 0 && is_known(c, prove(c, t, stamp)) &&
	    !codes_is_calling(c->codes, &c->chain))
		return true;
	swap_chains(c);
	c->last = last;
	c->sound = sound;
	return false;
}

/* Whether every call of that of a thread that may have run is known. */
static bool
know_copy(struct chains *c, const struct thread *t, const struct snapshot *s,
    size_t gc, const struct stamp *stamp, size_t *proven)
{
	*proven = walk_copy(c, t, s, gc, stamp, true);
	return is_known(c, *proven);
}

/* What a copy of a thread's state says of what it runs. */
struct said {
	uint64_t frame; /* the current one */
	uint64_t end;	/* of what the data stack has */
};

static struct said
what_runs(const struct chains *c, const uint8_t *copy)
{
	const struct py_offsets *o = c->offsets;

	return (struct said){chains_state(c, copy, o->thread_current_frame),
	    chains_state(c, copy, o->thread_stack_top)};
}

/* The newest chain's innermost frame that is on the data stack; or NULL. */
static const struct py_place *
last_on_stack(const struct chains *c)
{
	for (size_t i = 0; i < c->chain.depth; i++)
		if (!c->chain.places[i].resumed &&
		    !place_is_mark(&c->chain.places[i]))
			return &c->chain.places[i];
	return NULL;
}

/* Whether a frame can be the last one of a data stack that ends there: the next
 * one may be in the making, or not be gone yet, and one that is beyond the end
 * has just gone, or come. */
static bool
can_be_last(const struct chains *c, const struct py_place *p, uint64_t end)
{
	const struct py_offsets *o = c->offsets;
	size_t size = codes_frame_size(c->codes, p->code);
	uint64_t room = end - p->frame;

	return size == 0 || room == size ||
	    (int64_t)room < (int64_t)o->frame_size ||
	    (room > size && room - size >= o->frame_size);
}

/* Whether the newest chain is of what a copy of the state said that ran, as far
 * as the sizes of frames tell, and not of what took the place of that until the
 * frames were copied.  Where the state does not say which frame that was, that
 * is not known. */
static bool
fits(const struct chains *c, const uint8_t *copy)
{
	const struct py_place *last = last_on_stack(c);

	return !tells_frame(c) || last == NULL ||
	    can_be_last(c, last, what_runs(c, copy).end);
}

/* Where a frame of the newest chain is, and its caller, if they lie together. */
static struct range
with_caller(const struct chains *c, const struct py_place *p)
{
	const struct py_place *by = p + 1;
	bool together = by < c->chain.places + c->chain.depth &&
	    p->frame - by->frame < NEAR_MAX;
	uint64_t low = together ? by->frame : p->frame;

	return (struct range){low, p->frame - low + c->offsets->frame_size};
}

/* A copy of a thread that is sought. */
struct again {
	struct range near; /* what is soon lost: copied before and after the
			    * state */
	size_t ranges;	   /* of the thread */
	size_t gc;	   /* offset of the words on garbage collection */
	struct stamp stamp;
};

/* Copies a thread once more.  False: it cannot be read. */
static bool
copy_again(struct chains *c, struct thread *t, struct again *a)
{
	struct snapshot *s = &c->one;
	uint64_t before = a->stamp.count;
	size_t count, range;

	snapshot_clear(s);
	if (!snapshot_add(s, a->near.addr, a->near.size) ||
	    !add_state(c, s, t) ||
	    !snapshot_add(s, a->near.addr, a->near.size) ||
	    !add_frames(c, s, t))
		return false;
	a->ranges = s->count;
	if (!chains_add_gc(c, s, 0, t->py.interp, &a->gc) ||
	    !chains_add_count(c, s, s->count, t->py.interp, &count) ||
	    !snapshot_read(s, c->process->pid, &range))
		return false;
	note_state(c, s->bytes + a->near.size, s->bytes + a->near.size);
	a->stamp = codes_stamp(c->codes, t->py.interp, s->bytes + count,
	    s->bytes + count);
	a->stamp.steady = a->stamp.count == before;
	return true;
}

/* Whether what was copied again is of what the state says, with known calls
 * only, inside of the same callers as before; by what was copied before the
 * state, or by what was copied after it. */
static bool
know_again(struct chains *c, const struct thread *t, const struct again *a,
    bool before)
{
	return walk(c, t, &c->one, !before, a->ranges - !before,
		   before ? 0 : a->near.size, a->gc, &a->stamp, true,
		   &c->chain) == WALK_OK &&
	    is_known(c, prove(c, t, &a->stamp)) && fits(c, c->state) &&
	    chain_shared(&c->chain, &c->other) + 2 >= c->other.depth;
}

/* Reads a thread whose newest chain does not fit until its state says the same
 * again, and that has a chain that fits: then it mostly is where it was. */
static bool
seek(struct chains *c, struct thread *t)
{
	struct said wanted = what_runs(c, c->state), now;
	struct again a = {.near = with_caller(c, last_on_stack(c)),
	    .stamp = c->stamp};
	uint64_t until = clock_ns() + c->patience;

	swap_chains(c);
	do {
		c->retries++;
		if (!copy_again(c, t, &a))
			return false;
		now = what_runs(c, c->state);
		if (now.frame == wanted.frame && now.end == wanted.end &&
		    (know_again(c, t, &a, false) || know_again(c, t, &a, true)))
			return true;
	} while (clock_ns() < until);
	return false;
}

bool
chains_know(struct chains *c, struct thread *t, const struct snapshot *s,
    size_t gc, const struct stamp *stamp)
{
	size_t proven;
	bool known;

	codes_trim(c->codes, t->chain.depth);
	inner_clear(&c->inner);
	known = know_copy(c, t, s, gc, stamp, &proven);
	if (known && !fits(c, c->state)) {
		if (seek(c, t))
			return true;
		known = know_copy(c, t, s, gc, stamp, &proven);
	}
	if (known && (!has_before(t) ||
		!codes_is_calling(c->codes, &c->chain)))
		return true;
	if (take_before(c, t, s, gc, stamp) || known)
		return true;
	inner_keep(&c->inner, &c->chain, stamp);
	if (proven == c->chain.depth)
		near_want(&c->near, t->task, false);
	else if (proven == SIZE_MAX && c->chain.depth == 0)
		note_current(c, t, c->state);
	return false;
}

/* A view that reads the blocks that it lacks, and notes them. */
struct growing_view {
	struct py_view view; /* first: fill gets its address */
	struct chains *chains;
	struct thread *thread;
	struct py_span state, stack; /* copies, or nothing */
	struct py_span spans[BLOCKS_KEPT];
};

static void
drop_blocks(struct growing_view *g)
{
	for (size_t i = 0; i < g->view.count; i++)
		free((void *)(uintptr_t)g->spans[i].bytes);
	g->view.count = g->view.hint = 0;
}

/* False: a copy does not have it. */
static bool
read_copy(const struct py_span *copy, struct range r, uint8_t *bytes)
{
	const uint8_t *p = span_at(copy, r.addr, r.size);

	if (p != NULL)
		memcpy(bytes, p, r.size);
	return p != NULL;
}

/* Every snapshot has the thread state anyway: see add_state. */
static bool
fill(struct py_view *v, uint64_t addr, size_t size)
{
	struct growing_view *g = (struct growing_view *)v;
	bool state = span_at(&g->state, addr, size) != NULL;
	/* What lies beside it may be needed, too, and is then to be noted. */
	struct range blocks = state ? (struct range){addr, size} :
				      workset_blocks(addr, size);
	uint8_t *bytes;

	/* Old blocks are not needed again: a chain visits a frame once. */
	if (v->count == BLOCKS_KEPT)
		drop_blocks(g);
	if (blocks.size == 0 || (bytes = malloc(blocks.size)) == NULL)
		return false;
	g->spans[v->count++] =
	    (struct py_span){blocks.addr, blocks.size, bytes};
	return (read_copy(&g->state, blocks, bytes) ||
		   read_copy(&g->stack, blocks, bytes) ||
		   py_read(&g->chains->memory.memory, blocks.addr, bytes,
		       blocks.size)) &&
	    (state || workset_add(&g->thread->set, addr, size));
}

/* Copies a thread's state and then its data stack, where most of its frames
 * lie: what is read one by one may have gone by then.  A new thread may need
 * all of it the next time: it soon has other frames, and may soon end. */
static void
copy_thread(struct chains *c, struct growing_view *g)
{
	uint32_t field = c->offsets->thread_chunk;
	uint64_t chunk = py_has(field) ? chains_state(c, c->state, field) : 0;
	struct thread *t = g->thread;
	struct py_piece pieces[] = {
	    {t->py.addr + c->state_low, c->state_size, c->newest},
	    {chunk, DATA_STACK, c->newest + c->state_size}};
	const struct py_memory *m = &c->memory.memory;
	bool both = chunk != 0 && m->read(m, pieces, 2);

	g->state = g->stack = (struct py_span){0};
	if (both || m->read(m, pieces, 1))
		g->state = (struct py_span){pieces[0].addr, pieces[0].size,
		    pieces[0].buf};
	if (!both)
		return;
	g->stack = (struct py_span){chunk, DATA_STACK, pieces[1].buf};
	if (c->tid != t->tid)
		workset_add(&t->set, chunk, DATA_STACK);
}

/* Walks a thread without a snapshot, only to learn which memory it needs; to
 * seek what is lost needs none that would. */
static void
learn(struct chains *c, struct thread *t)
{
	struct py_marks marks = {.shims = codes_shims(c->codes),
	    .past = &c->past, .native = true};
	struct growing_view g;

	g.chains = c;
	g.thread = t;
	g.view = (struct py_view){.spans = g.spans, .fill = fill};
	copy_thread(c, &g);
	walk_frames(c->offsets, &g.view, t->py.addr, &marks, &c->chain);
	drop_blocks(&g);
}

/* ---- two copies -------------------------------------------------------- */

/* What one read of a running thread gave. */
struct reading {
	size_t head; /* ranges before the first copy */
	size_t gc;   /* offset of the words on garbage collection */
	size_t first, second; /* offsets of the copies */
	struct stamp stamp;
};

/* A range of the two copies could not be read. */
static void
blame(struct thread *t, const struct reading *r, size_t range)
{
	size_t n = range - r->head, count = t->set.count;

	if (n > 0 && n <= count)
		workset_drop(&t->set, count - n);
	else if (n > count && n <= 2 * count)
		workset_drop(&t->set, n - count - 1);
}

/*
 * Reads a thread twice by one call.  What says which frame is current is read
 * first and last: the thread state and, for 3.11 and 3.12, the C stack, which
 * lies above the heap that frames are in.
 */
static bool
take(struct chains *c, struct thread *t, struct reading *r)
{
	struct snapshot *s = &c->one;
	size_t before, after, range;

	snapshot_clear(s);
	if (!chains_add_count(c, s, s->count, t->py.interp, &before) ||
	    !chains_add_gc(c, s, s->count, t->py.interp, &r->gc))
		return false;
	r->head = s->count;
	r->first = s->size;
	if (!add_state(c, s, t) || !snapshot_add_set(s, &t->set, 0, true))
		return false;
	r->second = s->size;
	if (!snapshot_add_set(s, &t->set, 0, false) || !add_state(c, s, t) ||
	    !chains_add_count(c, s, s->count, t->py.interp, &after))
		return false;
	near_begin(&c->near);
	if (!snapshot_read(s, c->process->pid, &range)) {
		c->ended = errno == ESRCH;
		blame(t, r, range);
		snapshot_clear(s);
		return false;
	}
	note_state(c, s->bytes + r->first,
	    s->bytes + r->second + t->set.bytes);
	r->stamp = codes_stamp(c->codes, t->py.interp, s->bytes + before,
	    s->bytes + after);
	return true;
}

/* Whether the thread that was read cannot have run meanwhile, as far as can
 * be known. */
static bool
stood_still(struct chains *c, const struct thread *t)
{
	return t->held || c->nowhere_near || near_held(&c->near, t->task);
}

/* Leaves out of the newest chain what had gone on before it was copied. */
static size_t
drop_past(struct chains *c, const struct thread *t, size_t proven)
{
	chain_drop_past(&c->chain);
	c->last = same_as_last(c, t);
	return in_place(c, proven < c->chain.depth ? proven : c->chain.depth);
}

/* Whether the innermost frame of two copies of a thread that runs may have ended
 * before them: a loop that calls it again has it in both, and the same state,
 * but has gone on itself. */
static bool
has_ended(const struct chains *c)
{
	return c->chain.ending || c->other.ending || !fits(c, c->state) ||
	    !fits(c, c->after);
}

/* Whether all of the newest chain may be believed though not every call is
 * known: the second copy has them, too.  Of a thread that stood still they
 * become known. */
static bool
is_repeated(struct chains *c, const struct thread *t, size_t proven)
{
	bool still;

	if (proven != c->chain.depth || c->chain.depth > c->other.depth ||
	    !chain_continues(&c->chain, &c->other))
		return false;
	still = stood_still(c, t);
	if (!still && has_ended(c))
		return false;
	c->sound = still && learn_calls(c);
	return true;
}

/* The newest chain's n outermost frames. */
static struct py_chain
outermost(const struct chains *c, size_t n)
{
	struct py_chain outer = c->chain;

	outer.places += outer.depth - n;
	outer.depth = n;
	return outer;
}

/* How many of the newest chain's n outermost frames, which are proven, are not
 * called from another place than was known: that looks new, but most often is
 * one of two moments. */
static size_t
trusted(const struct chains *c, size_t n)
{
	struct py_chain outer = outermost(c, n);

	return codes_trust_calls(c->codes, &outer, c->last < n ? c->last : n);
}

/* Whether the newest chain's outermost frame is the first one of its thread's
 * data stack, so that none can have called it.  Where more of that was needed,
 * the state tells only of the last part. */
static bool
is_first(const struct chains *c)
{
	const struct py_offsets *o = c->offsets;
	const struct py_chain *chain = &c->chain;

	return py_has(o->thread_chunk) && chain->depth > 0 &&
	    chain->places[chain->depth - 1].frame ==
	    chains_state(c, c->state, o->thread_chunk) + o->chunk_first;
}

/* Makes the newest chain's outermost frame known as a root, if it is proven and
 * can be none other. */
static bool
learn_root(const struct chains *c, size_t proven)
{
	struct py_chain root;

	if (proven == 0 || !is_first(c))
		return false;
	root = outermost(c, 1);
	return codes_learn_calls(c->codes, &root, 0);
}

/* How many of the newest chain's outermost frames can be believed: none without
 * the root, which what was read of two moments may lack.  What says the same
 * twice from the thread's own CPU is the most that can be had of a long chain
 * on a busy machine. */
static size_t
believe(struct chains *c, const struct thread *t, size_t proven)
{
	bool whole = is_repeated(c, t, proven);
	size_t shared;

	c->trouble = proven == c->chain.depth ? CHAIN_MOVING : CHAIN_UNKNOWN;
	if (!(whole && near_is_at(&c->near, t->task)) &&
	    !codes_know_root(c->codes, &c->chain) &&
	    !learn_root(c, proven)) {
		c->rootless = whole; /* that is not to be had from afar */
		return 0;
	}
	c->rootless = false;
	if (whole)
		return c->sound ? proven : trusted(c, proven);
	shared = chain_shared(&c->chain, &c->other);
	return trusted(c, proven < shared ? proven : shared);
}

/* Walks one of the copies. */
static enum walk_result
walk_one(struct chains *c, struct thread *t, const struct reading *r,
    bool second, struct py_chain *chain)
{
	size_t n = t->set.count + 1;

	return walk(c, t, &c->one, second ? r->head + n : r->head, n,
	    second ? r->second : r->first, r->gc, &r->stamp,
	    !second && !t->held, chain);
}

/* Counts the reads in a row that gave what the newest one gave. */
static void
note_still(struct chains *c, enum walk_result w)
{
	bool same = w == WALK_OK && c->chain.depth == c->other.depth &&
	    chain_shared(&c->chain, &c->other) == c->chain.depth;

	c->still = same ? c->still + 1 : 0;
}

static bool
read_once(struct chains *c, struct thread *t, size_t *sure)
{
	struct reading r;
	enum walk_result w;
	size_t proven = 0;

	*sure = 0;
	c->trouble = CHAIN_UNREADABLE;
	if (!take(c, t, &r))
		return false;
	w = walk_one(c, t, &r, false, &c->chain);
	note_still(c, w);
	if (w == WALK_OK) {
		proven = prove(c, t, &r.stamp);
		if (is_known(c, proven)) {
			*sure = c->chain.depth;
			return true;
		}
		inner_keep(&c->inner, &c->chain, &r.stamp);
		proven = drop_past(c, t, proven);
		w = c->chain.returned && c->chain.depth == 0 ? WALK_BAD :
		    walk_one(c, t, &r, true, &c->other);
	}
	if (w != WALK_OK)
		inner_keep(&c->inner, &c->chain, &r.stamp);
	if (w == WALK_MISS)
		learn(c, t);
	else
		c->trouble = CHAIN_MOVING;
	if (w != WALK_OK)
		return false;
	*sure = believe(c, t, proven);
	return *sure == c->chain.depth;
}

/* Whether the newest read copied what the one before it did, if anything: the
 * thread stands amid the making of a call. */
static bool
is_stuck(struct chains *c)
{
	uint64_t print = XXH3_64bits(c->one.bytes, c->one.size);
	bool same = print == c->print;

	c->print = print;
	return same && c->one.size > 0;
}

/* From where we are.  Where most likely all calls are known, one that is not is
 * more often one of two moments, if the thread moves.  One that is stuck gets a
 * moment to go on in, as we may have its CPU, if it is not held. */
static bool
read_from_here(struct chains *c, struct thread *t, size_t *sure)
{
	bool doubt = false, done = false;
	int pauses = t->held ? 0 : PAUSES;

	c->rootless = false;
	c->other.depth = 0;
	for (int i = 0; i < READ_TRIES && !done && !c->ended && !c->rootless;
	    i++) {
		bool whole = read_once(c, t, sure);
		doubt |= c->rootless || (whole && !c->sound);
		done = whole && (c->sound || t->held || c->still >= STILL ||
			!near_settled(&c->near));
		c->retries += !done;
		if (whole || !is_stuck(c))
			continue;
		if (pauses-- == 0)
			break;
		clock_sleep(clock_ns() + MOMENT);
	}
	if (doubt)
		near_want(&c->near, t->task, true);
	if (done && c->sound && !c->native &&
	    inner_join(&c->inner, c->codes, &c->chain)) {
		c->last = same_as_last(c, t);
		chain_note_resumers(&c->chain, c->last, &c->past);
	}
	inner_clear(&c->inner);
	return done;
}

/* From the CPU that the thread runs on, which has to wait for us. */
static bool
read_from_near(struct chains *c, struct thread *t, size_t *sure)
{
	bool whole = false;

	for (int i = 0; i < NEAR_TRIES && !whole && !c->ended; i++) {
		c->nowhere_near = t->task == 0 ||
		    !near_visit(&c->near, t->task);
		whole = read_once(c, t, sure);
		c->retries++;
	}
	c->nowhere_near = false;
	near_leave(&c->near);
	return whole;
}

/* One that we hold may stand amid the making of a call, which only shows when
 * it goes on. */
bool
chains_read(struct chains *c, struct thread *t, size_t *sure)
{
	codes_trim(c->codes, t->chain.depth);
	if (read_from_here(c, t, sure))
		return true;
	if (t->held)
		return false;
	if (near_is_at(&c->near, t->task)) {
		near_break_off(&c->near);
		if (read_from_here(c, t, sure))
			return true;
	}
	return !c->ended && read_from_near(c, t, sure);
}

/* ---- what else a thread state says ------------------------------------- */

static bool
says_exception(const struct chains *c, const struct thread *t,
    const uint8_t *bytes, struct py_none *none)
{
	struct py_span span = {t->py.addr + c->state_low, c->state_size,
	    bytes};
	struct py_view state = {.memory.read = view_read, .spans = &span,
	    .count = 1};

	return status_exception(c->offsets, &state, &c->memory.memory,
	    t->py.addr, none);
}

/* A thread that runs may have had it in its hands until just before it came to
 * where its chain is, or get it just after: then only one of the two copies has
 * it. */
bool
chains_exception(const struct chains *c, const struct thread *t,
    struct py_none *none)
{
	return says_exception(c, t, c->state, none) &&
	    (c->after == c->state || says_exception(c, t, c->after, none));
}

bool
chains_wants_gil(const struct chains *c)
{
	uint32_t wanted = c->offsets->thread_gil_requested;

	return py_has(wanted) &&
	    (uint32_t)chains_state(c, c->state, wanted) != 0;
}

bool
chains_compiled(const struct chains *c)
{
	uint32_t executor = c->offsets->thread_executor;

	return py_has(executor) && chains_state(c, c->state, executor) != 0;
}
