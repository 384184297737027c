/* SPDX-License-Identifier: ISC */
/*
 * tids.h: the kernel's ids of threads, where the target's memory has only their
 * pthread_self(): to Python 3.10.
 *
 * pthread_self() is the address of the C library's struct for the thread, which
 * has the id in it.  The offset of the id differs between C libraries.  It is
 * learned: at this offset all threads have different ids, each of them the id of
 * one of the process's tasks.
 */
#ifndef ENGINE_THREADS_TIDS_H
#define ENGINE_THREADS_TIDS_H

#include "engine/os/os.h"
#include "python/runtime.h"

struct tids {
	uint32_t offset; /* of the id in the struct; bytes */
	bool known;
	size_t listed;	 /* threads when it was learned, or given up */
	unsigned tries;	 /* failed tries since then */
};

/*
 * The id of a thread of the list, by its pthread_self().  last: its id before, or
 * 0.  The id is checked against the process's tasks if it is another one than
 * before: another thread may have got the same struct.  0 if it is not found.
 */
uint64_t tids_find(struct tids *, const struct process *,
    const struct py_memory *, const struct py_offsets *,
    const struct py_threads *, uint64_t pthread, uint64_t last);

#endif
