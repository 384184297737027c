/* SPDX-License-Identifier: ISC */
/*
 * tasknumbers.h: numbers of processes and threads, for viewers that want those of Linux.
 * A process that no note tells is an interpreter.  Perfetto uses 32 bits of a thread's
 * number.
 */
#ifndef OUT_TASKNUMBERS_H
#define OUT_TASKNUMBERS_H

#include <stdbool.h>
#include <stdint.h>

#include "out/pairs.h"
#include "tach.h"

struct task_number {
	uint32_t pid, tid;
};

/* All zero at first. */
struct task_numbers {
	struct pairs taken; /* pairs of process and thread number */
	struct pairs processes; /* numbers, by first interpreter and 0 */
	struct pairs pids;	/* these numbers, and 0 */
	uint32_t nlarge;    /* large numbers in use */
	uint32_t nprocesses; /* likewise, of processes */
};

/* Numbers a thread that was not numbered yet.  The process is that of the table's notes
 * or else the interpreter, plus one, since 0 is no process.  A thread's number of more
 * than 32 bits, such as that of pthread_self(3), becomes one that no thread of Linux
 * has, and so does a process's number that another process has.  False if out of
 * memory. */
bool task_numbers_add(struct task_numbers *, const struct tach_table *,
    uint32_t interp, uint64_t thread, struct task_number *);
void task_numbers_clear(struct task_numbers *);

#endif
