/* SPDX-License-Identifier: ISC */
/* outside.c: see outside.h. */
#include "engine/inprocess/outside.h"

#include <stdlib.h>

#include "engine/sample/emit.h"
#include "engine/stack/read_twice.h"
#include "engine/threads/interps.h"

/* A sink that keeps what it got last. */
struct catcher {
	struct tach_sink sink;
	struct tach_run run;
};

struct outside {
	const struct process *process;
	const struct py_runtime *runtime;
	struct thread_names *names;
	struct chains chains;
	struct emitter emitter;
	struct catcher catcher;
	struct py_threads list;
	struct threads threads;
	struct interps interps;
	struct snapshot globals;
	struct spans spans;
	struct py_none none;
};

/* ---- making -------------------------------------------------------------- */

static int
catch(struct tach_sink *sink, const struct tach_run *run)
{
	((struct catcher *)sink)->run = *run;
	return TACH_OK;
}

struct outside *
outside_new(const struct process *p, const struct py_runtime *rt,
    const struct tach_recorder_options *options, struct tach_table *table,
    struct thread_names *names)
{
	struct outside *o = calloc(1, sizeof(*o));

	if (o == NULL)
		return NULL;
	o->process = p;
	o->runtime = rt;
	o->names = names;
	o->interps.runtime = rt;
	o->catcher.sink.run = catch;
	if (!chains_init(&o->chains, p, rt, options, table)) {
		chains_free(&o->chains);
		free(o);
		return NULL;
	}
	emitter_init(&o->emitter, table, names, o->chains.codes);
	o->emitter.opcodes = options->opcodes;
	return o;
}

void
outside_free(struct outside *o)
{
	if (o == NULL)
		return;
	emitter_free(&o->emitter);
	chains_free(&o->chains);
	runtime_threads_free(&o->list);
	threads_free(&o->threads);
	interps_free(&o->interps);
	snapshot_free(&o->globals);
	spans_free(&o->spans);
	free(o);
}

/* ---- looks --------------------------------------------------------------- */

/* Reads the interpreters' GILs. */
static bool
look_at_gils(struct outside *o)
{
	struct py_view view;
	size_t failed;

	snapshot_clear(&o->globals);
	o->spans.count = 0;
	if (!snapshot_add_set(&o->globals, &o->interps.globals, 0, false) ||
	    !snapshot_read(&o->globals, o->process->task, &failed) ||
	    !spans_add(&o->spans, &o->globals, 0, o->globals.count, 0))
		return false;
	view = spans_view(&o->spans);
	for (size_t i = 0; i < o->interps.count; i++)
		if (!interp_look(&o->interps, &o->interps.list[i], &view))
			return false;
	return true;
}

/* Reads which thread a state is of, and finds its interpreter. */
static bool
place(const struct outside *o, struct thread *t)
{
	if (!py_read(&o->chains.memory.memory,
		t->py.addr + o->runtime->offsets.thread_ident, &t->pthread,
		sizeof(t->pthread)))
		return false;
	t->interp = 0;
	while (t->interp < o->interps.count &&
	    o->interps.list[t->interp].addr != t->py.interp)
		t->interp++;
	return t->interp < o->interps.count;
}

bool
outside_look(struct outside *o)
{
	const struct py_memory *m = &o->chains.memory.memory;

	if (!runtime_threads(m, o->runtime, &o->list) ||
	    !threads_update(&o->threads, &o->list) ||
	    !interps_update(&o->interps, m, &o->list) || !look_at_gils(o))
		return false;
	for (size_t i = 0; i < o->threads.count; i++)
		if (!place(o, &o->threads.list[i]))
			return false;
	return true;
}

/* ---- one thread ---------------------------------------------------------- */

static bool
holds_gil(const struct outside *o, const struct thread *t)
{
	const struct py_offsets *offsets = &o->runtime->offsets;
	const struct gil *gil = &o->interps.list[t->interp].gil;
	uint32_t status;

	if (offsets->active == 0)
		return gil->locked && gil->holder == t->py.addr;
	return py_read(&o->chains.memory.memory,
		   t->py.addr + offsets->thread_status, &status,
		   sizeof(status)) && (status & offsets->active) != 0;
}

/* Reads a chain.  False: there is none, or not all of it is certain. */
static bool
read_chain(struct outside *o, struct thread *t)
{
	size_t sure;

	t->holds_gil = holds_gil(o, t);
	return read_twice(&o->chains, t, &sure) && o->chains.chain.depth > 0;
}

/* Reads the chain of the thread state that a thread is in: it has one in each
 * interpreter that it has entered, and is in the one whose code began deepest
 * in its C stack. */
static struct thread *
read_deepest(struct outside *o, uint64_t ident, uint64_t tid)
{
	struct thread *deepest = NULL, *last = NULL;
	uint64_t stack = 0;

	for (size_t i = 0; i < o->threads.count; i++) {
		struct thread *t = &o->threads.list[i];
		if (t->pthread != ident)
			continue;
		t->live = false;
		thread_bind(t, o->process, tid);
		if (!read_chain(o, t))
			continue;
		last = t;
		if (deepest == NULL || o->chains.chain.stack < stack) {
			deepest = t;
			stack = o->chains.chain.stack;
		}
	}
	return deepest == last || read_chain(o, deepest) ? deepest : NULL;
}

static struct moment
moment_of(struct outside *o, struct thread *t)
{
	const struct chains *c = &o->chains;
	struct moment m = {.offsets = &o->runtime->offsets,
	    .gil = o->interps.list[t->interp].gil_at,
	    .holds_gil = t->holds_gil,
	    .wants_gil = chains_wants_gil(c),
	    .exception = chains_exception(c, t, &o->none)};

	m.status = status_of(o->process, t, &m);
	return m;
}

/* Makes the newest chain the thread's sample. */
static bool
make_sample(struct outside *o, struct thread *t)
{
	struct moment m = moment_of(o, t);

	t->index = thread_names_add(o->names, (uint32_t)t->py.interp_id,
	    t->tid);
	t->sound = o->chains.sound;
	t->count = o->chains.stamp.count;
	t->live = t->index != TACH_NONE && emit_sample(&o->emitter, t,
	    &o->chains.chain, false, &m, &o->catcher.sink);
	return t->live;
}

bool
outside_read(struct outside *o, uint64_t ident, uint64_t tid,
    struct outside_sample *s)
{
	struct thread *t = read_deepest(o, ident, tid);
	bool compiled;

	if (t == NULL)
		return false;
	compiled = chains_compiled(&o->chains);
	if (!make_sample(o, t) || !outside_again(o, ident, s))
		return false;
	s->shared = o->catcher.run.shared;
	s->compiled = compiled;
	return true;
}

bool
outside_again(const struct outside *o, uint64_t ident,
    struct outside_sample *s)
{
	for (size_t i = 0; i < o->threads.count; i++) {
		const struct thread *t = &o->threads.list[i];
		if (t->pthread != ident || !t->live)
			continue;
		*s = (struct outside_sample){.index = t->index,
		    .interp = (uint32_t)t->py.interp_id, .frames = t->frames,
		    .depth = (uint32_t)t->chain.depth,
		    .shared = (uint32_t)t->chain.depth, .status = t->status};
		return true;
	}
	return false;
}
