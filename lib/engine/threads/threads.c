/* SPDX-License-Identifier: ISC */
/* threads.c: see threads.h. */
#include "engine/threads/threads.h"

#include <stdlib.h>
#include <unistd.h>

#include "array.h"
#include "hash.h"

#define NEEDED 8 /* samples whose frames make a new working set */

/* ---- names ------------------------------------------------------------- */

struct name_key {
	const struct thread_names *names;
	struct thread_name name;
};

static bool
name_equal(const void *arg, uint32_t index)
{
	const struct name_key *k = arg;
	const struct thread_name *n = &k->names->list[index];

	return n->tid == k->name.tid && n->interp == k->name.interp;
}

uint32_t
thread_names_add(struct thread_names *names, uint32_t interp, uint64_t tid)
{
	struct name_key key = {names, {.tid = tid, .interp = interp}};
	uint64_t hash = hash_of(&tid, sizeof(tid), interp);
	uint32_t found = set_find(&names->set, hash, name_equal, &key);
	struct thread_name *p;

	if (found != TACH_NONE)
		return found;
	p = array_grow(names->list, names->count, &names->max, sizeof(*p));
	if (p == NULL)
		return TACH_NONE;
	names->list = p;
	if (!set_add(&names->set, hash, names->count))
		return TACH_NONE;
	p[names->count] = key.name;
	return names->count++;
}

void
thread_names_count(struct thread_names *names, uint32_t index,
    uint64_t samples, struct tach_recorder_stats *stats)
{
	struct thread_name *n = &names->list[index];

	stats->samples += samples;
	stats->threads += !n->counted;
	n->counted = true;
}

void
thread_names_free(struct thread_names *names)
{
	free(names->list);
	set_clear(&names->set);
	*names = (struct thread_names){0};
}

/* ---- the list ---------------------------------------------------------- */

static void
unbind(struct thread *t)
{
	if (t->state_fd >= 0)
		close(t->state_fd);
	t->state_fd = -1;
	switches_free(&t->switches);
	t->looks.waiting = SWITCHES_UNKNOWN;
	t->looks.call.number = TASK_NO_CALL;
	t->id.tid = 0;
	t->task = 0;
	t->last.chain.depth = 0;
	t->last.shown.depth = 0;
	t->last.depth = 0;
	t->memory.stack_end = t->memory.needed_end = 0;
	t->memory.deep = 0;
}

void
thread_free(struct thread *t)
{
	unbind(t);
	workset_free(&t->memory.set);
	workset_free(&t->memory.needed);
	chain_free(&t->last.chain);
	chain_free(&t->last.shown);
	free(t->last.frames);
}

struct thread
thread_new(struct py_thread py)
{
	struct thread t = {.py = py, .state_fd = -1, .interrupt.cpu = -1,
	    .index = TACH_NONE, .last.sampled_us = UINT64_MAX,
	    .last.callee = TACH_NONE, .last.wait = TACH_NONE,
	    .looks = {.waiting = SWITCHES_UNKNOWN,
		.parked = SWITCHES_UNKNOWN, .call.number = TASK_NO_CALL}};

	switches_init(&t.switches);
	return t;
}

static int
threads_by_address(const void *a, const void *b)
{
	const struct thread *x = *(struct thread *const *)a;
	const struct thread *y = *(struct thread *const *)b;

	return x->py.addr < y->py.addr ? -1 : x->py.addr > y->py.addr;
}

/* The threads, sorted by address in a new array.  NULL if out of memory. */
static struct thread **
sorted(const struct threads *ts)
{
	struct thread **old = calloc(ts->count + 1, sizeof(*old));

	for (size_t i = 0; old != NULL && i < ts->count; i++)
		old[i] = &ts->list[i];
	if (old != NULL)
		qsort(old, ts->count, sizeof(*old), threads_by_address);
	return old;
}

bool
threads_update(struct threads *ts, const struct py_threads *list)
{
	struct thread *now = calloc(list->count + 1, sizeof(*now));
	struct thread **old = sorted(ts);

	if (now == NULL || old == NULL) {
		free(now);
		free(old);
		return false;
	}
	for (size_t i = 0; i < list->count; i++) {
		struct thread key = {.py = list->list[i]}, *k = &key;
		struct thread **found = bsearch(&k, old, ts->count,
		    sizeof(*old), threads_by_address);
		now[i] = thread_new(list->list[i]);
		/* A list that changes while it is read can name one twice. */
		if (found != NULL && (*found)->py.interp == key.py.interp) {
			now[i] = **found;
			**found = thread_new((struct py_thread){
			    .addr = key.py.addr});
		}
		if (now[i].fresh != FRESH_STRAY)
			now[i].fresh = FRESH_STALE;
	}
	for (size_t i = 0; i < ts->count; i++)
		thread_free(&ts->list[i]);
	free(ts->list);
	free(old);
	ts->list = now;
	ts->count = list->count;
	return true;
}

void
threads_free(struct threads *ts)
{
	for (size_t i = 0; i < ts->count; i++)
		thread_free(&ts->list[i]);
	free(ts->list);
	*ts = (struct threads){0};
}

/* ---- one thread -------------------------------------------------------- */

void
thread_make_stale(struct thread *t)
{
	if (!thread_is_gone(t))
		t->fresh = FRESH_STALE;
}

void
thread_make_current(struct thread *t)
{
	if (!thread_is_gone(t))
		t->fresh = FRESH_CURRENT;
}

bool
thread_is_gone(const struct thread *t)
{
	return t->fresh == FRESH_GONE || t->fresh == FRESH_STRAY;
}

/* Gives a thread a task, of which nothing is known yet; 0: none. */
static void
take_task(struct thread *t, const struct process *p, pid_t task)
{
	unbind(t);
	t->task = task;
	if (task == 0)
		return;
	t->state_fd = task_open(p, task);
}

void
thread_find(struct thread *t, const struct process *p, uint64_t tid)
{
	pid_t task = process_thread(p, tid);

	if (t->task == 0 || (t->id.tid == 0 && task != 0 && task != t->task))
		take_task(t, p, task);
}

void
thread_bind(struct thread *t, const struct process *p, uint64_t tid)
{
	pid_t task;

	if (tid == t->id.tid)
		return;
	task = process_thread(p, tid);
	if (t->id.tid != 0 || t->task != task)
		take_task(t, p, task);
	t->id.tid = tid;
}

void
thread_renew_set(struct thread *t, const struct py_chain *c, size_t frame_size)
{
	struct thread_memory *m = &t->memory;
	struct workset old = m->set;
	size_t n = c->depth -
	    (m->samples > 0 ? chain_shared(c, &t->last.chain) : 0);

	for (size_t i = 0; i < n; i++)
		if (!place_is_mark(&c->places[i]))
			workset_add(&m->needed, c->places[i].frame, frame_size);
	if (++m->samples < NEEDED)
		return;
	m->samples = 0;
	m->set = m->needed;
	m->needed = old;
	workset_clear(&m->needed);
}
