/* SPDX-License-Identifier: ISC */
/*
 * children.c: the Pythons among a process's descendants; see tach-record.h.
 *
 * The kernel gives PIDs in turn and tells the last one.  A look for new
 * processes therefore costs one read while no process forks, and else one more
 * file for each new PID.  A process is a descendant if its parent is one.  As
 * the parent may have ended, a process in the session of a descendant is one,
 * too.
 */
#include <stdlib.h>

#include "array.h"
#include "engine/copy/snapshot.h"
#include "engine/locate/find.h"
#include "engine/os/os.h"
#include "engine/threads/tids.h"
#include "error.h"
#include "python/traits.h"
#include "tach-record.h"

#define CANDIDATES_MAX 512
#define PID_FIRST 2
/* How often a process is looked at that is no Python yet.  It can become one by
 * exec, which is cheap to see, and by loading a library. */
#define EXEC_EVERY (2 * NS_PER_MS)
#define LOAD_EVERY (50 * NS_PER_MS)
#define LOAD_SHARE 16 /* or after a 16th of its age, if that is sooner */
#define CROWD 8	      /* with so many processes half as often, and so on */
/* A process that may not be read can be between two programs for so long. */
#define DENIED_FOR (20 * NS_PER_MS)
/* A Python is taken after so long even if no thread state in it names a thread of
 * the process. */
#define FOREIGN_FOR (100 * NS_PER_MS)
/* The time between fork and exec, where that must be guessed. */
#define FORK_FOR (10 * NS_PER_MS)

/* A descendant that is no Python yet. */
struct candidate {
	struct process process;
	/* When it was found, and when to look next for an exec and for a loaded
	 * Python; ns. */
	uint64_t born, exec_at, load_at;
	uint64_t seen; /* for find_python */
	uint64_t program; /* see process_program; 0: not known yet */
	bool told;     /* the caller knows why it cannot be recorded */
};

struct tach_children {
	pid_t root;
	enum find_how how;
	uint8_t *ours; /* a bit for each PID: a descendant had it last */
	struct process_numbers numbers;
	pid_t last; /* the number that was looked at last */
	struct candidate *list;
	size_t count, list_max;
	size_t at; /* the candidate to look at next; 0: look for new ones first */
	uint64_t missed;
	struct py_threads threads;
	struct error error;
};

/* ---- numbers ----------------------------------------------------------- */

static bool
is_our_child(const struct tach_children *c, pid_t pid)
{
	return pid == c->root || (pid > 0 && pid < c->numbers.max &&
	    (c->ours[pid / 8] & 1 << pid % 8) != 0);
}

static void
set_ours(struct tach_children *c, pid_t pid, bool ours)
{
	uint8_t bit = (uint8_t)(1 << pid % 8);

	if (ours)
		c->ours[pid / 8] |= bit;
	else if ((c->ours[pid / 8] & bit) != 0)
		c->ours[pid / 8] &= (uint8_t)~bit;
}

/* ---- new processes ----------------------------------------------------- */

static void
add_candidate(struct tach_children *c, pid_t pid)
{
	struct candidate new = {.born = clock_ns()}, *list;

	/* A PID that cannot be opened is a thread's, or its process has ended. */
	if (!process_open(&new.process, pid))
		return;
	set_ours(c, pid, true);
	list = c->count < CANDIDATES_MAX ? array_grow(c->list, c->count,
	    &c->list_max, sizeof(*list)) : NULL;
	if (list == NULL) {
		c->missed++;
		process_close(&new.process);
		return;
	}
	c->list = list;
	list[c->count++] = new;
}

/* Adds the process of a PID if it is a descendant. */
static void
probe(struct tach_children *c, pid_t pid)
{
	pid_t parent, session;

	set_ours(c, pid, false);
	if (pid != c->root && process_parent(pid, &parent, &session) &&
	    (is_our_child(c, parent) || is_our_child(c, session)))
		add_candidate(c, pid);
}

static void
probe_new(struct tach_children *c)
{
	pid_t last = numbers_last(&c->numbers, c->last);

	while (c->last != last) {
		if (++c->last >= c->numbers.max)
			c->last = PID_FIRST;
		probe(c, c->last);
	}
}

static void
probe_other(void *arg, pid_t pid)
{
	struct tach_children *c = arg;

	if (pid < c->numbers.max && !is_our_child(c, pid))
		probe(c, pid);
}

/* Adds the descendants that are there already.  /proc lists them in any order,
 * so it is read until no more are found. */
static void
probe_all(struct tach_children *c)
{
	size_t before;

	do {
		before = c->count + c->missed;
		numbers_each(probe_other, c);
	} while (c->count + c->missed != before);
}

/* ---- one candidate ----------------------------------------------------- */

/* The thread id that a thread state has; 0 if there is none. */
static uint64_t
tid_of(struct tach_children *c, const struct process *p,
    const struct py_memory *m, const struct py_offsets *o, uint64_t thread)
{
	bool native = py_state_names_thread(o);
	uint32_t field = native ? o->thread_native_thread_id : o->thread_ident;
	struct tids tids = {0};
	uint64_t id;

	if (!py_read(m, thread + field, &id, sizeof(id)))
		return 0;
	return native ? id : tids_find(&tids, p, m, o,
	    &c->threads, id, 0);
}

/* Whether one of the thread states names a thread of this process.  A process
 * that a Python forks to run another program has the parent's memory, with its
 * thread states, until the exec.  To 3.10 the C library's struct tells the
 * thread, a little less reliably. */
static bool
is_own(struct tach_children *c, const struct process *p,
    const struct py_runtime *rt, uint64_t age)
{
	const struct py_offsets *o = &rt->offsets;
	struct process_memory m;

	if (!py_state_names_thread(o) && age < FORK_FOR)
		return false;
	process_memory_init(&m, p->task);
	runtime_threads(&m.memory, rt, &c->threads);
	for (size_t i = 0; i < c->threads.count; i++)
		if (process_thread(p, tid_of(c, p, &m.memory, o,
			c->threads.list[i].addr)) != 0)
			return true;
	return false;
}

static bool
has_exec(struct candidate *k)
{
	uint64_t program = process_program(&k->process);

	if (program == 0 || program == k->program)
		return false;
	k->program = program;
	return true;
}

enum look {
	LOOK_NONE,   /* no Python yet */
	LOOK_PYTHON,
	LOOK_CANNOT, /* the error says why; told once */
	LOOK_GONE,
};

static enum look
cannot(struct candidate *k, bool yet)
{
	if (k->told || !yet)
		return LOOK_NONE;
	k->told = true;
	return LOOK_CANNOT;
}

static enum look
look_inside(struct tach_children *c, struct candidate *k, uint64_t age)
{
	struct py_runtime rt;

	switch (find_python(&k->process, c->how, &k->seen, &rt, &c->error)) {
	case FIND_EMPTY:
		return LOOK_PYTHON;
	case FIND_OK:
		if (age >= FOREIGN_FOR || is_own(c, &k->process, &rt, age))
			return LOOK_PYTHON;
		k->seen = 0;
		k->load_at = 0;
		return LOOK_NONE;
	case FIND_UNSUPPORTED:
		return cannot(k, true);
	case FIND_DENIED:
		k->seen = 0;
		return cannot(k, age >= DENIED_FOR);
	default:
		return LOOK_NONE;
	}
}

/* The more candidates there are, the less often each is looked at. */
static enum look
look_at_child(struct tach_children *c, struct candidate *k)
{
	uint64_t now = clock_ns(), age = now - k->born;
	uint64_t crowd = 1 + c->count / CROWD, wait = LOAD_EVERY * crowd;

	if (process_ended(&k->process))
		return LOOK_GONE;
	if (now < k->exec_at)
		return LOOK_NONE;
	k->exec_at = now + EXEC_EVERY * crowd;
	if (!has_exec(k) && now < k->load_at)
		return LOOK_NONE;
	if (age / LOAD_SHARE < wait)
		wait = age / LOAD_SHARE;
	k->load_at = now + wait;
	return look_inside(c, k, age);
}

static void
drop_child(struct tach_children *c, size_t i)
{
	process_close(&c->list[i].process);
	c->list[i] = c->list[--c->count];
}

/* ---- all --------------------------------------------------------------- */

struct tach_children *
tach_children_new(pid_t root, bool pre_release)
{
	struct tach_children *c = calloc(1, sizeof(*c));

	if (c == NULL)
		return NULL;
	c->root = root;
	c->how = pre_release ? FIND_EARLY : FIND_SHALLOW;
	if (!numbers_open(&c->numbers) ||
	    (c->ours = calloc(1, (size_t)c->numbers.max / 8 + 1)) == NULL) {
		tach_children_free(c);
		return NULL;
	}
	c->last = numbers_last(&c->numbers, 0);
	probe_all(c);
	return c;
}

void
tach_children_free(struct tach_children *c)
{
	if (c == NULL)
		return;
	while (c->count > 0)
		drop_child(c, c->count - 1);
	numbers_close(&c->numbers);
	runtime_threads_free(&c->threads);
	free(c->list);
	free(c->ours);
	free(c);
}

int
tach_children_next(struct tach_children *c, pid_t *pid)
{
	if (c->at == 0)
		probe_new(c);
	while (c->at < c->count) {
		struct candidate *k = &c->list[c->at];
		enum look l = look_at_child(c, k);
		*pid = k->process.pid;
		if (l == LOOK_NONE || l == LOOK_CANNOT)
			c->at++;
		else
			drop_child(c, c->at);
		if (l == LOOK_PYTHON)
			return TACH_OK;
		if (l == LOOK_CANNOT)
			return TACH_WARN;
	}
	c->at = 0;
	return TACH_END;
}

bool
tach_children_young(const struct tach_children *c)
{
	uint64_t now = clock_ns();

	for (size_t i = 0; i < c->count; i++)
		if (now - c->list[i].born < NS_PER_S)
			return true;
	return false;
}

uint64_t
tach_children_missed(const struct tach_children *c)
{
	return c->missed;
}

enum tach_error
tach_children_error(const struct tach_children *c, const char **line)
{
	return error_get(&c->error, line);
}
