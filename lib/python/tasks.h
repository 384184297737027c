/* SPDX-License-Identifier: ISC */
/*
 * tasks.h: asyncio's tasks in a process's memory: which there are, where their
 * coroutines wait, and who waits for them.
 */
#ifndef PYTHON_TASKS_H
#define PYTHON_TASKS_H

#include "python/frames.h"
#include "python/objects.h"

/* What module _asyncio of CPython 3.14 and later says of itself, in a section
 * of this name: one u64 after the other. */
#define TASKS_SECTION ".AsyncioDebug"
#define TASKS_DEBUG_SIZE 104 /* bytes */

struct task_offsets {
	uint64_t size, name, awaited_by, is_task, awaited_by_is_set, coro, node;
	uint64_t interp_size, interp_tasks;
	uint64_t thread_size, running_loop, running_task, thread_tasks;
};

/* Checks that every offset lies in its struct.  False: they make no sense. */
bool task_offsets_load(const uint8_t *debug, struct task_offsets *);

#define TASK_NAME_MAX 256 /* bytes; longer names are cut */

/* A task, as it is at one moment. */
struct py_task {
	uint64_t addr;
	uint64_t coro;
	char name[TASK_NAME_MAX]; /* terminated */
	uint64_t waiter; /* a task that waits for it, or 0 */
	size_t waiters;	 /* how many do */
};

/* Where tasks are read from. */
struct py_tasks {
	struct py_objects objects;
	struct task_offsets offsets;
};

/* The task that a thread runs, or 0. */
bool task_running(const struct py_tasks *, uint64_t thread, uint64_t *task);

/* Reads a task.  Of several that wait for it, waiter is the one at the lowest
 * address; futures that are no tasks are passed over. */
bool task_read(const struct py_tasks *, uint64_t addr, struct py_task *);

/* The frame of a coroutine. */
uint64_t task_frame(const struct py_tasks *, uint64_t coro);

/*
 * Adds the frames of a suspended coroutine, and of what it awaits, innermost
 * first: coroutines, generators and asynchronous generators.  One that runs
 * has none to add, nor has what awaits nothing of Python's.  False: memory
 * cannot be read, or ours ran out.
 */
bool task_frames(const struct py_tasks *, uint64_t coro, struct py_chain *);

/* Calls the function for every task in a thread's list until it returns
 * false.  False also: the list changed while it was read. */
bool tasks_each(const struct py_tasks *, uint64_t head,
    bool (*each)(void *arg, uint64_t task), void *arg);

#endif
