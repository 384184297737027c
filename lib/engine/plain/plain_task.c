/* SPDX-License-Identifier: ISC */
/* plain_task.c: see plain_task.h. */
#include "engine/plain/plain_task.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "array.h"
#include "buf.h"
#include "utf8.h"

#define NAME_READS 4 /* of a thread: it gets its name soon after it begins */

static void
plain_task_free(struct plain_task *t)
{
	if (t->state_fd >= 0)
		close(t->state_fd);
	switches_free(&t->switches);
	free(t->frames);
}

void
plain_tasks_free(struct plain_tasks *ts)
{
	for (size_t i = 0; i < ts->count; i++)
		plain_task_free(&ts->list[i]);
	free(ts->list);
	free(ts->ids);
	*ts = (struct plain_tasks){0};
}

/* ---- the list ---------------------------------------------------------- */

static struct plain_task *
find_task(const struct plain_tasks *ts, pid_t task)
{
	for (size_t i = 0; i < ts->count; i++)
		if (ts->list[i].task == task)
			return &ts->list[i];
	return NULL;
}

/* Adds a thread, unless it ends just now.  False if out of memory. */
static bool
add_task(struct plain_tasks *ts, const struct process *p, struct thread_names *names,
    pid_t task)
{
	struct plain_task *list = array_grow(ts->list, ts->count, &ts->max,
	    sizeof(*list));
	struct plain_task t = {.task = task, .listed = true,
	    .tid = process_thread_id(p, task)};

	if (list == NULL)
		return false;
	ts->list = list;
	if (t.tid == 0)
		return true;
	if ((t.index = thread_names_add(names, 0, t.tid)) == TACH_NONE)
		return false;
	t.state_fd = task_open(p, task);
	switches_init(&t.switches);
	list[ts->count++] = t;
	return true;
}

static void
drop_unlisted(struct plain_tasks *ts)
{
	size_t kept = 0;

	for (size_t i = 0; i < ts->count; i++) {
		if (ts->list[i].listed)
			ts->list[kept++] = ts->list[i];
		else
			plain_task_free(&ts->list[i]);
	}
	ts->count = kept;
}

bool
plain_tasks_list(struct plain_tasks *ts, const struct process *p,
    struct thread_names *names)
{
	size_t n = process_tasks(p, &ts->ids, &ts->ids_max);
	struct plain_task *known;

	for (size_t i = 0; i < ts->count; i++)
		ts->list[i].listed = false;
	for (size_t i = 0; i < n; i++) {
		if ((known = find_task(ts, ts->ids[i])) != NULL)
			known->listed = true;
		else if (!add_task(ts, p, names, ts->ids[i]))
			return false;
	}
	drop_unlisted(ts);
	return true;
}

/* ---- names ------------------------------------------------------------- */

/* thread INTERP THREAD NAME, see tach(5). */
static bool
note_task_name(const struct plain_task *t, struct tach_table *table)
{
	struct buf b = {0};
	uint32_t note = TACH_NONE;

	buf_add_text(&b, "thread 0 ");
	buf_add_number(&b, t->tid);
	buf_add_char(&b, ' ');
	utf8_add(&b, t->name, strlen(t->name));
	buf_add_char(&b, '\0');
	if (!b.failed)
		note = tach_table_add_note(table, b.text);
	buf_clear(&b);
	return note != TACH_NONE;
}

/* Reads a thread's name.  False: it is the one before, or the program's. */
static bool
has_new_name(struct plain_task *t, const struct process *p)
{
	char name[sizeof(t->name)], own[sizeof(t->name)];

	if (!task_name(p, t->task, name, sizeof(name)))
		return false;
	process_name(p, own, sizeof(own));
	if (strcmp(name, own) == 0 || strcmp(name, t->name) == 0)
		return false;
	memcpy(t->name, name, sizeof(name));
	return true;
}

bool
plain_tasks_name(struct plain_tasks *ts, const struct process *p,
    struct tach_table *table)
{
	for (size_t i = 0; i < ts->count; i++) {
		struct plain_task *t = &ts->list[i];
		if (t->depth == 0 || t->named == NAME_READS)
			continue;
		t->named++;
		if (has_new_name(t, p) && !note_task_name(t, table))
			return false;
	}
	return true;
}
