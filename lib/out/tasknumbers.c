/* SPDX-License-Identifier: ISC */
/* tasknumbers.c: see tasknumbers.h. */
#include "out/tasknumbers.h"

#define LARGE UINT32_C(0x80000000)

/* The number of an interpreter's process; 0 if out of memory. */
static uint32_t
process_number(struct task_numbers *t, const struct tach_table *table,
    uint32_t interp)
{
	uint32_t first, pid = tach_table_process(table, interp, &first);
	uint32_t known = pairs_find(&t->processes, first, 0);

	if (known != 0)
		return known;
	if (pid == 0)
		pid = interp == UINT32_MAX ? UINT32_MAX : interp + 1;
	while (pairs_find(&t->pids, pid, 0) != 0)
		pid = LARGE | t->nprocesses++;
	return pairs_add(&t->pids, pid, 0, 1) &&
	    pairs_add(&t->processes, first, 0, pid) ? pid : 0;
}

bool
task_numbers_add(struct task_numbers *t, const struct tach_table *table,
    uint32_t interp, uint64_t thread, struct task_number *task)
{
	task->pid = process_number(t, table, interp);
	if (task->pid == 0)
		return false;
	task->tid = thread <= UINT32_MAX ? (uint32_t)thread :
					   LARGE | t->nlarge++;
	while (pairs_find(&t->taken, task->pid, task->tid) != 0)
		task->tid = LARGE | t->nlarge++;
	return pairs_add(&t->taken, task->pid, task->tid, 1);
}

void
task_numbers_clear(struct task_numbers *t)
{
	pairs_clear(&t->taken);
	pairs_clear(&t->processes);
	pairs_clear(&t->pids);
	t->nlarge = t->nprocesses = 0;
}
