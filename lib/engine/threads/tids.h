/* SPDX-License-Identifier: ISC */
/*
 * tids.h: the kernel's ids of threads that the target's memory names by
 * pthread_self() only, as Python does to 3.10.
 *
 * That is the address of the C library's struct for the thread, and the id is
 * in there.  Where in there it is differs between C libraries, so the place is
 * learned: it is where all threads have different ids of the process's tasks.
 */
#ifndef ENGINE_THREADS_TIDS_H
#define ENGINE_THREADS_TIDS_H

#include "engine/os/process.h"
#include "python/runtime.h"

struct tids {
	uint32_t offset; /* bytes */
	bool known;
	size_t listed;	 /* threads it was learned from, or given up for */
	unsigned tries;	 /* that have failed since */
};

/*
 * The id of the thread that is called `pthread`, one of those in the list.  It
 * was `last`, or 0: then, or if another thread has got the same struct, it is
 * checked against the process's tasks.  0: it has not been found.
 */
uint64_t tids_find(struct tids *, const struct process *,
    const struct py_memory *, const struct py_offsets *,
    const struct py_threads *, uint64_t pthread, uint64_t last);

#endif
