/* SPDX-License-Identifier: ISC */
/*
 * tasks.h: asyncio's tasks as part of stacks: below the coroutine that a task
 * runs comes the task's name, and then the stack of the task that waits for it.
 *
 * Each word that is read of a task is noted.  The task counts if all these words
 * are the same when they are read once more.  A task that waits is not walked anew
 * as long as they stay so.
 */
#ifndef ENGINE_REMOTE_TASKS_H
#define ENGINE_REMOTE_TASKS_H

#include "engine/code/codes.h"
#include "engine/copy/snapshot.h"
#include "engine/os/os.h"
#include "engine/threads/threads.h"
#include "python/runtime.h"
#include "tach.h"

struct tasks;

/* All pointers must outlive it.  NULL if out of memory. */
struct tasks *tasks_new(const struct process *, const struct py_memory *,
    const struct py_runtime *, struct codes *, struct tach_table *);
void tasks_free(struct tasks *);

/* Looks for asyncio in the process now and then.  True once it was found. */
bool tasks_found(struct tasks *, uint64_t now_ns);

/*
 * Makes a thread's chain the stack of the task that it runs: the frames outside of
 * the task's coroutine are replaced by the tasks that wait for it.  If the thread
 * runs no task, the chain stays.  False if the task was not known as it is now, or
 * out of memory: the caller reads the chain again.
 */
bool tasks_extend(struct tasks *, const struct thread *, struct py_chain *);

/*
 * Gives the function the stack of each task of these threads that waits and is in
 * no other task's stack, until it returns false.  `of` is the index of the task's
 * thread; the function may change the chain.  Returns how many tasks could not be
 * read.
 */
struct tasks_of {
	uint64_t interp, thread; /* addresses */
};
typedef bool tasks_fn(void *arg, size_t of, struct py_chain *);
size_t tasks_waiting(struct tasks *, const struct tasks_of *, size_t n,
    tasks_fn *, void *arg);

#endif
