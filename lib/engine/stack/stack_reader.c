/* SPDX-License-Identifier: ISC */
/* stack_reader.c: see stack_reader.h. */
#include "engine/stack/stack_reader.h"

#include <stdlib.h>

#include "python/traits.h"

#define BEFORE_MAX 65536 /* bytes of frames that are copied twice */
#define PATIENCE 3    /* part of an interval that a search may take; see seek.h */
#define PATIENCE_MAX 50000 /* ns: it takes no longer than this */

/* ---- making ------------------------------------------------------------ */

/* Finds the part of a thread state from the first field that is needed to the
 * last. */
static void
find_state_part(struct stack_reader *c)
{
	const struct py_offsets *o = c->offsets;
	uint32_t fields[] = {o->thread_next, o->thread_interp,
	    o->thread_current_frame, o->thread_base_frame,
	    o->thread_cframe, o->thread_stack_top, o->thread_chunk, c->part.id,
	    o->thread_gil_requested, o->thread_status, o->thread_executor,
	    o->thread_raised, o->thread_exc_info, o->thread_exc_state};
	uint32_t high = 0;

	c->part.low = UINT32_MAX;
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		if (!py_has(fields[i]))
			continue;
		if (fields[i] < c->part.low)
			c->part.low = fields[i];
		if (fields[i] > high)
			high = fields[i];
	}
	c->part.size = high - c->part.low + (uint32_t)sizeof(uint64_t);
	/* The exception item in the state is needed whole. */
	if (py_has(o->thread_exc_state) && high == o->thread_exc_state &&
	    py_has(o->exc_item_size) && o->exc_item_size <= o->thread_size - high)
		c->part.size += o->exc_item_size - (uint32_t)sizeof(uint64_t);
}

void
reader_mark_root(const struct stack_reader *c, const struct thread *t,
    struct py_marks *m)
{
	const struct py_chain *last = &t->last.chain;

	if (!py_state_names_frame(c->offsets) || !t->last.sound || last->depth == 0 ||
	    last->entry == 0 || place_is_mark(&last->places[last->depth - 1]))
		return;
	m->root = last->places[last->depth - 1].frame;
	m->entry = last->entry;
}

/* For py_past. */
static size_t
frame_size(const void *arg, uint64_t code)
{
	const struct stack_reader *reader = arg;

	return codes_frame_size(reader->codes, code);
}

static bool
may_call(const void *arg, const struct py_place *caller,
    const struct py_place *callee)
{
	const struct stack_reader *reader = arg;

	return contexts_may_call(reader->contexts, caller, callee);
}

bool
reader_init(struct stack_reader *c, const struct process *p,
    const struct py_runtime *rt, const struct tach_recorder_options *options,
    struct tach_table *table)
{
	*c = (struct stack_reader){.process = p, .offsets = &rt->offsets,
	    .runtime = rt->addr, .wants = {.native = options->native,
	    .kernel = options->kernel,
		.gc = !options->no_gc, .callees = !options->no_callees,
		.mixed = options->mixed != TACH_MIXED_NONE,
		.careful = options->careful}};
	process_memory_init(&c->memory, p->task);
	c->calls = (struct py_calls){c->offsets,
	    py_effects_find(PY_MINOR(rt->version)), &c->memory.memory};
	c->part.id = py_has(rt->offsets.thread_native_thread_id) ?
	    rt->offsets.thread_native_thread_id : rt->offsets.thread_ident;
	find_state_part(c);
	c->scratch.newest = calloc(1, c->part.size + READER_STACK);
	c->scratch.filled = malloc(READER_FILL);
	c->patience = options->interval_ns / PATIENCE < PATIENCE_MAX ?
	    options->interval_ns / PATIENCE : PATIENCE_MAX;
	colocate_init(&c->colocation, p, options->interval_ns);
	c->codes = codes_new(c->offsets, &c->memory.memory, table,
	    options->opcodes);
	if (c->codes != NULL)
		c->contexts = contexts_new(c->offsets, codes_map(c->codes),
		    CONTEXTS_MAX);
	c->past.frame_size = frame_size;
	c->past.calls = may_call;
	c->past.arg = c;
	return c->contexts != NULL && c->scratch.newest != NULL &&
	    c->scratch.filled != NULL;
}

void
reader_free(struct stack_reader *c)
{
	colocate_end(&c->colocation);
	contexts_free(c->contexts);
	codes_free(c->codes);
	free(c->scratch.newest);
	free(c->scratch.filled);
	snapshot_free(&c->scratch.copy);
	spans_free(&c->scratch.spans);
	call_stack_free(&c->scratch.spare);
}

void
reader_trim(struct stack_reader *c, const struct thread *t)
{
	codes_trim(c->codes, t->last.chain.depth);
	contexts_trim(c->contexts);
}

enum read_result
reader_result(const struct stack_reader *c, bool whole)
{
	if (codes_failed(c->codes) || contexts_failed(c->contexts))
		return READ_NOMEM;
	return whole ? READ_SURE : READ_RETRY;
}

struct verdict
reader_verdict(const struct stack_reader *c, size_t sure, bool whole)
{
	struct verdict v = {.is = reader_result(c, whole), .sure = sure};

	if (v.is == READ_RETRY && sure > 0)
		v.is = READ_TORN;
	return v;
}

/* ---- snapshots --------------------------------------------------------- */

bool
reader_add_state(const struct stack_reader *c, struct snapshot *s,
    const struct thread *t)
{
	return snapshot_add(s, t->py.addr + c->part.low, c->part.size);
}

/* The order in which the ranges of a thread's set are copied after its state, as
 * workset_nth takes it: memory that soon changes comes first.  That is the range
 * of the last sample's innermost frame, or, in 3.11 and 3.12, the C stack, which
 * has the address of the current frame. */
static size_t
frames_order(const struct stack_reader *c, const struct thread *t, bool *reversed)
{
	*reversed = !py_state_names_frame(c->offsets);
	return py_state_names_frame(c->offsets) && t->last.chain.depth > 0 ?
	    workset_find(&t->memory.set, t->last.chain.places[0].frame) : 0;
}

bool
reader_add_frames(const struct stack_reader *c, struct snapshot *s,
    const struct thread *t)
{
	bool reversed;
	size_t first = frames_order(c, t, &reversed);

	return snapshot_add_set(s, &t->memory.set, first, reversed);
}

bool
reader_add(const struct stack_reader *c, struct snapshot *s, const struct thread *t)
{
	return reader_add_state(c, s, t) && reader_add_frames(c, s, t);
}

bool
reader_add_before(const struct stack_reader *c, struct snapshot *s,
    const struct thread *t)
{
	return py_frames_are_objects(c->offsets) || py_state_names_frame(c->offsets) ||
	    t->memory.set.bytes > BEFORE_MAX ||
	    snapshot_add_set(s, &t->memory.set, 0, false);
}

bool
reader_drop(const struct stack_reader *c, struct thread *t, size_t n)
{
	bool reversed;
	size_t first = frames_order(c, t, &reversed);

	if (n == 0)
		return false;
	workset_drop(&t->memory.set,
	    workset_nth(&t->memory.set, first, reversed, n - 1));
	return true;
}

bool
reader_add_gc(const struct stack_reader *c, struct snapshot *s, size_t first,
    uint64_t interp, size_t *where)
{
	uint64_t addr;
	size_t size;

	*where = s->size;
	return !c->wants.gc || !status_gc_words(c->offsets, c->runtime, interp, &addr,
	    &size) || snapshot_add_once(s, first, addr, size, where);
}

struct py_marks
reader_marks(const struct stack_reader *c, const struct thread *t,
    const uint8_t *words)
{
	struct py_marks m = {.native = c->wants.native,
	    .shims = codes_shims(c->codes)};
	uint64_t addr;
	size_t size;
	struct py_gc gc;

	if (!c->wants.gc || !status_gc_words(c->offsets, 0, 0, &addr, &size))
		return m;
	gc = status_gc(c->offsets, words);
	m.gc_frame = gc.frame;
	/* To 3.14, the thread that has the GIL is collecting. */
	m.gc_inner = gc.collecting && !py_gc_names_frame(c->offsets) &&
	    t->status.holds_gil;
	return m;
}

uint64_t
reader_state(const struct stack_reader *c, const uint8_t *copy, uint32_t offset)
{
	return load_u64(copy + (offset - c->part.low));
}

bool
reader_add_count(const struct stack_reader *c, struct snapshot *s, size_t first,
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

enum copy_result
reader_note_words(const struct stack_reader *c, struct workset *w, uint64_t interp)
{
	struct range at[CODES_COUNTS];
	size_t n = codes_counts(c->codes, interp, at), size;
	enum copy_result added = COPY_OK;
	uint64_t addr;

	if (n == 1)
		added = workset_add(w, at[0].addr, at[0].size);
	return added == COPY_OK && c->wants.gc &&
		status_gc_words(c->offsets, c->runtime, interp, &addr, &size) ?
	    workset_add(w, addr, size) : added;
}

/* ---- other parts of a thread state ------------------------------------- */

static bool
says_exception(struct stack_reader *c, const struct thread *t, const uint8_t *state)
{
	struct py_span span = {t->py.addr + c->part.low, c->part.size, state};
	struct py_view view = {.memory.read = view_read, .spans = &span,
	    .count = 1};

	return status_exception(c->offsets, &view, &c->memory.memory, t->py.addr,
	    &c->none);
}

/* A running thread may have handled an exception until just before the moment of
 * its stack, or may get one just after: then only one of the two copies has it.  A
 * thread that stood still has all exception items in the copy of an interrupt. */
static bool
has_exception(struct stack_reader *c, const struct thread *t,
    const struct capture *from, bool still)
{
	struct py_view view = from->view;

	if (still)
		return status_exception(c->offsets, &view, &c->memory.memory,
		    t->py.addr, &c->none);
	return says_exception(c, t, from->state) &&
	    (from->after == from->state || says_exception(c, t, from->after));
}

/* The state's field, if there is one; else 0. */
static uint64_t
field_of(const struct stack_reader *c, const uint8_t *state, uint32_t field)
{
	return py_has(field) ? reader_state(c, state, field) : 0;
}

/* The object that the innermost frame of a stack calls, by a capture of one moment. */
static struct called
called_of(struct stack_reader *c, const struct capture *from,
    const struct py_chain *chain)
{
	struct called called = {0};
	const struct py_place *p = chain->places;
	struct py_view view = from->view;
	struct py_code *code;
	struct py_site site;

	if (!c->wants.callees || chain->depth == 0 || place_is_mark(p) || p->left ||
	    (code = codes_code(c->codes, p)) == NULL ||
	    !site_open(&c->calls, &view.memory, code, p, &site))
		return called;
	called.instr = site_instr(&c->calls, &site);
	called.at = site.place - site.frame;
	called_read(c->offsets, &view.memory, site.operator, site.objects, &called.it);
	return called;
}

/* The id is taken from the last copy: a new thread gets its id late. */
void
reader_take_state(struct stack_reader *c, const struct thread *t,
    const struct capture *from, bool still, struct call_stack *stack)
{
	const struct py_offsets *o = c->offsets;

	stack->words = (struct state_words){
	    .tid = reader_state(c, from->after, c->part.id),
	    .wants_gil = (uint32_t)field_of(c, from->state,
		o->thread_gil_requested) != 0,
	    .compiled = field_of(c, from->state, o->thread_executor) != 0,
	    .exception = has_exception(c, t, from, still)};
	stack->called = still ? called_of(c, from, &stack->chain) :
	    (struct called){0};
}
