/* SPDX-License-Identifier: ISC */
/* tasks.c: see tasks.h. */
#include "engine/tasks/tasks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "array.h"
#include "engine/copy/pages.h"
#include "engine/os/os.h"
#include "engine/threads/status.h"
#include "native/elf.h"
#include "python/tasks.h"

#define LOOK_EVERY (10 * NS_PER_MS) /* for asyncio, until it is found */
#define TASK_FILE "<task>"	    /* as CPython's profiler calls it */
#define WAITERS_MAX 1000	    /* tasks in one stack */
#define COUNTS_SIZE (CODES_COUNTS * sizeof(uint64_t))
#define TRIES 3			    /* to read all tasks that wait */
#define KEPT_MAX (64u << 20)	    /* bytes that are kept of them */

/* A task of a thread's list. */
struct entry {
	uint64_t addr;
	uint32_t of;  /* index of its thread among the loops */
	bool done;    /* it was sampled in this round */
	bool known;   /* the fields below are still as they were read */
	bool whole;   /* the chain was read, too */
	bool leaf;    /* it is in no other task's stack */
	uint64_t waiter; /* a task that waits for it, or 0 */
	struct page_notes notes;
	struct py_chain chain;
};

struct entries {
	struct entry *list; /* sorted by address */
	size_t count, max;
};

/* Threads whose tasks are read, in this round. */
struct loops {
	struct thread **list;
	size_t count, max;
};

struct tasks {
	const struct process *process;
	const struct py_memory *live;
	const struct py_runtime *runtime;
	struct codes *codes;
	struct tach_table *table, *own; /* own: names that are not proven yet */
	struct py_tasks tasks; /* reads live memory, or either pages below */
	bool found;
	uint64_t look_at, seen; /* ns: the next look; hash of the mappings */
	/* The part of a stack below the coroutine that a task runs, as it was read
	 * last. */
	struct {
		uint64_t thread, frame; /* of its coroutine; 0: not known */
		uint8_t counts[COUNTS_SIZE];
		struct pages pages;
		struct page_notes notes;
		struct py_chain chain;
	} tail;
	/* Tasks that wait. */
	struct loops loops;
	struct pages pages;
	struct entries entries, listed;
	size_t kept;
	struct counts *counts; /* one for each thread */
	size_t ncounts;
	uint64_t *waiters; /* of all known entries, sorted */
	size_t nwaiters, waiters_max;
	struct py_chain chain; /* of a task that is sampled */
};

/* ---- making ------------------------------------------------------------ */

struct tasks *
tasks_new(const struct process *p, const struct py_memory *live,
    const struct py_runtime *rt, struct codes *codes, struct tach_table *table)
{
	struct tasks *t = calloc(1, sizeof(*t));

	if (t == NULL)
		return NULL;
	t->process = p;
	t->live = live;
	t->runtime = rt;
	t->codes = codes;
	t->table = table;
	if ((t->own = tach_table_new()) == NULL) {
		free(t);
		return NULL;
	}
	t->tasks.objects.offsets = &rt->offsets;
	pages_init(&t->tail.pages, live);
	pages_init(&t->pages, live);
	return t;
}

static void
free_entry(struct entry *e)
{
	free(e->notes.list);
	chain_free(&e->chain);
}

void
tasks_free(struct tasks *t)
{
	if (t == NULL)
		return;
	tach_table_free(t->own);
	pages_free(&t->tail.pages);
	free(t->tail.notes.list);
	chain_free(&t->tail.chain);
	free(t->loops.list);
	pages_free(&t->pages);
	for (size_t i = 0; i < t->entries.count; i++)
		free_entry(&t->entries.list[i]);
	free(t->entries.list);
	free(t->listed.list);
	free(t->counts);
	free(t->waiters);
	chain_free(&t->chain);
	free(t);
}

/* ---- finding ----------------------------------------------------------- */

static bool
try_task_mapping(struct tasks *t, const struct mapping *m)
{
	uint8_t debug[TASKS_DEBUG_SIZE];
	uint64_t addr, base;
	int fd = process_open_mapping(t->process, m);
	bool ok;

	if (fd < 0)
		return false;
	ok = elf_find_section(fd, TASKS_SECTION, sizeof(debug), &addr, &base) &&
	    py_read(t->live, m->start - base + addr, debug, sizeof(debug)) &&
	    task_offsets_load(debug, &t->tasks.offsets);
	close(fd);
	return ok;
}

static bool
find_tasks(struct tasks *t)
{
	struct mappings maps = {0};
	bool found = false;

	if (!process_mappings(t->process, &maps))
		return false;
	for (size_t i = 0; maps.hash != t->seen && !found && i < maps.count;
	    i++) {
		const struct mapping *m = &maps.list[i];
		found = m->offset == 0 && m->inode != 0 && try_task_mapping(t, m);
	}
	t->seen = maps.hash;
	mappings_free(&maps);
	return found;
}

bool
tasks_found(struct tasks *t, uint64_t now_ns)
{
	if (t->found || now_ns < t->look_at)
		return t->found;
	t->look_at = now_ns + LOOK_EVERY;
	return t->found = find_tasks(t);
}

/* ---- names ------------------------------------------------------------- */

/* Adds a task's name to a chain: a frame that is a string of ->own until it is
 * proven.  False if out of memory. */
static bool
add_name(struct tasks *t, const struct py_task *task, struct py_chain *c)
{
	char name[TASK_NAME_MAX + 32];
	uint32_t index;

	if (task->waiters > 1)
		snprintf(name, sizeof(name), "%s (%zu parents)", task->name,
		    task->waiters);
	else
		snprintf(name, sizeof(name), "%s", task->name);
	index = tach_table_add_string(t->own, name, strlen(name));
	return index != TACH_NONE &&
	    chain_add(c, (struct py_place){.code = PLACE_FRAME,
		.instr = index});
}

/* Turns the names of tasks among a chain's outermost n places into frames of the
 * table.  False if out of memory. */
static bool
name_tasks(struct tasks *t, struct py_chain *c, size_t n)
{
	for (size_t i = c->depth - n; i < c->depth; i++) {
		struct py_place *p = &c->places[i];
		if (p->code != PLACE_FRAME)
			continue;
		p->instr = emit_lineless(t->table, TASK_FILE, tach_table_string(t->own,
		    (uint32_t)p->instr));
		if (p->instr == TACH_NONE)
			return false;
	}
	return true;
}

/* ---- a task and its waiters -------------------------------------------- */

static bool
was_seen(const uint64_t *seen, size_t n, uint64_t addr)
{
	for (size_t i = 0; i < n; i++)
		if (seen[i] == addr)
			return true;
	return false;
}

/* Adds a task's name, then the frames and the name of the task that waits for it,
 * and so on.  Tasks that wait for each other are added once. */
static bool
add_waiters(struct tasks *t, struct py_task *task, struct py_chain *c)
{
	uint64_t seen[WAITERS_MAX];

	for (size_t n = 0;;) {
		seen[n++] = task->addr;
		if (!add_name(t, task, c))
			return false;
		if (task->waiter == 0 || n == WAITERS_MAX ||
		    was_seen(seen, n, task->waiter))
			return true;
		if (!task_read(&t->tasks, task->waiter, task) ||
		    !task_frames(&t->tasks, task->coro, c))
			return false;
	}
}

/* Reads an interpreter's counts of code objects, for the stamp of a stack of
 * tasks. */
static bool
read_counts(const struct tasks *t, uint64_t interp, uint8_t *counts)
{
	struct range at[CODES_COUNTS];
	size_t n = codes_counts(t->codes, interp, at);

	for (size_t i = 0; i < n; counts += at[i++].size)
		if (!py_read(t->live, at[i].addr, counts, at[i].size))
			return false;
	return true;
}

/* Proves a chain that was read twice, with the same result, between two reads of
 * the counts. */
static bool
prove_task(struct tasks *t, uint64_t interp, const uint8_t *before,
    const uint8_t *after, struct py_chain *c)
{
	struct stamp stamp = codes_stamp(t->codes, interp, before, after);

	return codes_originals(t->codes, c, &stamp) &&
	    codes_check(t->codes, c, &stamp, NULL) == c->depth;
}

/* ---- the task that a thread runs --------------------------------------- */

/* The index of a frame in a chain; the chain's depth if it is not there. */
static size_t
find_frame(const struct py_chain *c, uint64_t frame)
{
	size_t i = 0;

	while (i < c->depth && c->places[i].frame != frame)
		i++;
	return i;
}

/* Reads the tail of the task that a thread runs now.  False if it runs none, or if
 * that cannot be read. */
static bool
read_tail(struct tasks *t, const struct thread *th)
{
	uint64_t running, frame;
	struct py_task task;

	t->tail.frame = 0;
	t->tail.chain.depth = 0;
	if (!read_counts(t, th->py.interp, t->tail.counts))
		return false;
	t->tasks.objects.memory = t->live;
	if (!task_running(&t->tasks, th->py.addr, &running) || running == 0)
		return false;
	pages_renew(&t->tail.pages);
	pages_note(&t->tail.pages, &t->tail.notes);
	t->tasks.objects.memory = &t->tail.pages.memory;
	if (!task_running(&t->tasks, th->py.addr, &running) || running == 0 ||
	    !task_read(&t->tasks, running, &task) ||
	    (frame = task_frame(&t->tasks, task.coro)) == 0 ||
	    !add_waiters(t, &task, &t->tail.chain))
		return false;
	t->tail.thread = th->py.addr;
	t->tail.frame = frame;
	return true;
}

static bool
prove_tail(struct tasks *t, uint64_t interp)
{
	uint8_t after[COUNTS_SIZE];

	pages_again(&t->tail.pages);
	return pages_hold(&t->tail.pages, &t->tail.notes) &&
	    read_counts(t, interp, after) &&
	    prove_task(t, interp, t->tail.counts, after, &t->tail.chain);
}

static bool
append(struct py_chain *c, size_t depth, const struct py_chain *tail)
{
	c->depth = depth;
	for (size_t i = 0; i < tail->depth; i++)
		if (!chain_add(c, tail->places[i]))
			return false;
	return true;
}

/* Replaces the frames of a chain from a place on by the tail, which is proven.  False
 * if out of memory. */
static bool
join_tail(struct tasks *t, struct py_chain *c, size_t at)
{
	return append(c, at + 1, &t->tail.chain) &&
	    name_tasks(t, c, t->tail.chain.depth);
}

/* Reads the tail for the next chain: this one is older.  READ_SURE if the chain has no
 * part in it. */
static enum read_result
renew_tail(struct tasks *t, const struct thread *th, const struct py_chain *c)
{
	errno = 0;
	if (!read_tail(t, th))
		return errno == ENOMEM ? READ_NOMEM : READ_SURE;
	return find_frame(c, t->tail.frame) == c->depth ? READ_SURE : READ_RETRY;
}

enum read_result
tasks_extend(struct tasks *t, const struct thread *th, struct py_chain *c)
{
	size_t at = c->depth;

	if (t->tail.frame != 0 && t->tail.thread == th->py.addr)
		at = find_frame(c, t->tail.frame);
	if (at < c->depth && prove_tail(t, th->py.interp))
		return join_tail(t, c, at) ? READ_SURE : READ_NOMEM;
	return codes_failed(t->codes) ? READ_NOMEM : renew_tail(t, th, c);
}

/* ---- the list of tasks ------------------------------------------------- */

struct listing {
	struct tasks *tasks;
	uint32_t of;
};

static bool
list_task(void *arg, uint64_t task)
{
	struct listing *l = arg;
	struct entries *e = &l->tasks->listed;
	struct entry *p = array_grow(e->list, e->count, &e->max, sizeof(*p));

	if (p == NULL)
		return false;
	e->list = p;
	p[e->count++] = (struct entry){.addr = task, .of = l->of};
	return true;
}

static int
entries_by_address(const void *a, const void *b)
{
	uint64_t x = ((const struct entry *)a)->addr;
	uint64_t y = ((const struct entry *)b)->addr;

	return x < y ? -1 : x > y;
}

/* Moves the entries of tasks that are still listed to the new list, which becomes
 * the current one.  The old list's memory is kept for the next one. */
static void
take_over(struct tasks *t)
{
	struct entries old = t->entries;
	size_t k = 0;

	for (size_t i = 0; i < old.count; i++) {
		struct entry *e = &old.list[i];
		while (k < t->listed.count && t->listed.list[k].addr < e->addr)
			k++;
		if (k < t->listed.count && t->listed.list[k].addr == e->addr) {
			e->of = t->listed.list[k].of;
			t->listed.list[k++] = *e;
		} else
			free_entry(e);
	}
	t->entries = t->listed;
	t->listed = old;
}

/* Lists all tasks of the loops.  COPY_FAILED if a list changed while it was read. */
static enum copy_result
list_all(struct tasks *t)
{
	bool ok = true;

	t->listed.count = 0;
	pages_note(&t->pages, NULL);
	errno = 0;
	for (size_t i = 0; i < t->loops.count; i++) {
		struct listing l = {t, (uint32_t)i};
		ok = tasks_each(&t->tasks, t->loops.list[i]->py.addr +
			t->tasks.offsets.thread_tasks, list_task, &l) && ok;
	}
	if (t->listed.count > 0)
		qsort(t->listed.list, t->listed.count,
		    sizeof(*t->listed.list), entries_by_address);
	take_over(t);
	return ok ? COPY_OK : errno == ENOMEM ? COPY_NOMEM : COPY_FAILED;
}

/* ---- reading tasks ----------------------------------------------------- */

/* Counts the memory of an entry.  False if all entries take more than KEPT_MAX. */
static bool
keep(struct tasks *t, const struct entry *e)
{
	t->kept += e->notes.count * sizeof(*e->notes.list) +
	    e->chain.depth * sizeof(*e->chain.places);
	return t->kept <= KEPT_MAX;
}

/* Reads a task's waiter and, if `whole`, its stack.  A task that runs, or has ended,
 * has none. */
static bool
read_entry(struct tasks *t, struct entry *e, bool whole)
{
	struct py_task task;

	pages_note(&t->pages, &e->notes);
	e->chain.depth = 0;
	e->whole = whole;
	if (!task_read(&t->tasks, e->addr, &task))
		return false;
	e->waiter = task.waiter;
	if (whole && (!task_frames(&t->tasks, task.coro, &e->chain) ||
		(e->chain.depth > 0 && !add_waiters(t, &task, &e->chain))))
		return false;
	return keep(t, e);
}

/* Reads a task, which becomes known if that can be done.  False if out of memory. */
static bool
know_entry(struct tasks *t, struct entry *e, bool whole)
{
	errno = 0;
	e->known = read_entry(t, e, whole);
	return e->known || errno != ENOMEM;
}

static int
words_by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Finds the leaves.  The waiter of a task is in that task's stack, so it is none.
 * False if out of memory. */
static bool
find_leaves(struct tasks *t)
{
	t->nwaiters = 0;
	for (size_t i = 0; i < t->entries.count; i++) {
		uint64_t *p = array_grow(t->waiters, t->nwaiters,
		    &t->waiters_max, sizeof(*p));
		if (p == NULL)
			return false;
		t->waiters = p;
		if (t->entries.list[i].known && t->entries.list[i].waiter != 0)
			p[t->nwaiters++] = t->entries.list[i].waiter;
	}
	if (t->nwaiters > 0)
		qsort(t->waiters, t->nwaiters, sizeof(*t->waiters),
		    words_by_number);
	for (size_t i = 0; i < t->entries.count; i++) {
		struct entry *e = &t->entries.list[i];
		e->leaf = t->nwaiters == 0 || bsearch(&e->addr, t->waiters,
		    t->nwaiters, sizeof(*t->waiters), words_by_number) == NULL;
	}
	return true;
}

/* Reads the listed tasks that are not known.  False if out of memory. */
static bool
read_unknown(struct tasks *t)
{
	t->kept = 0;
	for (size_t i = 0; i < t->entries.count; i++) {
		struct entry *e = &t->entries.list[i];
		if (e->known)
			e->known = keep(t, e);
		else if (!know_entry(t, e, false))
			return false;
	}
	return true;
}

/* Reads the stacks of leaves.  False if out of memory. */
static bool
read_leaves(struct tasks *t)
{
	for (size_t i = 0; i < t->entries.count; i++) {
		struct entry *e = &t->entries.list[i];
		if (e->leaf && e->known && !e->whole && !know_entry(t, e, true))
			return false;
	}
	return true;
}

/* An entry stays known if all words noted of it are the same in both copies. */
static void
check_entries(struct tasks *t)
{
	for (size_t i = 0; i < t->entries.count; i++) {
		struct entry *e = &t->entries.list[i];
		e->known = e->known && pages_hold(&t->pages, &e->notes);
	}
}

static void
forget_entries(struct tasks *t)
{
	for (size_t i = 0; i < t->entries.count; i++)
		t->entries.list[i].known = false;
}

/* ---- tasks that wait --------------------------------------------------- */

/* The counts of a thread's interpreter, before and after its tasks are read. */
struct counts {
	uint8_t before[COUNTS_SIZE], after[COUNTS_SIZE];
};

static bool
make_counts(struct tasks *t)
{
	size_t n = t->loops.count;
	struct counts *p = t->counts;

	if (n <= t->ncounts)
		return true;
	if ((p = reallocarray(p, n, sizeof(*p))) == NULL)
		return false;
	t->counts = p;
	t->ncounts = n;
	return true;
}

static bool
read_all_counts(const struct tasks *t, bool before)
{
	for (size_t i = 0; i < t->loops.count; i++)
		if (!read_counts(t, t->loops.list[i]->py.interp, before ?
			t->counts[i].before : t->counts[i].after))
			return false;
	return true;
}

/* Makes the first copies of all pages anew. */
static void
renew_pages(struct tasks *t)
{
	if (pages_renew(&t->pages))
		check_entries(t);
	else
		forget_entries(t);
}

/* Lists the tasks, and reads the ones that have changed. */
static enum copy_result
read_changed(struct tasks *t)
{
	enum copy_result listed = list_all(t);

	if (listed != COPY_OK)
		return listed;
	return read_unknown(t) && find_leaves(t) && read_leaves(t) ? COPY_OK :
								   COPY_NOMEM;
}

/*
 * Reads the tasks that have changed.  The first copies of all pages, also of known
 * tasks, are read before any second copy, so that equal words were there at one
 * moment.  COPY_FAILED if not all could be read.
 */
static enum copy_result
read_round(struct tasks *t)
{
	enum copy_result got;

	if (!make_counts(t))
		return COPY_NOMEM;
	if (!read_all_counts(t, true)) {
		forget_entries(t);
		return COPY_FAILED;
	}
	t->tasks.objects.memory = &t->pages.memory;
	renew_pages(t);
	got = read_changed(t);
	pages_again(&t->pages);
	check_entries(t);
	if (got == COPY_NOMEM || read_all_counts(t, false))
		return got;
	forget_entries(t); /* nothing of them can be proven */
	return COPY_FAILED;
}

/* Makes a sample of ->chain, as one of a thread.  False if out of memory, or if the
 * sink failed. */
static bool
sample_chain(struct tasks *t, struct thread *th, const struct task_round *r)
{
	struct moment m = {.time_us = r->time_us,
	    .status = th->status.bits & TACH_STATUS_MAIN};

	if (t->chain.depth == 0)
		return true;
	thread_names_count(r->emitter->names, th->index, 1, r->stats);
	return emit_sample(r->emitter, th, &t->chain, NULL, NO_LEAVES, false, &m,
	    r->sink);
}

/* Samples an entry, if its stack is proven.  False if out of memory, or if the sink
 * failed. */
static bool
sample_entry(struct tasks *t, struct entry *e, const struct task_round *r)
{
	const struct counts *c = &t->counts[e->of];
	struct thread *th = t->loops.list[e->of];

	if (!append(&t->chain, 0, &e->chain))
		return false;
	if (!prove_task(t, th->py.interp, c->before, c->after, &t->chain))
		return !codes_failed(t->codes);
	if (!name_tasks(t, &t->chain, t->chain.depth))
		return false;
	e->done = true;
	return sample_chain(t, th, r);
}

/* Samples the entries that are known and were not sampled yet. */
static bool
sample_entries(struct tasks *t, const struct task_round *r)
{
	for (size_t i = 0; i < t->entries.count; i++) {
		struct entry *e = &t->entries.list[i];
		if (!e->done && e->leaf && e->known &&
		    !sample_entry(t, e, r))
			return false;
	}
	return true;
}

static size_t
count_missing(const struct tasks *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->entries.count; i++)
		n += t->entries.list[i].leaf && !t->entries.list[i].done;
	return n;
}

/* Adds a thread to the loops.  False if out of memory. */
static bool
add_loop(struct loops *l, struct thread *th)
{
	struct thread **p = array_grow(l->list, l->count, &l->max, sizeof(*p));

	if (p == NULL)
		return false;
	l->list = p;
	p[l->count++] = th;
	return true;
}

/* Whether a thread was sampled, and its tasks that wait may be wanted. */
static bool
may_be_loop(const struct tach_recorder_options *o, const struct thread *t)
{
	return !thread_is_gone(t) && t->index != TACH_NONE && t->done &&
	    status_kept(o, t->status.bits & TACH_STATUS_MAIN);
}

/* Lists the threads whose tasks are read.  False if out of memory. */
static bool
list_loops(struct tasks *t, const struct task_round *r)
{
	t->loops.count = 0;
	for (size_t i = 0; i < r->threads->count; i++) {
		struct thread *th = &r->threads->list[i];
		if (may_be_loop(r->options, th) && !add_loop(&t->loops, th))
			return false;
	}
	return true;
}

bool
tasks_sample(struct tasks *t, const struct task_round *r)
{
	size_t missing = 1;

	if (!list_loops(t, r))
		return false;
	for (size_t i = 0; i < t->entries.count; i++)
		t->entries.list[i].done = false;
	for (int try = 0; try < TRIES && missing > 0; try++) {
		enum copy_result got = read_round(t);
		if (got == COPY_NOMEM || !sample_entries(t, r))
			return false;
		missing = count_missing(t) + (got != COPY_OK);
	}
	r->stats->failed += missing;
	return true;
}
