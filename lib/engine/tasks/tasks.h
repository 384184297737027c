/* SPDX-License-Identifier: ISC */
/*
 * tasks.h: asyncio's tasks as part of stacks: below the coroutine that a task
 * runs comes the task's name, and then the stack of the task that waits for it.
 *
 * Each word that is read of a task is noted.  The task counts if all these words
 * are the same when they are read once more.  A task that waits is not walked anew
 * as long as they stay so.
 */
#ifndef ENGINE_TASKS_TASKS_H
#define ENGINE_TASKS_TASKS_H

#include "engine/code/codes.h"
#include "engine/os/os.h"
#include "engine/sample/emit.h"
#include "engine/stack/call_stack.h"
#include "engine/threads/threads.h"
#include "python/runtime.h"
#include "tach-record.h"

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
 * runs no task, the chain stays.  READ_RETRY if the task was not known as it is now:
 * the caller reads the chain again.
 */
enum read_result tasks_extend(struct tasks *, const struct thread *,
    struct py_chain *);

/* A round in which tasks are sampled. */
struct task_round {
	struct threads *threads;
	const struct tach_recorder_options *options;
	struct emitter *emitter;
	uint64_t time_us;
	struct tach_sink *sink;
	struct tach_recorder_stats *stats;
};

/* Makes a sample of each task that waits and is in no other task's stack, as one of
 * its thread, if that was sampled in this round.  Tasks that cannot be read have
 * failed.  False if out of memory, or if the sink failed. */
bool tasks_sample(struct tasks *, const struct task_round *);

#endif
