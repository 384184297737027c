/* SPDX-License-Identifier: ISC */
/*
 * tasknumbers.h: numbers of processes and threads, for viewers that want those of Linux.
 * A process is an interpreter.  Perfetto uses 32 bits of a thread's number.
 */
#ifndef OUT_TASKNUMBERS_H
#define OUT_TASKNUMBERS_H

#include <stdbool.h>
#include <stdint.h>

#include "out/pairs.h"

struct task_number {
	uint32_t pid, tid;
};

/* All zero at first. */
struct task_numbers {
	struct pairs taken; /* pairs of process and thread number */
	uint32_t nlarge;    /* large numbers in use */
};

/* Numbers a thread that was not numbered yet.  The process is the interpreter, plus
 * one, since 0 is no process.  A thread's number of more than 32 bits, such as that
 * of pthread_self(3), becomes one that no thread of Linux has.  False if out of
 * memory. */
bool task_numbers_add(struct task_numbers *, uint32_t interp, uint64_t thread,
    struct task_number *);
void task_numbers_clear(struct task_numbers *);

#endif
