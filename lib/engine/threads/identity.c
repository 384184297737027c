/* SPDX-License-Identifier: ISC */
/* identity.c: see identity.h. */
#include "engine/threads/identity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "array.h"

#define STRUCT_SIZE 4096 /* bytes: the C library's struct of a thread is
			  * smaller, and no two are closer to each other */
#define LISTED_FOR 1000 /* us: tasks are listed again after that */

void
identity_free(struct identity *i)
{
	free(i->list);
	free(i->ids);
	*i = (struct identity){0};
}

/* ---- tasks ------------------------------------------------------------- */

static uint64_t
head_of(pid_t task)
{
	void *head = NULL;
	size_t size;

	return syscall(SYS_get_robust_list, task, &head, &size) == 0 ?
	    (uint64_t)(uintptr_t)head : 0;
}

/* False if out of memory, or if its head is not known. */
static bool
add_task(struct identity *i, pid_t id)
{
	struct task *p = array_grow(i->list, i->count, &i->max, sizeof(*p));

	if (p == NULL)
		return false;
	i->list = p;
	p[i->count] = (struct task){id, head_of(id)};
	return p[i->count++].head != 0;
}

/* Lists the tasks, unless the last list is new enough.  If memory runs out, tasks
 * are missing. */
static void
list_tasks(struct identity *i, const struct process *p, uint64_t time_us)
{
	size_t n;
	bool all;

	if (i->count > 0 && time_us - i->read_us < LISTED_FOR)
		return;
	n = process_tasks(p, &i->ids, &i->ids_max);
	i->read_us = time_us;
	i->count = 0;
	all = n > 0;
	for (size_t k = 0; k < n; k++)
		all &= add_task(i, i->ids[k]);
	i->known |= all;
}

/* ---- evidence ---------------------------------------------------------- */

static pid_t
by_struct(const struct identity *i, uint64_t pthread)
{
	for (size_t k = 0; k < i->count; k++)
		if (pthread != 0 && i->list[k].head - pthread < STRUCT_SIZE)
			return i->list[k].id;
	return 0;
}

static bool
is_in(const struct mapping *m, uint64_t addr)
{
	return addr >= m->start && addr < m->end;
}

/* The thread that has its stack in a mapping; 0 if none is found.  The main
 * thread's stack has no struct at its end, and stacks of other threads can lie
 * next to each other. */
static pid_t
in_mapping(const struct identity *i, const struct mapping *m,
    const struct claim *c)
{
	const struct task *best = NULL;
	uint64_t stack = c->stack;
	bool own;

	for (size_t k = 0; k < i->count; k++) {
		const struct task *t = &i->list[k];
		if (is_in(m, t->head) && t->head > stack &&
		    (best == NULL || t->head < best->head))
			best = t;
	}
	/* The list may lack the thread, as one that has just begun. */
	own = c->pthread > stack && is_in(m, c->pthread) &&
	    (best == NULL || c->pthread < best->head);
	if (own && (best != NULL || c->other))
		return 0;
	if (best != NULL)
		return best->id;
	for (size_t k = 0; k < i->count; k++)
		if (is_in(m, task_state(i->list[k].id, -1).call.stack))
			return i->list[k].id;
	return 0;
}

static pid_t
by_stack(const struct identity *i, const struct process *p,
    const struct claim *c)
{
	struct mappings ms;
	pid_t found = 0;

	if (c->stack == 0 || !process_mappings(p, &ms))
		return 0;
	for (size_t k = 0; k < ms.count && found == 0; k++)
		if (is_in(&ms.list[k], c->stack))
			found = in_mapping(i, &ms.list[k], c);
	mappings_free(&ms);
	return found;
}

/* The only thread of the process, if nothing else is known, as after a fork that
 * the C library did not see; else 0.  musl registers no lists, so that its threads
 * are all like that: an older list may be of before a second one began. */
static pid_t
by_number(const struct identity *i, bool only, uint64_t time_us)
{
	return only && i->read_us == time_us && i->count == 1 &&
	    i->list[0].head == 0 ? i->list[0].id : 0;
}

uint64_t
identity_find(struct identity *i, const struct process *p,
    const struct claim *c, uint64_t time_us)
{
	pid_t task;

	list_tasks(i, p, time_us);
	task = c->other ? 0 : by_struct(i, c->pthread);
	if (task == 0 && (task = by_stack(i, p, c)) == 0)
		task = by_number(i, c->only, time_us);
	return task != 0 ? process_thread_id(p, task) : 0;
}

bool
identity_can_be_known(const struct identity *i)
{
	return i->known;
}
