/* SPDX-License-Identifier: ISC */
/* remote.c: see remote.h. */
#include "engine/remote.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "engine/chains.h"
#include "engine/emit.h"
#include "engine/tids.h"

#define LIST_TRIES 4	  /* to see lists and GILs that hold still */
#define FORGET_AFTER 2048 /* rounds after which working sets start anew */

/* Who had a GIL, and how often it had changed hands. */
struct gil {
	uint64_t holder; /* thread state that has it, or had it last */
	uint64_t switches;
	bool locked;
};

struct interp {
	uint64_t addr;
	uint64_t gil_at;   /* address of its GIL; 0: it has none that we know */
	size_t after;	   /* its second copy in the round's snapshot */
	size_t generation[2]; /* where its counts lie in there */
	size_t gc;	      /* and its words on garbage collection */
	struct gil gil;
	bool calm; /* no other thread than gil.holder ran in the meantime */
	uint64_t stamp; /* for codes_check */
	bool stamped;	/* it has one */
};

struct remote {
	const struct process *process;
	const struct py_runtime *runtime;
	const struct py_offsets *offsets;
	const struct tach_recorder_options *options;
	struct thread_names *names;
	struct chains chains;
	struct tids tids;
	struct py_none none;

	struct py_threads list;
	struct threads threads;
	struct interp *interps;
	size_t ninterps, interps_max;
	struct workset globals; /* what the lists and the GILs need */
	struct snapshot all;	/* of a round */
	struct spans spans;
	struct emitter emitter;
	uint64_t round;
};

/* ---- making ------------------------------------------------------------------- */

struct remote *
remote_new(const struct process *p, const struct py_runtime *rt,
    const struct tach_recorder_options *options, struct tach_table *table,
    struct thread_names *names)
{
	struct remote *r = calloc(1, sizeof(*r));

	if (r == NULL)
		return NULL;
	r->process = p;
	r->runtime = rt;
	r->offsets = &rt->offsets;
	r->options = options;
	r->names = names;
	if (!chains_init(&r->chains, p, rt, options, table)) {
		free(r);
		return NULL;
	}
	emitter_init(&r->emitter, table, names, r->chains.codes);
	return r;
}

void
remote_free(struct remote *r)
{
	if (r == NULL)
		return;
	emitter_free(&r->emitter);
	chains_free(&r->chains);
	threads_free(&r->threads);
	workset_free(&r->globals);
	snapshot_free(&r->all);
	spans_free(&r->spans);
	free(r->list.list);
	free(r->interps);
	free(r);
}

static const struct py_memory *
live(const struct remote *r)
{
	return &r->chains.memory.memory;
}

/* ---- lists: interpreters and threads -------------------------------------------- */

static struct interp *
find_interp(struct remote *r, uint64_t addr)
{
	for (size_t i = 0; i < r->ninterps; i++)
		if (r->interps[i].addr == addr)
			return &r->interps[i];
	return NULL;
}

static bool
add_interp(struct remote *r, uint64_t addr)
{
	struct interp *p;

	if (find_interp(r, addr) != NULL)
		return true;
	p = array_grow(r->interps, r->ninterps, &r->interps_max, sizeof(*p));
	if (p == NULL)
		return false;
	r->interps = p;
	p[r->ninterps++] = (struct interp){.addr = addr};
	return true;
}

/* Finds an interpreter's GIL and adds what a round needs of both. */
static bool
add_globals(struct remote *r, struct interp *in)
{
	const struct py_offsets *o = r->offsets;
	uint32_t fields[] = {o->interp_next, o->interp_id,
	    o->interp_threads_head, o->interp_gil};

	if (o->active != 0) /* free-threaded: all threads run at once */
		in->gil_at = 0;
	else if (py_has(o->runtime_gil))
		in->gil_at = r->runtime->addr + o->runtime_gil;
	else if (py_has(o->interp_gil) && !py_read(live(r), in->addr + o->interp_gil, &in->gil_at,
		     sizeof(in->gil_at)))
		return false;
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		if (py_has(fields[i]) && !workset_add(&r->globals,
			in->addr + fields[i], sizeof(uint64_t)))
			return false;
	return in->gil_at == 0 ||
	    workset_add(&r->globals, in->gil_at, r->offsets->gil_size);
}

/* Lists interpreters and threads anew, read one by one. */
static bool
discover(struct remote *r)
{
	bool whole = runtime_threads(live(r), r->runtime, &r->list);

	r->ninterps = 0;
	workset_clear(&r->globals);
	if (!workset_add(&r->globals, r->runtime->addr +
		r->offsets->runtime_interpreters_head, sizeof(uint64_t)))
		return false;
	for (size_t i = 0; i < r->list.count; i++)
		if (!add_interp(r, r->list.list[i].interp))
			return false;
	for (size_t i = 0; i < r->ninterps; i++)
		if (!add_globals(r, &r->interps[i]))
			return false;
	return threads_update(&r->threads, &r->list) && whole;
}

/* ---- the round's snapshot ------------------------------------------------------- */

/* Lists and GILs, then the threads, then the GILs again; and what stamps need,
 * before the threads and after. */
static bool
prepare(struct remote *r)
{
	struct snapshot *s = &r->all;

	snapshot_clear(s);
	if (!snapshot_add_set(s, &r->globals, false))
		return false;
	for (size_t i = 0; i < r->ninterps; i++)
		if (!chains_add_stamp(&r->chains, s, r->interps[i].addr,
			&r->interps[i].generation[0]) ||
		    !chains_add_gc(&r->chains, s, r->interps[i].addr,
			&r->interps[i].gc))
			return false;
	for (size_t i = 0; i < r->threads.count; i++) {
		struct thread *t = &r->threads.list[i];
		t->first = s->count;
		t->copy = s->size;
		if (!t->gone && !chains_add(&r->chains, s, t))
			return false;
	}
	for (size_t i = 0; i < r->ninterps; i++) {
		struct interp *in = &r->interps[i];
		in->after = s->size;
		if (in->gil_at != 0 &&
		    !snapshot_add(s, in->gil_at, r->offsets->gil_size))
			return false;
		if (!chains_add_stamp(&r->chains, s, in->addr,
			&in->generation[1]))
			return false;
	}
	return true;
}

/* A range could not be read: its thread starts anew, or has gone. */
static bool
blame(struct remote *r, size_t range)
{
	for (size_t i = r->threads.count; i-- > 0;) {
		struct thread *t = &r->threads.list[i];
		if (t->gone || t->first > range)
			continue;
		if (range == t->first || t->set.count == 0)
			t->gone = true;
		else
			workset_clear(&t->set);
		return true;
	}
	return false;
}

/* Copies all that is known to be needed. */
static bool
take(struct remote *r)
{
	size_t range, tries = r->threads.count * 2 + 1;

	do {
		if (!prepare(r))
			return false;
		if (snapshot_read(&r->all, r->process->pid, &range))
			return true;
	} while (errno == EFAULT && blame(r, range) && --tries > 0);
	return false;
}

/* The list of threads as the snapshot has it, against the one we know. */
static bool
same_list(struct remote *r)
{
	struct py_view view;

	r->spans.count = 0;
	if (!spans_add(&r->spans, &r->all, 0, r->globals.count, 0))
		return false;
	for (size_t i = 0; i < r->threads.count; i++) {
		const struct thread *t = &r->threads.list[i];
		if (!t->gone &&
		    !spans_add(&r->spans, &r->all, t->first, 1, t->copy))
			return false;
	}
	view = spans_view(&r->spans);
	if (!runtime_threads(&view.memory, r->runtime, &r->list) ||
	    r->list.count != r->threads.count)
		return false;
	for (size_t i = 0; i < r->list.count; i++)
		if (r->list.list[i].addr != r->threads.list[i].py.addr)
			return false;
	return true;
}

static struct gil
gil_of(const struct remote *r, const uint8_t *copy)
{
	const struct py_offsets *o = r->offsets;

	return (struct gil){load_u64(copy + o->gil_holder),
	    py_has(o->gil_switches) ? load_u64(copy + o->gil_switches) : 0,
	    py_has(o->gil_locked) ?
		(int32_t)load_u32(copy + o->gil_locked) > 0 :
		load_u64(copy + o->gil_holder) != 0};
}

/* What both copies of an interpreter's GIL say. */
static void
read_interp(struct remote *r, struct interp *in, struct py_view *globals)
{
	const uint8_t *copy = in->gil_at == 0 ? NULL :
	    view_at(globals, in->gil_at, r->offsets->gil_size);
	struct gil after;

	in->stamped = chains_stamp(&r->chains, &r->all, in->generation[0],
	    in->generation[1], &in->stamp);
	in->calm = false;
	in->gil = (struct gil){0};
	if (copy == NULL)
		return;
	in->gil = gil_of(r, copy);
	after = gil_of(r, r->all.bytes + in->after);
	in->calm = py_has(r->offsets->gil_switches) &&
	    in->gil.holder == after.holder &&
	    in->gil.switches == after.switches;
}

/* Whether nothing but the holders of the GILs has run. */
static bool
read_interps(struct remote *r)
{
	struct py_view globals;
	bool calm = true;

	r->spans.count = 0;
	if (!spans_add(&r->spans, &r->all, 0, r->globals.count, 0))
		return false;
	globals = spans_view(&r->spans);
	for (size_t i = 0; i < r->ninterps; i++) {
		read_interp(r, &r->interps[i], &globals);
		calm = calm && r->interps[i].calm;
	}
	return calm;
}

/* A snapshot whose list of threads is the list that was copied, and, if it can
 * be had, while no GIL changed hands. */
static bool
take_all(struct remote *r)
{
	bool listed = r->round != 0;

	for (int i = 0; i < LIST_TRIES; i++) {
		if (!listed || !take(r) || !same_list(r))
			listed = discover(r);
		else if (read_interps(r) || i == LIST_TRIES - 1)
			return true;
	}
	/* Threads come and go too fast: the last list must do. */
	if (!listed || !take(r))
		return false;
	read_interps(r);
	return true;
}

/* ---- samples ------------------------------------------------------------------------ */

/* Leaves only the outermost frames of the newest chain. */
static void
cut_chain(struct remote *r, size_t depth)
{
	struct py_chain *c = &r->chains.chain;

	memmove(c->places, c->places + (c->depth - depth),
	    depth * sizeof(*c->places));
	c->depth = depth;
}

/* Reads a thread's newest chain.  Only the thread that had its GIL all the
 * time can have moved while the snapshot was made. */
static bool
read_chain(struct remote *r, struct thread *t, size_t *sure)
{
	const struct interp *in = find_interp(r, t->py.interp);

	if (in != NULL && in->calm && in->stamped &&
	    in->gil.holder != t->py.addr &&
	    chains_walk(&r->chains, t, &r->all, in->gc, in->stamp))
		return true;
	return chains_read(&r->chains, t, sure);
}

/* The id of a thread as the kernel has it, or, where that cannot be found, a
 * number that tells it from others. */
static uint64_t
find_tid(struct remote *r, struct thread *t)
{
	uint64_t id = r->chains.tid, tid;

	if (py_has(r->offsets->thread_native_thread_id))
		return id;
	tid = tids_find(&r->tids, r->process, live(r), r->offsets, &r->list,
	    id, t->pthread == id ? t->tid : 0);
	t->pthread = id;
	return tid != 0 ? tid : id;
}

/* Takes the id that the thread state gave.  False: it is no thread yet. */
static bool
bind_thread(struct remote *r, struct thread *t)
{
	thread_bind(t, r->process, find_tid(r, t));
	if (t->tid == 0)
		return false;
	t->index = thread_names_add(r->names, (uint32_t)t->py.interp_id,
	    t->tid);
	return t->index != TACH_NONE;
}

/* Whether a thread's state, as it was with its chain, says that there is an
 * exception. */
static bool
has_exception(struct remote *r, const struct thread *t)
{
	const struct chains *c = &r->chains;
	struct py_span span = {t->py.addr + c->state_low, c->state_size,
	    c->state};
	struct py_view state = {.memory.read = view_read, .spans = &span,
	    .count = 1};

	return status_exception(r->offsets, &state, live(r), t->py.addr,
	    &r->none);
}

static struct moment
moment_of(struct remote *r, const struct thread *t, uint64_t time_us)
{
	const struct interp *in = find_interp(r, t->py.interp);
	uint32_t wanted = r->offsets->thread_gil_requested;

	return (struct moment){.time_us = time_us,
	    .offsets = r->offsets,
	    .gil = in != NULL ? in->gil_at : 0,
	    .holds_gil = t->holds_gil,
	    .wants_gil = py_has(wanted) && (uint32_t)chains_state(&r->chains,
		r->chains.state, wanted) != 0,
	    .exception = has_exception(r, t)};
}

static bool
holds_gil(struct remote *r, const struct thread *t)
{
	const struct interp *in = find_interp(r, t->py.interp);

	if (r->offsets->active != 0)
		return (chains_state(&r->chains, r->all.bytes + t->copy,
			    r->offsets->thread_status) & r->offsets->active) != 0;
	return in != NULL && in->gil.locked && in->gil.holder == t->py.addr;
}

/* Whether a thread is of those that were asked for, as far as is known
 * before it is looked at. */
static bool
is_wanted(const struct remote *r, const struct thread *t)
{
	return (!r->options->main_only || t->task == 0 ||
		t->task == r->process->pid) &&
	    (r->options->mode != TACH_MODE_GIL || t->holds_gil);
}

static bool
sample_thread(struct remote *r, struct thread *t, uint64_t time_us,
    struct tach_sink *sink, struct tach_recorder_stats *stats)
{
	size_t sure = 0;
	bool whole;
	struct moment m;

	t->holds_gil = holds_gil(r, t);
	if (!is_wanted(r, t))
		return true;
	whole = read_chain(r, t, &sure);
	if (!whole && sure == 0) {
		stats->failed += !r->chains.ended;
		return true;
	}
	if (r->chains.chain.depth == 0 || !bind_thread(r, t))
		return true; /* runs no Python code */
	m = moment_of(r, t, time_us);
	m.status = status_of(r->process, t, &m);
	if (!is_wanted(r, t) || !status_kept(r->options, m.status))
		return true;
	if (!whole)
		cut_chain(r, sure);
	stats->samples++;
	stats->torn += !whole;
	return emit_sample(&r->emitter, t, &r->chains.chain, !whole, &m, sink);
}

enum remote_result
remote_round(struct remote *r, uint64_t time_us, struct tach_sink *sink,
    struct tach_recorder_stats *stats)
{
	if (!take_all(r))
		return REMOTE_LOST;
	r->round++;
	for (size_t i = 0; i < r->threads.count; i++) {
		struct thread *t = &r->threads.list[i];
		if (t->gone)
			continue;
		if (!sample_thread(r, t, time_us, sink, stats))
			return REMOTE_ERROR;
		if ((r->round + i) % FORGET_AFTER == 0)
			workset_clear(&t->set);
	}
	stats->threads = r->names->count;
	stats->retries = r->chains.retries;
	return REMOTE_OK;
}
