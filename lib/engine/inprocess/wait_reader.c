/* SPDX-License-Identifier: ISC */
/* wait_reader.c: see wait_reader.h. */
#include "engine/inprocess/wait_reader.h"

#include <stdlib.h>
#include <string.h>

#include "engine/sample/callees.h"
#include "engine/sample/emit.h"
#include "engine/stack/read_twice.h"
#include "engine/threads/interps.h"
#include "engine/waits/waits.h"
#include "hash.h"
#include "python/traits.h"

/* A sink that keeps its last run. */
struct catcher {
	struct tach_sink sink;
	struct tach_run run;
};

#define TOLD_KNOWN 256 /* a power of two */

/* All that the reason for a wait follows from, without padding. */
struct told_key {
	uint32_t frames[WAITS_CALLERS], depth, callee;
	struct wire_waited waited;
};

/* Waits that were told of, by a hash of these. */
struct told_known {
	struct told_key key;
	uint32_t frame; /* TACH_NONE: there is none */
};

struct wait_reader {
	/* Borrowed from the caller, and valid as long as the reader. */
	const struct process *process;
	const struct py_runtime *runtime;
	struct thread_names *names;
	struct stack_reader reader;
	struct waits *waits; /* NULL: not asked for */
	struct told_known told[TOLD_KNOWN];
	struct mixed *mixed; /* NULL: frames of C are not asked for; borrowed */
	struct native_room room;
	struct emitter emitter;
	struct callees callees;
	struct catcher catcher;
	struct py_threads list;
	struct threads threads;
	struct interps interps;
	struct snapshot globals;
	struct spans spans;
	/* Of one thread: the stack that was read last, and the one to be sampled. */
	struct call_stack stack, deepest;
};

/* ---- making -------------------------------------------------------------- */

static int
catch(struct tach_sink *sink, const struct tach_run *run)
{
	((struct catcher *)sink)->run = *run;
	return TACH_OK;
}

struct wait_reader *
wait_reader_new(const struct process *p, const struct py_runtime *rt,
    const struct tach_recorder_options *options, struct tach_table *table,
    struct thread_names *names, struct mixed *mixed)
{
	struct wait_reader *w = calloc(1, sizeof(*w));

	if (w == NULL)
		return NULL;
	w->process = p;
	w->runtime = rt;
	w->names = names;
	w->mixed = mixed;
	w->interps.runtime = rt;
	for (size_t i = 0; i < TOLD_KNOWN; i++)
		w->told[i].frame = TACH_NONE;
	w->catcher.sink = (struct tach_sink){.size = sizeof(w->catcher.sink),
	    .run = catch};
	if (!reader_init(&w->reader, p, rt, options, table) ||
	    (options->waits != TACH_WAITS_NONE &&
		(w->waits = waits_new(p, rt, options, table, &(struct waits_place){
		    &w->reader.memory.memory, w->reader.codes, &w->threads})) == NULL)) {
		reader_free(&w->reader);
		free(w);
		return NULL;
	}
	emitter_init(&w->emitter, table, names, w->reader.codes);
	w->emitter.opcodes = options->opcodes;
	callees_init(&w->callees, &w->reader.calls, w->reader.codes, table);
	return w;
}

void
wait_reader_free(struct wait_reader *w)
{
	if (w == NULL)
		return;
	emitter_free(&w->emitter);
	callees_free(&w->callees);
	waits_free(w->waits);
	native_room_free(&w->room);
	reader_free(&w->reader);
	runtime_threads_free(&w->list);
	threads_free(&w->threads);
	interps_free(&w->interps);
	snapshot_free(&w->globals);
	spans_free(&w->spans);
	call_stack_free(&w->stack);
	call_stack_free(&w->deepest);
	free(w);
}

/* ---- looks --------------------------------------------------------------- */

/* Reads the interpreters' GILs. */
static bool
look_at_gils(struct wait_reader *w)
{
	struct py_view view;
	size_t failed, first, at;

	snapshot_clear(&w->globals);
	w->spans.count = 0;
	if (!interps_add_switches(&w->interps, &w->globals))
		return false;
	first = w->globals.count;
	at = w->globals.size;
	if (!snapshot_add_set(&w->globals, &w->interps.globals, 0, false) ||
	    !snapshot_read(&w->globals, w->process->task, &failed) ||
	    !spans_add(&w->spans, &w->globals, first, w->globals.count - first, at))
		return false;
	view = spans_view(&w->spans);
	for (size_t i = 0; i < w->interps.count; i++)
		if (!interp_look(&w->interps, &w->interps.list[i], &view,
			&w->globals))
			return false;
	return true;
}

/* Reads the pthread_self of a state's thread, and finds its interpreter. */
static bool
place(const struct wait_reader *w, struct thread *t)
{
	if (!py_read(&w->reader.memory.memory,
		t->py.addr + w->runtime->offsets.thread_ident, &t->id.pthread,
		sizeof(t->id.pthread)))
		return false;
	t->interp = 0;
	while (t->interp < w->interps.count &&
	    w->interps.list[t->interp].addr != t->py.interp)
		t->interp++;
	return t->interp < w->interps.count;
}

bool
wait_reader_look(struct wait_reader *w)
{
	const struct py_memory *m = &w->reader.memory.memory;

	if (!runtime_threads(m, w->runtime, &w->list) ||
	    !threads_update(&w->threads, &w->list) ||
	    interps_update(&w->interps, m, &w->list) != COPY_OK ||
	    !look_at_gils(w))
		return false;
	for (size_t i = 0; i < w->threads.count; i++)
		if (!place(w, &w->threads.list[i]))
			return false;
	return true;
}

/* ---- one thread ---------------------------------------------------------- */

static bool
waiter_holds_gil(const struct wait_reader *w, const struct thread *t)
{
	const struct py_offsets *offsets = &w->runtime->offsets;
	const struct gil *gil = &w->interps.list[t->interp].gil;
	uint32_t status;

	if (!py_is_free_threaded(offsets))
		return gil->locked && gil->holder == t->py.addr;
	return py_read(&w->reader.memory.memory,
		   t->py.addr + offsets->thread_status, &status,
		   sizeof(status)) && (status & offsets->active) != 0;
}

/* Reads a stack.  False if there is none, or not all of it is certain. */
static bool
read_waiter(struct wait_reader *w, struct thread *t)
{
	t->status.holds_gil = waiter_holds_gil(w, t);
	return read_twice(&w->reader, t, &w->stack).is == READ_SURE &&
	    w->stack.chain.depth > 0;
}

/* Reads the stack of a thread in the interpreter that the thread is in, into
 * ->deepest.  A thread has a state in each interpreter that it has entered; it is in
 * the one whose code began deepest in its C stack.  NULL if there is no such stack. */
static struct thread *
read_deepest(struct wait_reader *w, uint64_t ident, uint64_t tid)
{
	struct thread *deepest = NULL;

	for (size_t i = 0; i < w->threads.count; i++) {
		struct thread *t = &w->threads.list[i];
		if (t->id.pthread != ident)
			continue;
		t->last.is = LAST_NONE;
		thread_bind(t, w->process, tid);
		if (!read_waiter(w, t) || (deepest != NULL &&
			w->stack.chain.stack >= w->deepest.chain.stack))
			continue;
		call_stack_swap(&w->deepest, &w->stack);
		deepest = t;
	}
	return deepest;
}

static struct moment
moment_of_waiter(const struct wait_reader *w, struct thread *t)
{
	struct moment m = {.offsets = &w->runtime->offsets,
	    .gil = w->interps.list[t->interp].gil_at,
	    .holds_gil = t->status.holds_gil,
	    .wants_gil = w->deepest.words.wants_gil,
	    .exception = w->deepest.words.exception};

	m.status = status_of(w->process, t, &m);
	return m;
}

static uint32_t
waits_so_far(const struct wire_wait *wait)
{
	return atomic_load(&wait->count);
}

/* Unwinds a thread that has been in one wait since its count was read. */
static void
unwind_waiter(struct wait_reader *w, struct thread *t, const struct wire_wait *wait,
    uint32_t count)
{
	struct native_capture c = {.without = "a thread that is not in a known call",
	    .memory = &w->reader.memory.memory};

	if (count % 2 != 0) {
		c.registers.pc = wait->pc;
		c.registers.count = WIRE_REGISTERS;
		memcpy(c.registers.value, wait->registers, sizeof(wait->registers));
		native_copy_stack(&w->room, w->process->task, t->memory.stack_end, &c);
	}
	mixed_begin(w->mixed, &c, t->py.addr);
	if (mixed_unwind(w->mixed, &c))
		t->memory.stack_end = mixed_stack_end(w->mixed);
	if (count % 2 != 0 && waits_so_far(wait) != count) {
		c.registers.count = 0;
		mixed_unwind(w->mixed, &c);
	}
}

/* Mixes the stack in ->deepest with the thread's frames of C.  NULL if memory ran out. */
static struct py_chain *
mix_waiter(struct wait_reader *w, struct thread *t, const struct wire_wait *wait,
    uint32_t count, uint32_t callee)
{
	unwind_waiter(w, t, wait, count);
	return mixed_merge(w->mixed, &w->deepest.chain) ?
	    mixed_name(w->mixed, &w->deepest.chain, callee) : NULL;
}

/* What callees_frame is to know of a thread that waits. */
static unsigned
know_waiter(const struct wait_reader *w, const struct moment *m)
{
	return (py_frames_are_objects(w->reader.offsets) ? CALLEES_BETWEEN : 0) |
	    ((m->status & TACH_STATUS_GIL_WANTED) != 0 ? CALLEES_WAITS : 0);
}

/* Makes the stack in ->deepest the thread's sample.  count: of its waits, from before it
 * was read. */
static bool
make_sample(struct wait_reader *w, struct thread *t, const struct wire_wait *wait,
    uint32_t count)
{
	struct py_chain *mixed = NULL;
	struct moment m = moment_of_waiter(w, t);
	struct sample_leaves leaves = NO_LEAVES;

	if (w->reader.wants.callees)
		leaves.callee = callees_frame(&w->callees, &w->deepest.chain,
		    &w->deepest.called.it, 0, know_waiter(w, &m));
	leaves.wait = waits_frame(w->waits, t, &w->deepest.chain, leaves.callee, &m);
	t->index = thread_names_add(w->names, (uint32_t)t->py.interp_id,
	    t->id.tid);
	t->last.sound = w->deepest.sound;
	t->last.count = w->deepest.stamp.count;
	if (w->mixed != NULL &&
	    (mixed = mix_waiter(w, t, wait, count, leaves.callee)) == NULL)
		return false;
	if (t->index == TACH_NONE || !emit_sample(&w->emitter, t,
	    &w->deepest.chain, mixed, leaves, false, &m, &w->catcher.sink))
		return false;
	t->last.is = LAST_GOOD;
	return true;
}

bool
wait_reader_read(struct wait_reader *w, const struct thread_ring *a,
    struct wait_reader_sample *s)
{
	const struct wire_wait *wait = &a->ring.area->wait;
	uint32_t count = waits_so_far(wait);
	struct thread *t = read_deepest(w, a->ident, a->tid);

	if (t == NULL || !make_sample(w, t, wait, count) ||
	    !wait_reader_again(w, a->ident, s))
		return false;
	s->shared = w->catcher.run.shared;
	s->compiled = w->deepest.words.compiled;
	return true;
}

bool
wait_reader_again(const struct wait_reader *w, uint64_t ident,
    struct wait_reader_sample *s)
{
	for (size_t i = 0; i < w->threads.count; i++) {
		const struct thread *t = &w->threads.list[i];
		if (t->id.pthread != ident || t->last.is != LAST_GOOD)
			continue;
		*s = (struct wait_reader_sample){.index = t->index,
		    .interp = (uint32_t)t->py.interp_id, .frames = t->last.frames,
		    .depth = t->last.depth,
		    .shared = t->last.depth, .status = t->status.bits};
		return true;
	}
	return false;
}

/* ---- waits that are over --------------------------------------------------- */

static uint32_t
reason_of(struct wait_reader *w, const struct thread_ring *a, const struct told_key *k)
{
	const struct wire_waited *from = &k->waited;
	struct waits_told told = {.call.number = from->call.number,
	    .fd = from->call.fd, .polled = from->call.polled,
	    .writes = from->call.writes != 0, .device = from->device,
	    .inode = from->inode, .mode = from->mode, .world = from->world != 0,
	    .frames = a->stack + a->max - a->depth, .depth = a->depth,
	    .callee = k->callee};

	memcpy(told.call.arguments, from->call.arguments, sizeof(from->call.arguments));
	for (size_t i = 0; i < WAITS_LOCKS; i++)
		told.locks[i] = (struct waits_lock){from->locks[i].object,
		    from->locks[i].type};
	return waits_of_told(w->waits, &told);
}

static struct told_key
told_key_of(const struct thread_ring *a, uint32_t callee)
{
	struct told_key k = {.callee = callee, .waited = a->waited};

	k.depth = (uint32_t)(a->depth < WAITS_CALLERS ? a->depth : WAITS_CALLERS);
	memcpy(k.frames, a->stack + a->max - a->depth, k.depth * sizeof(*k.frames));
	return k;
}

uint32_t
wait_reader_told(struct wait_reader *w, const struct thread_ring *a, uint32_t callee)
{
	struct told_known *known;
	struct told_key k;
	uint32_t frame;

	if (w->waits == NULL || !a->has_waited)
		return TACH_NONE;
	if ((a->next.flags & WIRE_WANTS_GIL) || a->waited.gil != 0)
		return waits_for_gil(w->waits);
	k = told_key_of(a, callee);
	known = &w->told[hash_of(&k, sizeof(k), 0) % TOLD_KNOWN];
	if (known->frame != TACH_NONE && memcmp(&known->key, &k, sizeof(k)) == 0)
		return known->frame;
	if ((frame = reason_of(w, a, &k)) != TACH_NONE)
		*known = (struct told_known){k, frame};
	return frame;
}
