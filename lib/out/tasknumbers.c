/* SPDX-License-Identifier: ISC */
/* tasknumbers.c: see tasknumbers.h. */
#include "out/tasknumbers.h"

#define LARGE UINT32_C(0x80000000)

bool
task_numbers_add(struct task_numbers *t, uint32_t interp, uint64_t thread,
    struct task_number *task)
{
	task->pid = interp == UINT32_MAX ? UINT32_MAX : interp + 1;
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
	t->nlarge = 0;
}
