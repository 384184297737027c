/* SPDX-License-Identifier: ISC */
/* remote.c: see remote.h. */
#include "engine/remote.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/clock.h"
#include "engine/emit.h"
#include "engine/first.h"
#include "engine/interps.h"
#include "engine/names.h"
#include "engine/stop.h"
#include "engine/tasks.h"
#include "engine/tids.h"
#include "engine/twice.h"
#include "python/locals.h"

#define COPIES_MAX 6	  /* of a round */
#define LIST_TRIES 4	  /* to see a list of threads that holds still */
#define STACK_MAX (8u << 20) /* bytes: no C stack is larger, by default */
#define FORGET_AFTER 2048 /* rounds after which working sets start anew */
#define NEEDED 8	  /* samples, whose frames are copied again */
#define STOP_TRIES 4	  /* to stop a thread that is not making a call */
#define TASK_TRIES 4	  /* to see who waits for a task that runs */
#define LOOK_AFTER 16	  /* rounds after which every thread was looked at */
#define LOOKS 4		  /* of which one is a thorough one */
#define MANY 16		  /* threads, which are worth being watched */
#define RECENT 20	  /* us: as good as now */
#define LISTS_AFTER 1000  /* us after which the lists are looked at anyway */

struct remote {
	const struct process *process;
	const struct py_runtime *runtime;
	const struct py_offsets *offsets;
	const struct tach_recorder_options *options;
	struct thread_names *names;
	struct chains chains;
	struct tids tids;
	struct py_none none;
	struct stops stops;

	struct py_threads list;
	struct threads threads;
	struct interps interps;
	struct snapshot all;	/* the newest copy */
	size_t globals_first, globals_at; /* where they lie in it */
	size_t head_at; /* and the address of the first interpreter */
	bool lean;	/* it has no lists */
	bool kept;	/* no GIL has changed hands of late */
	uint64_t time_us, lists_due; /* of the round; when lists are due */
	struct spans spans;
	struct emitter emitter;
	struct names *called; /* what its threads are */
	bool listed; /* the lists are known */
	uint64_t round;
	size_t turn; /* the thread that is looked at next */
	struct watcher watcher;
	struct tasks *tasks; /* NULL: nobody asks for them, or has any */
	struct tasks_of *tasks_of; /* threads whose tasks are read ... */
	size_t *loops;		   /* and their indices */
	struct tach_locals locals; /* no function: nobody asks for them */
};

/* ---- making ------------------------------------------------------------ */

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
	r->stops.process = p;
	watcher_init(&r->watcher);
	r->interps.runtime = rt;
	if (!chains_init(&r->chains, p, rt, options, table) ||
	    (r->called = names_new(p, r->offsets, &r->chains.memory.memory,
		 table)) == NULL) {
		remote_free(r);
		return NULL;
	}
	emitter_init(&r->emitter, table, names, r->chains.codes);
	r->emitter.opcodes = options->opcodes;
	if (options->async == TACH_ASYNC_NONE ||
	    !py_has(r->offsets->generator_state))
		return r;
	r->tasks = tasks_new(p, &r->chains.memory.memory, rt, r->chains.codes,
	    table);
	if (r->tasks == NULL) {
		remote_free(r);
		return NULL;
	}
	return r;
}

void
remote_free(struct remote *r)
{
	if (r == NULL)
		return;
	stops_free(&r->stops);
	emitter_free(&r->emitter);
	tasks_free(r->tasks);
	free(r->tasks_of);
	free(r->loops);
	names_free(r->called);
	chains_free(&r->chains);
	threads_free(&r->threads);
	watcher_free(&r->watcher);
	interps_free(&r->interps);
	snapshot_free(&r->all);
	spans_free(&r->spans);
	runtime_threads_free(&r->list);
	free(r);
}

static const struct py_memory *
live(const struct remote *r)
{
	return &r->chains.memory.memory;
}

static struct interp *
interp_of(const struct remote *r, const struct thread *t)
{
	return &r->interps.list[t->interp];
}

/* Whether a thread can run without a sign of it; or may have done so between
 * the last two looks. */
static bool
is_free(const struct remote *r, const struct thread *t)
{
	return !t->rests && interp_is_free(interp_of(r, t), t->py.addr);
}

static bool
may_have_run(const struct remote *r, const struct thread *t)
{
	return !t->rests && interp_may_have_run(interp_of(r, t), t->py.addr);
}

/* ---- lists: interpreters and threads ----------------------------------- */

static bool
list_threads(struct remote *r)
{
	size_t interp = 0;

	if (!threads_update(&r->threads, &r->list))
		return false;
	for (size_t i = 0; i < r->threads.count; i++) {
		struct thread *t = &r->threads.list[i];
		while (r->interps.list[interp].addr != t->py.interp)
			interp++;
		t->interp = interp;
		t->stale = true;
	}
	return true;
}

/* What a round needs of the interpreters besides their lists and GILs. */
static bool
note_words(struct remote *r)
{
	for (size_t i = 0; i < r->interps.count; i++)
		if (!chains_note_words(&r->chains, &r->interps.globals,
			r->interps.list[i].addr))
			return false;
	return true;
}

/* Makes a list that was read the one that we know. */
static bool
take_lists(struct remote *r)
{
	return interps_update(&r->interps, live(r), &r->list) &&
	    note_words(r) && list_threads(r);
}

/* Lists interpreters and threads anew, read one by one.  A list that never
 * holds still may lack any of them: then what we know must do, if we know
 * some. */
static bool
discover(struct remote *r)
{
	bool seen = false, read = false;

	for (int i = 0; i < LIST_TRIES; i++) {
		read = runtime_threads(live(r), r->runtime, &r->list) &&
		    r->list.count > 0;
		seen |= read;
		if (read && runtime_threads_hold(live(r), r->runtime, &r->list))
			return r->listed = take_lists(r);
	}
	if (seen && r->threads.count > 0)
		return r->listed = true;
	return r->listed = read && take_lists(r);
}

/* Whether the thread before one in its interpreter's list still leads to it:
 * what was copied of a thread that has ended is nothing. */
static bool
is_linked(const struct remote *r, const struct thread *t)
{
	return !t->copied || t->link == SIZE_MAX ||
	    load_u64(r->all.bytes + t->link) == t->py.addr;
}

static bool
all_linked(const struct remote *r)
{
	for (size_t i = 0; i < r->threads.count; i++)
		if (!is_linked(r, &r->threads.list[i]))
			return false;
	return true;
}

/* ---- copies ------------------------------------------------------------ */

static bool
add_link(struct remote *r, struct thread *t)
{
	t->link = SIZE_MAX;
	if (r->lean || t == r->threads.list || t[-1].interp != t->interp)
		return true;
	t->link = r->all.size;
	return snapshot_add(&r->all, t[-1].py.addr + r->offsets->thread_next,
	    sizeof(uint64_t));
}

static bool
add_thread(struct remote *r, struct thread *t)
{
	t->before = r->all.count;
	t->before_copy = r->all.size;
	/* Of those that are stopped nothing is gone. */
	if (!r->options->blocking &&
	    !chains_add_before(&r->chains, &r->all, t))
		return false;
	t->first = r->all.count;
	t->copy = r->all.size;
	t->ranges = t->set.count + 1;
	t->copied = true;
	return chains_add(&r->chains, &r->all, t) && add_link(r, t);
}

/* Where the list of interpreters begins, if the lists are wanted. */
static bool
add_head(struct remote *r)
{
	return r->lean || snapshot_add_once(&r->all, r->globals_first,
	    interps_head(&r->interps), sizeof(uint64_t), &r->head_at);
}

/* Threads, then the lists and the GILs, and what stamps need.  The first copy
 * of a round has only threads that can have run without a sign of it. */
static bool
prepare(struct remote *r, bool first)
{
	struct snapshot *s = &r->all;

	snapshot_clear(s);
	for (size_t i = 0; i < r->threads.count; i++) {
		struct thread *t = &r->threads.list[i];
		t->copied = false;
		if (!t->gone && !t->done &&
		    (first ? is_free(r, t) : t->stale) &&
		    !add_thread(r, t))
			return false;
	}
	r->globals_first = s->count;
	r->globals_at = s->size;
	if (!snapshot_add_set(s, &r->interps.globals, 0, false) || !add_head(r))
		return false;
	for (size_t i = 0; i < r->interps.count; i++) {
		struct interp *in = &r->interps.list[i];
		if (!chains_add_gc(&r->chains, s, r->globals_first,
			in->addr, &in->gc) ||
		    !chains_add_count(&r->chains, s, r->globals_first,
			in->addr, &in->count_at))
			return false;
	}
	return true;
}

/* A range could not be read: a thread has left it, or has gone. */
static bool
blame(struct remote *r, size_t range)
{
	for (size_t i = r->threads.count; i-- > 0;) {
		struct thread *t = &r->threads.list[i];
		if (!t->copied || range < t->before ||
		    range >= t->first + t->ranges)
			continue;
		if (range < t->first)
			workset_drop(&t->set, range - t->before);
		else
			t->gone = !chains_drop(&r->chains, t, range - t->first);
		return true;
	}
	return false; /* the lists have changed */
}

/* Copies all that is known to be needed. */
static bool
copy(struct remote *r, bool first)
{
	size_t range, tries = r->threads.count * 2 + 1;

	do {
		if (!prepare(r, first))
			return false;
		near_begin(&r->chains.near);
		if (snapshot_read(&r->all, r->process->pid, &range))
			return true;
	} while (errno == EFAULT && blame(r, range) && --tries > 0);
	return false;
}

/* ---- what a copy tells ------------------------------------------------- */

/* Whether the lists are those that we know.  As long as each GIL is kept, what
 * has come to them since has not run; but a new interpreter can have a GIL of
 * its own. */
static bool
lists_same(const struct remote *r, struct py_view *globals)
{
	return interps_same(&r->interps, globals) && (r->lean ||
	    (load_u64(r->all.bytes + r->head_at) == r->interps.list[0].addr &&
		all_linked(r)));
}

/* What an interpreter's GIL and its count say. */
static bool
read_interp(struct remote *r, struct interp *in, struct py_view *globals)
{
	const uint8_t *count = r->all.bytes + in->count_at;

	in->stamp = codes_stamp(r->chains.codes, in->addr, in->count, count);
	memcpy(in->count, count, codes_counts_size(r->chains.codes));
	return interp_look(&r->interps, in, globals);
}

/* What can have come to differ of a thread that has not run any Python code:
 * it began to wait for the GIL, or it ran without it.  Only a state that says
 * who wants the GIL need be read for that. */
static void
doubt_status(const struct remote *r, const struct interp *in, struct thread *t)
{
	bool moved = in->gil.waiting != in->was.waiting;

	t->stale |= moved && py_has(r->offsets->thread_gil_requested);
	t->unsure |= moved ||
	    (t->live && (t->status & TACH_STATUS_CPU) != 0);
}

/*
 * Marks the threads whose last sample does not hold any more.  Where threads
 * come and go all the time, the lists never hold still: at last they need not.
 * A thread that has ended meanwhile has no frames, so it has no sample.
 */
static bool
take_note(struct remote *r, bool last)
{
	struct py_view globals;

	r->spans.count = 0;
	if (!spans_add(&r->spans, &r->all, r->globals_first, r->interps.globals.count,
		r->globals_at))
		return false;
	globals = spans_view(&r->spans);
	r->listed = lists_same(r, &globals);
	if (!r->listed && !last)
		return false;
	r->kept = true;
	for (size_t i = 0; i < r->interps.count; i++) {
		if (!read_interp(r, &r->interps.list[i], &globals))
			return false;
		r->kept &= interp_is_kept(&r->interps.list[i]);
	}
	for (size_t i = 0; i < r->threads.count; i++) {
		struct thread *t = &r->threads.list[i];
		const struct interp *in = interp_of(r, t);
		t->stale = t->stale || may_have_run(r, t);
		doubt_status(r, in, t);
	}
	return true;
}

/* ---- samples ----------------------------------------------------------- */

/* Leaves only the outermost frames of the newest chain. */
static void
cut_chain(struct remote *r, size_t depth)
{
	struct py_chain *c = &r->chains.chain;

	memmove(c->places, c->places + (c->depth - depth),
	    depth * sizeof(*c->places));
	c->depth = depth;
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

/* A thread that has no sample yet has to be found before it is read: what is
 * believed of it depends on where it runs. */
static void
find_thread(struct remote *r, struct thread *t)
{
	struct chains *c = &r->chains;
	struct py_piece id = {t->py.addr + c->id_field, sizeof(c->tid),
	    &c->tid};

	if (t->task == 0 && live(r)->read(live(r), &id, 1))
		t->task = process_thread(r->process, find_tid(r, t));
}

/* Reads a thread that stands still for it, and until it is let go.  One that is
 * blocked does so anyway, and some calls would end early if it was stopped.  One
 * that stands amid the making of a call goes on, and is stopped once more. */
static bool
read_stopped(struct remote *r, struct thread *t, size_t *sure)
{
	bool whole = false;

	for (int i = 0; i < STOP_TRIES && !whole; i++) {
		if (i > 0) {
			stop_release_all(&r->stops);
			twice_wait();
		}
		t->held = t->task != 0 && status_runs(t) &&
		    stop_thread(&r->stops, t->task);
		whole = twice_read(&r->chains, t, sure);
		if (!t->held)
			break;
	}
	return whole;
}

/* Reads a thread's newest chain: from the copy, if that can be trusted. */
static bool
read_chain(struct remote *r, struct thread *t, size_t *sure)
{
	const struct interp *in = interp_of(r, t);

	t->stale = !t->copied || may_have_run(r, t);
	if (!t->stale &&
	    first_walk(&r->chains, t, &r->all, in->gc, &in->stamp))
		return true;
	find_thread(r, t);
	if (t->copied && near_held(&r->chains.near, t->task) &&
	    first_walk(&r->chains, t, &r->all, in->gc, &in->stamp))
		return true;
	if (r->options->blocking) {
		t->stale = true;
		return read_stopped(r, t, sure);
	}
	if (t->copied && t->stale &&
	    first_know(&r->chains, t, &r->all, in->gc, &in->stamp))
		return true;
	t->stale = true;
	return twice_read(&r->chains, t, sure);
}

/* Takes the id that the thread state gave.  False: it is no thread yet; in a
 * process that was forked, the id is its parent's at first. */
static bool
bind_thread(struct remote *r, struct thread *t)
{
	bool told = py_has(r->offsets->thread_native_thread_id);

	thread_bind(t, r->process, find_tid(r, t));
	if (t->tid == 0 || (told && t->task == 0))
		return false;
	t->index = thread_names_add(r->names, (uint32_t)t->py.interp_id,
	    t->tid);
	return t->index != TACH_NONE;
}

/* Whether a thread that holds its GIL has gone on since its last sample, which
 * is recent. */
static bool
has_just_run(const struct remote *r, const struct thread *t, uint64_t time_us)
{
	const struct py_chain *now = &r->chains.chain, *then = &t->chain;

	return t->holds_gil && time_us - t->time_us <= RECENT &&
	    (t->status & TACH_STATUS_CPU) != 0 && then->depth > 0 &&
	    (now->places[0].instr != then->places[0].instr ||
		now->places[0].frame != then->places[0].frame);
}

static struct moment
moment_of(struct remote *r, const struct thread *t, uint64_t time_us)
{
	const struct interp *in = interp_of(r, t);

	return (struct moment){.time_us = time_us,
	    .offsets = r->offsets,
	    .gil = in->gil_at,
	    .holds_gil = t->holds_gil,
	    .wants_gil = chains_wants_gil(&r->chains),
	    .ran = has_just_run(r, t, time_us),
	    .exception = chains_exception(&r->chains, t, &r->none)};
}

static bool
holds_gil(const struct remote *r, const struct thread *t)
{
	const struct interp *in = interp_of(r, t);

	if (r->offsets->active == 0)
		return in->gil.locked && in->gil.holder == t->py.addr;
	return t->copied && (chains_state(&r->chains, r->all.bytes + t->copy,
	    r->offsets->thread_status) & r->offsets->active) != 0;
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

static void
count_failure(const struct remote *r, struct tach_recorder_stats *stats)
{
	stats->failed++;
	switch (r->chains.trouble) {
	case CHAIN_UNREADABLE:
		stats->unreadable++;
		break;
	case CHAIN_MOVING:
		stats->moving++;
		break;
	case CHAIN_UNKNOWN:
		stats->unknown++;
		break;
	}
}

/* ---- local variables --------------------------------------------------- */

void
remote_locals(struct remote *r, const struct tach_locals *l)
{
	r->locals = *l;
}

/* Whose variable it is. */
struct local_of {
	const struct tach_locals *locals;
	uint32_t outer;
};

static void
tell_local(void *arg, const char *name, const char *value, size_t len)
{
	const struct local_of *of = arg;

	of->locals->tell(of->locals->arg, of->outer,
	    (struct tach_string){name, strlen(name)},
	    (struct tach_string){value, len});
}

static void
tell_locals(const struct remote *r)
{
	const struct py_chain *c = &r->chains.chain;
	struct py_objects objects = {r->offsets, live(r)};

	for (size_t i = 0; i < c->depth; i++) {
		struct local_of of = {&r->locals,
		    (uint32_t)(c->depth - 1 - i)};
		if (!place_is_mark(&c->places[i]) &&
		    !locals_read(&objects, &c->places[i], tell_local, &of))
			r->locals.tell(r->locals.arg, of.outer,
			    (struct tach_string){0}, (struct tach_string){0});
	}
}

/* ---- one thread -------------------------------------------------------- */

/* Reads a chain, and if it is one of a task, joins those that wait for that
 * one.  Where that cannot be, the event loop's frames stay. */
static bool
read_stack(struct remote *r, struct thread *t, size_t *sure)
{
	bool whole = read_chain(r, t, sure);

	if (r->tasks == NULL || !tasks_found(r->tasks, clock_ns()))
		return whole;
	for (int i = 0; i < TASK_TRIES && whole &&
	    !tasks_extend(r->tasks, t, &r->chains.chain); i++)
		whole = twice_read(&r->chains, t, sure);
	return whole;
}

/*
 * Whether a thread is in another interpreter meanwhile: it has a thread state
 * in each that it has entered, all with frames, and is in the one whose code
 * began deepest in its C stack.  Before 3.13 a state can name another thread
 * than that which it runs in, but their stacks are apart.
 */
static bool
is_elsewhere(const struct remote *r, const struct thread *t)
{
	if (r->interps.count < 2 || t->stack == 0)
		return false;
	for (size_t i = 0; i < r->threads.count; i++) {
		const struct thread *u = &r->threads.list[i];
		if (u->tid == t->tid && u->stack != 0 && !u->gone &&
		    u->stack < t->stack && t->stack - u->stack < STACK_MAX)
			return true;
	}
	return false;
}

/* Where frames lie apart, those that the last samples did not have would soon
 * be most of what is copied.  Those that the last one had are noted, if one is.
 * Without memory some are lacking, and found. */
static void
renew_set(const struct remote *r, struct thread *t)
{
	const struct py_chain *c = &r->chains.chain;
	struct workset old = t->set;
	size_t n;

	if (!chains_lie_apart(&r->chains))
		return;
	n = c->depth - (t->samples > 0 ? chain_shared(c, &t->chain) : 0);
	for (size_t i = 0; i < n; i++)
		if (!place_is_mark(&c->places[i]))
			workset_add(&t->needed, c->places[i].frame,
			    r->offsets->frame_size);
	if (++t->samples < NEEDED)
		return;
	t->samples = 0;
	t->set = t->needed;
	t->needed = old;
	workset_clear(&t->needed);
}

/* What it does is not wanted.  Until it can have moved that stays so. */
static void
pass_over(struct thread *t, uint8_t status)
{
	t->passed = true;
	t->stale = false;
	t->status = status;
}

static bool
take_sample(struct remote *r, struct thread *t, uint64_t time_us,
    struct tach_sink *sink, struct tach_recorder_stats *stats)
{
	size_t sure = 0;
	bool whole;
	struct moment m;

	t->done = true;
	t->live = t->passed = t->held = t->unsure = false;
	t->holds_gil = holds_gil(r, t);
	if (!is_wanted(r, t))
		return true;
	whole = read_stack(r, t, &sure);
	if (!whole && sure == 0) {
		if (!r->chains.ended)
			count_failure(r, stats);
		return true;
	}
	t->stack = 0;
	if (r->chains.chain.depth == 0)
		return true; /* runs no Python code */
	t->stack = r->chains.chain.stack;
	if (!bind_thread(r, t)) {
		t->stale = true;
		return true;
	}
	if (is_elsewhere(r, t))
		return true;
	m = moment_of(r, t, time_us);
	m.status = status_of(r->process, t, &m);
	if (!is_wanted(r, t) || !status_kept(r->options, m.status)) {
		pass_over(t, m.status);
		return true;
	}
	if (!whole)
		cut_chain(r, sure);
	if (r->locals.tell != NULL)
		tell_locals(r);
	renew_set(r, t);
	stats->samples++;
	stats->torn += !whole;
	stats->compiled += chains_compiled(&r->chains);
	t->live = whole && r->options->async != TACH_ASYNC_ALL;
	t->sound = whole && r->chains.sound;
	t->count = r->chains.stamp.count;
	t->time_us = time_us;
	t->wants_gil = m.wants_gil;
	t->exception = m.exception;
	return emit_sample(&r->emitter, t, &r->chains.chain, !whole, &m, sink);
}

/* A thread that had to stand still goes on afterwards. */
static bool
sample_thread(struct remote *r, struct thread *t, uint64_t time_us,
    struct tach_sink *sink, struct tach_recorder_stats *stats)
{
	bool ok = take_sample(r, t, time_us, sink, stats);

	stop_release_all(&r->stops);
	if (r->options->careful)
		near_leave(&r->chains.near);
	return ok;
}

static bool
sample_copied(struct remote *r, uint64_t time_us, struct tach_sink *sink,
    struct tach_recorder_stats *stats)
{
	for (size_t i = 0; i < r->threads.count; i++) {
		struct thread *t = &r->threads.list[i];
		if (t->copied &&
		    !sample_thread(r, t, time_us, sink, stats))
			return false;
	}
	return true;
}

/* Looks again at what a thread does that did not run.  False: samples of that
 * are not wanted. */
static bool
renew_status(struct remote *r, struct thread *t)
{
	struct moment m = {.offsets = r->offsets,
	    .gil = interp_of(r, t)->gil_at,
	    .holds_gil = t->holds_gil,
	    .wants_gil = t->wants_gil,
	    .exception = t->exception};

	t->unsure = t->held = false;
	t->status = status_of(r->process, t, &m);
	t->live = status_kept(r->options, t->status);
	return t->live;
}

/* The same of one that was passed over: it is wanted if it has got a CPU. */
static void
look_again(struct thread *t)
{
	t->unsure = false;
	t->stale = t->stale || status_runs(t);
}

/* Threads that did not run since their last sample have the same one.  What
 * the copies did not get to is read alone. */
static bool
sample_others(struct remote *r, uint64_t time_us, struct tach_sink *sink,
    struct tach_recorder_stats *stats)
{
	for (size_t i = 0; i < r->threads.count; i++) {
		struct thread *t = &r->threads.list[i];
		if (t->gone || t->done)
			continue;
		t->copied = false;
		if (t->passed && t->unsure)
			look_again(t);
		if (t->stale) {
			if (!sample_thread(r, t, time_us, sink, stats))
				return false;
		} else if (t->live && !is_elsewhere(r, t) &&
		    (!t->unsure || renew_status(r, t))) {
			stats->samples++;
			if (!emit_again(&r->emitter, t, time_us, sink))
				return false;
		}
	}
	return true;
}

/* ---- tasks that wait --------------------------------------------------- */

/* Where samples of tasks go. */
struct task_round {
	struct remote *remote;
	struct moment moment;
	struct tach_sink *sink;
	struct tach_recorder_stats *stats;
	bool failed;
};

static bool
sample_task(void *arg, size_t of, struct py_chain *c)
{
	struct task_round *a = arg;
	struct remote *r = a->remote;
	struct thread *t = &r->threads.list[r->loops[of]];

	a->moment.status = t->status & TACH_STATUS_MAIN;
	a->stats->samples++;
	a->failed = !emit_sample(&r->emitter, t, c, false, &a->moment,
	    a->sink);
	return !a->failed;
}

/* Room for the threads whose tasks are read. */
static bool
reserve_loops(struct remote *r)
{
	size_t n = r->threads.count;
	size_t *loops = reallocarray(r->loops, n, sizeof(*loops));
	struct tasks_of *of = reallocarray(r->tasks_of, n, sizeof(*of));

	if (loops != NULL)
		r->loops = loops;
	if (of != NULL)
		r->tasks_of = of;
	return loops != NULL && of != NULL;
}

/* The tasks that wait, as samples of the threads of their loops. */
static bool
sample_tasks(struct remote *r, uint64_t time_us, struct tach_sink *sink,
    struct tach_recorder_stats *stats)
{
	struct task_round a = {r, {.time_us = time_us}, sink, stats, false};
	size_t n = 0;

	if (r->threads.count == 0)
		return true;
	if (!reserve_loops(r))
		return false;
	for (size_t i = 0; i < r->threads.count; i++) {
		const struct thread *t = &r->threads.list[i];
		if (t->gone || t->tid == 0 || !t->done ||
		    !status_kept(r->options, t->status & TACH_STATUS_MAIN))
			continue;
		r->loops[n] = i;
		r->tasks_of[n++] = (struct tasks_of){t->py.interp, t->py.addr};
	}
	stats->failed += tasks_waiting(r->tasks, r->tasks_of, n, sample_task,
	    &a);
	return !a.failed;
}

/* ---- rounds ------------------------------------------------------------ */

/* Without a GIL each round has begun with whether it has run: that is told
 * once only. */
static void
look_at(const struct remote *r, struct thread *t)
{
	if (!t->live && !t->passed)
		t->stale = true;
	else if ((interp_of(r, t)->counted &&
		     turns_had(&t->turns, r->process, t->task, NULL)) ||
	    ++t->looks % LOOKS == 0)
		t->unsure = true;
}

/*
 * Looks at some threads though there is no sign that they ran: whether one
 * runs is shown by its GIL, but not whether it waits for a CPU after it was
 * blocked, or has gone on to compute without the GIL.  The latter is seen after
 * LOOK_AFTER rounds at the latest, since it has got a CPU, and the former when
 * it gets one, or after LOOKS times as many; and both at once where they end.
 */
static void
look_around(struct remote *r)
{
	size_t n = r->threads.count > 1 ? 1 + r->threads.count / LOOK_AFTER : 0;

	for (; n > 0; n--) {
		r->turn = (r->turn + 1) % r->threads.count;
		look_at(r, &r->threads.list[r->turn]);
	}
}

/* Where no GIL tells who ran: a thread that was blocked when it was read last,
 * and has had no CPU since the look before that, is where it was then; so what
 * is read of it from now on holds for as long as that goes on. */
static void
look_for_rest(struct remote *r, struct thread *t)
{
	struct watcher *w = r->threads.count >= MANY ? &r->watcher : NULL;
	bool blocked = (t->live || t->passed) &&
	    (t->status & TACH_STATUS_CPU) == 0 &&
	    !turns_had(&t->turns, r->process, t->task, w);

	t->rests = blocked && t->blocked;
	t->blocked = blocked;
}

/* What the first rounds need of new threads is a lot. */
static void
forget_room(struct remote *r)
{
	if (r->round % FORGET_AFTER == 0)
		snapshot_free(&r->all);
}

static void
begin_round(struct remote *r)
{
	forget_room(r);
	for (size_t i = 0; i < r->threads.count; i++) {
		struct thread *t = &r->threads.list[i];
		t->done = t->copied = false;
		if (!interp_of(r, t)->counted)
			look_for_rest(r, t);
		/* Its last sample is one of a task that waits. */
		t->stale |= r->options->async == TACH_ASYNC_ALL;
		if ((r->round + i) % FORGET_AFTER == 0)
			workset_clear(&t->set);
	}
}

static bool
has_more(const struct remote *r)
{
	for (size_t i = 0; i < r->threads.count; i++) {
		const struct thread *t = &r->threads.list[i];
		if (t->stale && !t->done && !t->gone)
			return true;
	}
	return false;
}

/* A round's first copy without the lists, if they cannot matter. */
static bool
copy_lean(struct remote *r)
{
	bool enough;

	if (!r->listed || !r->kept || r->time_us >= r->lists_due)
		return false;
	r->lean = true;
	enough = copy(r, true) && take_note(r, false) && r->kept;
	r->lean = false;
	return enough;
}

/* A copy of lists that are those that we know, if they can be had. */
static bool
copy_known(struct remote *r, bool first)
{
	r->lists_due = r->time_us + LISTS_AFTER;
	for (int i = 0; i < LIST_TRIES; i++) {
		if (r->listed && copy(r, first) &&
		    take_note(r, i == LIST_TRIES - 1))
			return true;
		if (r->chains.ended || !discover(r))
			return false;
	}
	return false;
}

/* Of more threads that run, the one whose turn it is. */
static void
wait_near(struct remote *r)
{
	for (size_t i = 0; i < r->threads.count; i++) {
		const struct thread *t = &r->threads.list[
		    (r->round + i) % r->threads.count];
		if (t->done && t->task != 0 &&
		    (t->status & TACH_STATUS_CPU) != 0) {
			near_wait(&r->chains.near, t->task);
			return;
		}
	}
}

/* Where the next round is to begin. */
static void
leave_round(struct remote *r)
{
	r->round++;
	if (r->options->blocking)
		wait_near(r);
	else
		near_end_round(&r->chains.near,
		    calls_learned(r->chains.calls));
}

enum remote_result
remote_round(struct remote *r, uint64_t time_us, struct tach_sink *sink,
    struct tach_recorder_stats *stats)
{
	bool first = true;

	r->time_us = time_us;
	begin_round(r);
	for (int i = 0; i < COPIES_MAX && (first || has_more(r)); i++) {
		if (!(first && copy_lean(r)) && !copy_known(r, first))
			return REMOTE_LOST;
		if (!sample_copied(r, time_us, sink, stats))
			return REMOTE_ERROR;
		if (first)
			look_around(r);
		first = false;
	}
	if (!sample_others(r, time_us, sink, stats))
		return REMOTE_ERROR;
	if (r->options->async == TACH_ASYNC_ALL && r->tasks != NULL &&
	    tasks_found(r->tasks, clock_ns()) &&
	    !sample_tasks(r, time_us, sink, stats))
		return REMOTE_ERROR;
	leave_round(r);
	stats->threads = r->names->count;
	stats->retries = r->chains.retries;
	return names_look(r->called, &r->threads, r->names->count, time_us) ?
	    REMOTE_OK : REMOTE_ERROR;
}
