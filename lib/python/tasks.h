/* SPDX-License-Identifier: ISC */
/*
 * tasks.h: asyncio's tasks in a process's memory: lists of them, the frames of
 * their coroutines, and the tasks that wait for them.
 */
#ifndef PYTHON_TASKS_H
#define PYTHON_TASKS_H

#include "python/frames.h"
#include "python/objects.h"

/* The section of module _asyncio, in CPython 3.14 and later, that has the sizes
 * and offsets below: one u64 after the other. */
#define TASKS_SECTION ".AsyncioDebug"
#define TASKS_DEBUG_SIZE 104 /* bytes */

struct task_offsets {
	uint64_t size, name, awaited_by, is_task, awaited_by_is_set, coro, node;
	uint64_t interp_size, interp_tasks;
	uint64_t thread_size, running_loop, running_task, thread_tasks;
};

/* Copies the offsets from the section's TASKS_DEBUG_SIZE bytes.  False if one that
 * is used does not lie in its struct. */
bool task_offsets_load(const uint8_t *debug, struct task_offsets *);

#define TASK_NAME_MAX 256 /* bytes; longer names are cut */

/* A task, as it is at one moment. */
struct py_task {
	uint64_t addr;
	uint64_t coro;
	char name[TASK_NAME_MAX]; /* terminated */
	uint64_t waiter; /* a task that waits for it, or 0 */
	size_t waiters;	 /* number of tasks and futures that wait for it */
};

/* The memory that tasks are read from, and the offsets of their fields. */
struct py_tasks {
	struct py_objects objects;
	struct task_offsets offsets;
};

/* Gets the task that a thread runs, or 0.  False if it cannot be read. */
bool task_running(const struct py_tasks *, uint64_t thread, uint64_t *task);

/* Reads a task.  If several wait for it, waiter is the one at the lowest address.
 * If that is a future and no task, the waiter of the future takes its place.
 * False if the address has no task, or if it cannot be read. */
bool task_read(const struct py_tasks *, uint64_t addr, struct py_task *);

/* Returns the address of a coroutine's frame. */
uint64_t task_frame(const struct py_tasks *, uint64_t coro);

/*
 * Adds the frames of a suspended coroutine, and of the coroutines, generators
 * and asynchronous generators that it awaits, innermost first.  It ends before
 * one that runs, and after one that awaits none of these.  False if memory
 * cannot be read, if there are too many, or if memory ran out.
 */
bool task_frames(const struct py_tasks *, uint64_t coro, struct py_chain *);

/* Calls the function for every task in a thread's list, whose head lies at
 * `head`, until it returns false.  False if it did, if the list cannot be read,
 * or if the list changed while it was read. */
bool tasks_each(const struct py_tasks *, uint64_t head,
    bool (*each)(void *arg, uint64_t task), void *arg);

#endif
