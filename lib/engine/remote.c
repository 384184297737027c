/* SPDX-License-Identifier: ISC */
/* remote.c: see remote.h. */
#include "engine/remote.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "engine/chains.h"

#define LIST_TRIES 4	  /* to see lists and GILs that hold still */
#define FORGET_AFTER 2048 /* rounds after which working sets start anew */

/* Synthetic frames; the file is the one that CPython gives its own. */
#define SYNTHETIC_FILE "~"
#define TORN_NAME "<torn>"

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
	struct gil gil;
	bool calm; /* no other thread than gil.holder ran in the meantime */
	uint64_t stamp; /* for codes_check */
	bool stamped;	/* it has one */
};

struct remote {
	const struct process *process;
	const struct py_runtime *runtime;
	const struct py_offsets *offsets;
	struct tach_table *table;
	struct thread_names *names;
	struct chains chains;

	struct py_threads list;
	struct threads threads;
	struct interp *interps;
	size_t ninterps, interps_max;
	struct workset globals; /* what the lists and the GILs need */
	struct snapshot all;	/* of a round */
	struct spans spans;
	uint32_t *frames; /* of the sample that is being made */
	size_t frames_max;
	uint64_t round;
	uint32_t torn_frame;
};

/* ---- making ------------------------------------------------------------------- */

static uint32_t
synthetic_frame(struct tach_table *t, const char *name)
{
	return tach_table_add_frame(t, &(struct tach_frame){
	    .file = tach_table_add_string(t, SYNTHETIC_FILE,
		strlen(SYNTHETIC_FILE)),
	    .func = tach_table_add_string(t, name, strlen(name)),
	    .line = -1, .end_line = -1, .column = -1, .end_column = -1,
	    .opcode = TACH_NO_OPCODE});
}

struct remote *
remote_new(const struct process *p, const struct py_runtime *rt,
    struct tach_table *table, struct thread_names *names)
{
	struct remote *r = calloc(1, sizeof(*r));

	if (r == NULL)
		return NULL;
	r->process = p;
	r->runtime = rt;
	r->offsets = &rt->offsets;
	r->table = table;
	r->names = names;
	r->torn_frame = TACH_NONE;
	if (!chains_init(&r->chains, p, rt, table)) {
		free(r);
		return NULL;
	}
	return r;
}

void
remote_free(struct remote *r)
{
	if (r == NULL)
		return;
	chains_free(&r->chains);
	threads_free(&r->threads);
	workset_free(&r->globals);
	snapshot_free(&r->all);
	spans_free(&r->spans);
	free(r->list.list);
	free(r->interps);
	free(r->frames);
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

	if (py_has(o->runtime_gil))
		in->gil_at = r->runtime->addr + o->runtime_gil;
	else if (!py_read(live(r), in->addr + o->interp_gil, &in->gil_at,
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
			&r->interps[i].generation[0]))
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
	    load_u64(copy + o->gil_switches),
	    (int32_t)load_u32(copy + o->gil_locked) > 0};
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
	in->calm = in->gil.holder == after.holder &&
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

/* Room for the frames of a chain and a synthetic one. */
static bool
reserve_frames(struct remote *r, size_t depth)
{
	void *p;

	if (depth + 1 <= r->frames_max)
		return true;
	p = reallocarray(r->frames, (depth + 1) * 2, sizeof(*r->frames));
	if (p == NULL)
		return false;
	r->frames = p;
	r->frames_max = (depth + 1) * 2;
	return true;
}

static void
swap_sample(struct remote *r, struct thread *t)
{
	uint32_t *frames = t->frames;
	size_t max = t->frames_max;
	struct py_chain chain = t->chain;

	t->frames = r->frames;
	t->frames_max = r->frames_max;
	t->chain = r->chains.chain;
	r->frames = frames;
	r->frames_max = max;
	r->chains.chain = chain;
}

/* Whether its last run in the file is its last sample: the number of a thread
 * can pass from one thread state to another. */
static bool
is_continued(struct remote *r, const struct thread *t)
{
	struct thread_name *n = &r->names->list[t->index];
	bool same = n->state == t->py.addr;

	n->state = t->py.addr;
	return same;
}

/* Turns the newest chain into frames; those that the thread's last sample had
 * already are copied.  TACH_NONE: out of memory; else how many those are. */
static uint32_t
map_frames(struct remote *r, const struct thread *t)
{
	const struct py_chain *c = &r->chains.chain;
	size_t shared = 0, fresh;

	if (!reserve_frames(r, c->depth))
		return TACH_NONE;
	if (is_continued(r, t) &&
	    t->replaced == codes_replaced(r->chains.codes))
		shared = chain_shared(c, &t->chain);
	fresh = c->depth - shared;
	for (size_t i = 0; i < fresh; i++)
		if ((r->frames[i] = codes_frame(r->chains.codes,
			&c->places[i])) == TACH_NONE)
			return TACH_NONE;
	if (shared > 0)
		memcpy(r->frames + fresh, t->frames + t->chain.depth - shared,
		    shared * sizeof(*r->frames));
	return (uint32_t)shared;
}

/* Leaves only the outermost frames of the newest chain. */
static void
cut_chain(struct remote *r, size_t depth)
{
	struct py_chain *c = &r->chains.chain;

	memmove(c->places, c->places + (c->depth - depth),
	    depth * sizeof(*c->places));
	c->depth = depth;
}

static uint8_t
status_of(struct remote *r, const struct thread *t)
{
	uint8_t status = thread_status(t, r->process);
	const struct interp *in = find_interp(r, t->py.interp);
	uint32_t wanted = r->offsets->thread_gil_requested;

	if (in != NULL && in->gil.locked && in->gil.holder == t->py.addr)
		return status | TACH_STATUS_GIL;
	if (py_has(wanted) && (uint32_t)chains_state(&r->chains,
		r->all.bytes + t->copy, wanted) != 0)
		status |= TACH_STATUS_GIL_WANTED;
	return status;
}

/* Marks a sample of which only the outermost frames are known.  The next one
 * has nothing to share with it. */
static bool
mark_torn(struct remote *r, struct thread *t, struct tach_run *run)
{
	if (r->torn_frame == TACH_NONE)
		r->torn_frame = synthetic_frame(r->table, TORN_NAME);
	if (r->torn_frame == TACH_NONE)
		return false;
	memmove(t->frames + 1, t->frames, run->depth * sizeof(*t->frames));
	t->frames[0] = r->torn_frame;
	t->chain.depth = 0;
	run->depth++;
	return true;
}

/* Gives the newest chain to the sink, as a sample. */
static bool
emit(struct remote *r, struct thread *t, bool torn, uint64_t time_us,
    struct tach_sink *sink)
{
	uint32_t shared = map_frames(r, t);
	struct tach_tick tick = {time_us, status_of(r, t), 0};
	struct tach_run run = {.thread = t->tid,
	    .interp = (uint32_t)t->py.interp_id, .index = t->index,
	    .depth = (uint32_t)r->chains.chain.depth, .shared = shared,
	    .ticks = &tick, .count = 1};

	if (shared == TACH_NONE)
		return false;
	t->replaced = codes_replaced(r->chains.codes);
	swap_sample(r, t);
	if (torn && !mark_torn(r, t, &run))
		return false;
	run.frames = t->frames;
	return sink->run(sink, &run) == TACH_OK;
}

/* Reads a thread's newest chain.  Only the thread that had its GIL all the
 * time can have moved while the snapshot was made. */
static bool
read_chain(struct remote *r, struct thread *t, size_t *sure)
{
	const struct interp *in = find_interp(r, t->py.interp);

	if (in != NULL && in->calm && in->stamped &&
	    in->gil.holder != t->py.addr &&
	    chains_walk(&r->chains, t, &r->all, in->stamp))
		return true;
	return chains_read(&r->chains, t, sure);
}

/* Takes the id that the thread state gave.  False: it is no thread yet. */
static bool
bind_thread(struct remote *r, struct thread *t)
{
	thread_bind(t, r->process, r->chains.tid);
	if (t->tid == 0)
		return false;
	t->index = thread_names_add(r->names, (uint32_t)t->py.interp_id,
	    t->tid);
	return t->index != TACH_NONE;
}

static bool
sample_thread(struct remote *r, struct thread *t, uint64_t time_us,
    struct tach_sink *sink, struct tach_recorder_stats *stats)
{
	size_t sure = 0;
	bool whole = read_chain(r, t, &sure);

	if (!whole && sure == 0) {
		stats->failed += !r->chains.ended;
		return true;
	}
	if (r->chains.chain.depth == 0 || !bind_thread(r, t))
		return true; /* runs no Python code */
	if (!whole)
		cut_chain(r, sure);
	stats->samples++;
	stats->torn += !whole;
	return emit(r, t, !whole, time_us, sink);
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
