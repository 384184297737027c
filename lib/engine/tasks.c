/* SPDX-License-Identifier: ISC */
/* tasks.c: see tasks.h. */
#include "engine/tasks.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "array.h"
#include "engine/clock.h"
#include "engine/pages.h"
#include "native/elf.h"
#include "python/tasks.h"

#define LOOK_EVERY (10 * NS_PER_MS) /* for asyncio, while it is not there */
#define TASK_FILE "<task>"	    /* as CPython's profiler calls it */
#define WAITERS_MAX 1000	    /* tasks below one another */
#define COUNTS_SIZE (CODES_COUNTS * sizeof(uint64_t))
#define NOTES_MAX (64u << 20)	    /* bytes that are read for one stack */

/* ---- notes: what was read, to be read again -------------------------------------- */

struct notes {
	struct py_memory memory; /* first: reads get its address */
	const struct py_memory *live;
	struct pages pages; /* where it is read from at first */
	struct py_piece *pieces; /* buf: where its bytes lie in these */
	size_t count, max;
	uint8_t *bytes, *again;
	size_t size, room;
};

struct tasks {
	const struct process *process;
	const struct py_memory *live;
	const struct py_runtime *runtime;
	struct codes *codes;
	struct tach_table *table;
	struct py_tasks tasks; /* reads through the notes */
	struct notes notes;
	bool found;
	uint64_t look_at, seen; /* when; what the mappings were then */
	/* What is below the coroutine that a task runs, as it was last. */
	struct {
		uint64_t thread, frame; /* 0: nothing is known */
		uint8_t counts[COUNTS_SIZE];
		struct py_chain chain;
	} tail;
	struct py_chain chain; /* of a task that waits */
	uint64_t *list, *waiters; /* tasks, and those that wait for one */
	size_t nlist, list_max, nwaiters, waiters_max;
};

static bool
make_room(struct notes *n, size_t more)
{
	size_t room = n->room != 0 ? n->room : 4096;
	uint8_t *bytes, *again;

	if (more > NOTES_MAX - n->size)
		return false;
	while (room < n->size + more)
		room *= 2;
	if (room == n->room)
		return true;
	if ((bytes = realloc(n->bytes, room)) != NULL)
		n->bytes = bytes;
	if ((again = realloc(n->again, room)) != NULL)
		n->again = again;
	if (bytes == NULL || again == NULL)
		return false;
	n->room = room;
	return true;
}

static bool
note(struct notes *n, const struct py_piece *piece)
{
	struct py_piece *p = array_grow(n->pieces, n->count, &n->max,
	    sizeof(*p));

	if (p == NULL)
		return false;
	n->pieces = p;
	if (!make_room(n, piece->size))
		return false;
	memcpy(n->bytes + n->size, piece->buf, piece->size);
	p[n->count++] = (struct py_piece){piece->addr, piece->size, NULL};
	n->size += piece->size;
	return true;
}

static bool
read_noted(const struct py_memory *m, const struct py_piece *pieces, size_t n)
{
	struct notes *notes = (struct notes *)(uintptr_t)m;

	if (!notes->pages.memory.read(&notes->pages.memory, pieces, n))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!note(notes, &pieces[i]))
			return false;
	return true;
}

static void
notes_clear(struct notes *n)
{
	n->count = n->size = 0;
}

static bool
notes_hold(struct notes *n)
{
	size_t at = 0;

	for (size_t i = 0; i < n->count; at += n->pieces[i++].size)
		n->pieces[i].buf = n->again + at;
	return n->live->read(n->live, n->pieces, n->count) &&
	    (n->size == 0 || memcmp(n->bytes, n->again, n->size) == 0);
}

/* ---- making ----------------------------------------------------------------------- */

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
	t->notes.memory.read = read_noted;
	t->notes.live = live;
	if (!pages_init(&t->notes.pages, live)) {
		free(t);
		return NULL;
	}
	t->tasks.objects = (struct py_objects){&rt->offsets, &t->notes.memory};
	return t;
}

void
tasks_free(struct tasks *t)
{
	if (t == NULL)
		return;
	pages_free(&t->notes.pages);
	free(t->notes.pieces);
	free(t->notes.bytes);
	free(t->notes.again);
	chain_free(&t->tail.chain);
	chain_free(&t->chain);
	free(t->list);
	free(t->waiters);
	free(t);
}

/* ---- finding ---------------------------------------------------------------------- */

static bool
try_mapping(struct tasks *t, const struct mapping *m)
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
find(struct tasks *t)
{
	struct mappings maps = {0};
	bool found = false;

	if (!process_mappings(t->process, &maps))
		return false;
	for (size_t i = 0; maps.hash != t->seen && !found && i < maps.count;
	    i++) {
		const struct mapping *m = &maps.list[i];
		found = m->offset == 0 && m->inode != 0 && try_mapping(t, m);
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
	return t->found = find(t);
}

/* ---- names ------------------------------------------------------------------------ */

static bool
add_name(struct tasks *t, const struct py_task *task, struct py_chain *c)
{
	char name[TASK_NAME_MAX + 32];
	struct tach_frame frame = {.line = -1, .end_line = -1, .column = -1,
	    .end_column = -1, .opcode = TACH_NO_OPCODE};
	uint32_t index;

	if (task->waiters > 1)
		snprintf(name, sizeof(name), "%s (%zu parents)", task->name,
		    task->waiters);
	else
		snprintf(name, sizeof(name), "%s", task->name);
	frame.file = tach_table_add_string(t->table, TASK_FILE,
	    strlen(TASK_FILE));
	frame.func = tach_table_add_string(t->table, name, strlen(name));
	index = tach_table_add_frame(t->table, &frame);
	return index != TACH_NONE &&
	    chain_add(c, (struct py_place){.code = PLACE_FRAME,
		.instr = index});
}

/* ---- a task and those that wait for it ---------------------------------------------- */

static bool
was_seen(const uint64_t *seen, size_t n, uint64_t addr)
{
	for (size_t i = 0; i < n; i++)
		if (seen[i] == addr)
			return true;
	return false;
}

/* Adds a task's name, then the frames and the name of the one that waits for
 * it, and so on.  Tasks that wait for each other are there once. */
static bool
add_waiters(struct tasks *t, uint64_t addr, struct py_chain *c)
{
	uint64_t seen[WAITERS_MAX];
	struct py_task task;

	for (size_t n = 0; addr != 0 && n < WAITERS_MAX; n++) {
		if (was_seen(seen, n, addr))
			break;
		seen[n] = addr;
		if (!task_read(&t->tasks, addr, &task) ||
		    (n > 0 && !task_frames(&t->tasks, task.coro, c)) ||
		    !add_name(t, &task, c))
			return false;
		addr = task.waiter;
	}
	return true;
}

/* What a stack of tasks needs of an interpreter, to know its code objects. */
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

/* Proves a chain that was read after those counts, and the notes with it. */
static bool
prove(struct tasks *t, uint64_t interp, const uint8_t *counts,
    struct py_chain *c)
{
	uint8_t after[COUNTS_SIZE];
	struct stamp stamp;

	if (!notes_hold(&t->notes) ||
	    !read_counts(t, interp, after))
		return false;
	stamp = codes_stamp(t->codes, interp, counts, after);
	return codes_originals(t->codes, c, &stamp) &&
	    codes_check(t->codes, c, &stamp) == c->depth;
}

/* ---- the task that a thread runs ---------------------------------------------------- */

/* Where in a chain a frame is; its depth if it is not there. */
static size_t
find_frame(const struct py_chain *c, uint64_t frame)
{
	size_t i = 0;

	while (i < c->depth && c->places[i].frame != frame)
		i++;
	return i;
}

/* Reads the tail of the task that a thread runs now.  False: it runs none. */
static bool
read_tail(struct tasks *t, const struct thread *th)
{
	uint64_t running;
	struct py_task task;

	t->tail.frame = 0;
	t->tail.chain.depth = 0;
	notes_clear(&t->notes);
	pages_forget(&t->notes.pages);
	if (!read_counts(t, th->py.interp, t->tail.counts) ||
	    !task_running(&t->tasks, th->py.addr, &running) || running == 0)
		return false;
	if (!task_read(&t->tasks, running, &task) ||
	    !add_waiters(t, running, &t->tail.chain))
		return false;
	t->tail.thread = th->py.addr;
	t->tail.frame = task_frame(&t->tasks, task.coro);
	return true;
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

bool
tasks_extend(struct tasks *t, const struct thread *th, struct py_chain *c)
{
	size_t at = c->depth;

	if (t->tail.frame != 0 && t->tail.thread == th->py.addr)
		at = find_frame(c, t->tail.frame);
	if (at < c->depth &&
	    prove(t, th->py.interp, t->tail.counts, &t->tail.chain))
		return append(c, at + 1, &t->tail.chain);
	/* The chain is older than this: only the next one can be joined. */
	return !read_tail(t, th) || find_frame(c, t->tail.frame) == c->depth;
}

/* ---- tasks that wait ------------------------------------------------------------------ */

static bool
add_address(uint64_t **list, size_t *n, size_t *max, uint64_t addr)
{
	uint64_t *p = array_grow(*list, *n, max, sizeof(*p));

	if (p == NULL)
		return false;
	*list = p;
	p[(*n)++] = addr;
	return true;
}

static bool
list_task(void *arg, uint64_t task)
{
	struct tasks *t = arg;

	return add_address(&t->list, &t->nlist, &t->list_max, task);
}

static int
by_address(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* The tasks of one list, and all that one of them waits for is not a leaf. */
static void
list_tasks(struct tasks *t, uint64_t head)
{
	struct py_task task;

	t->nlist = t->nwaiters = 0;
	notes_clear(&t->notes);
	pages_forget(&t->notes.pages);
	tasks_each(&t->tasks, head, list_task, t);
	for (size_t i = 0; i < t->nlist; i++)
		if (task_read(&t->tasks, t->list[i], &task) &&
		    task.waiter != 0 &&
		    !add_address(&t->waiters, &t->nwaiters, &t->waiters_max,
			task.waiter))
			return;
	if (t->nwaiters > 0)
		qsort(t->waiters, t->nwaiters, sizeof(*t->waiters),
		    by_address);
}

/* Reads the stack of a task that waits.  One that runs, or has ended, has
 * none. */
static bool
read_waiting(struct tasks *t, uint64_t interp, uint64_t addr)
{
	uint8_t counts[COUNTS_SIZE];
	struct py_task task;

	t->chain.depth = 0;
	notes_clear(&t->notes);
	if (!read_counts(t, interp, counts) ||
	    !task_read(&t->tasks, addr, &task) ||
	    !task_frames(&t->tasks, task.coro, &t->chain))
		return false;
	if (t->chain.depth == 0)
		return true;
	return add_waiters(t, addr, &t->chain) &&
	    prove(t, interp, counts, &t->chain);
}

/* The same, not by what was there at the beginning of the round. */
static bool
read_anew(struct tasks *t, uint64_t interp, uint64_t addr)
{
	pages_forget(&t->notes.pages);
	return read_waiting(t, interp, addr);
}

size_t
tasks_waiting(struct tasks *t, const struct tasks_of *of)
{
	size_t failed = 0;

	t->tail.frame = 0; /* its notes go */
	list_tasks(t, of->thread != 0 ?
		of->thread + t->tasks.offsets.thread_tasks :
		of->interp + t->tasks.offsets.interp_tasks);
	for (size_t i = 0; i < t->nlist; i++) {
		if (bsearch(&t->list[i], t->waiters, t->nwaiters,
			sizeof(*t->waiters), by_address) != NULL)
			continue;
		if (!read_waiting(t, of->interp, t->list[i]) &&
		    !read_anew(t, of->interp, t->list[i]))
			failed++;
		else if (t->chain.depth > 0 && !of->each(of->arg, &t->chain))
			break;
	}
	return failed;
}
