/* SPDX-License-Identifier: ISC */
/*
 * tasks.h: asyncio's tasks as part of stacks: below the coroutine that a task
 * runs comes its name, and then the stack of the task that waits for it.
 *
 * What is read of tasks is noted, and counts if all of it is the same when it
 * is read once more.  What was known of one that waits is not read anew while
 * that is so.
 */
#ifndef ENGINE_REMOTE_TASKS_H
#define ENGINE_REMOTE_TASKS_H

#include "engine/code/codes.h"
#include "engine/copy/snapshot.h"
#include "engine/os/process.h"
#include "engine/threads/threads.h"
#include "python/runtime.h"
#include "tach.h"

struct tasks;

/* All must outlive it.  NULL: out of memory. */
struct tasks *tasks_new(const struct process *, const struct py_memory *,
    const struct py_runtime *, struct codes *, struct tach_table *);
void tasks_free(struct tasks *);

/* Looks for asyncio in the process, if it is time to; true once it is there. */
bool tasks_found(struct tasks *, uint64_t now_ns);

/*
 * Makes a thread's chain the stack of the task that it runs: what is outside
 * of that one's coroutine is replaced by the tasks that wait for it.  False:
 * it runs one, but what was known of that is not what there is now; read the
 * chain again.
 */
bool tasks_extend(struct tasks *, const struct thread *, struct py_chain *);

/*
 * Gives the function the stack of every task of these threads that waits and
 * that no other task waits for, until it returns false, with the index of its
 * thread.  The chain may be changed.  Returns how many could not be read.
 */
struct tasks_of {
	uint64_t interp, thread; /* addresses */
};
typedef bool tasks_fn(void *arg, size_t of, struct py_chain *);
size_t tasks_waiting(struct tasks *, const struct tasks_of *, size_t n,
    tasks_fn *, void *arg);

#endif
