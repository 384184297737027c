/* SPDX-License-Identifier: ISC */
/*
 * identity.h: which thread of a process a thread state belongs to, where the
 * state does not say so itself.
 *
 * A state has the kernel's id of the thread that it was made for.  After a fork
 * by C, or before Python's own work after a fork, that is a thread of the parent
 * process; and another thread can have taken over the state since.  Two things
 * tell then.  The C library registers a list of robust mutexes for each thread,
 * which lies in the struct that pthread_self is the address of; the kernel tells
 * its address.  And the C stack that the state's code runs on has that struct at
 * its end, or the stack pointer of a thread that waits.
 * A state that belongs to none is a copy from a parent process, or was left
 * behind by a thread that has ended.
 */
#ifndef ENGINE_THREADS_IDENTITY_H
#define ENGINE_THREADS_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "engine/os/process.h"

/* A thread of the process. */
struct task {
	pid_t id;
	uint64_t head; /* address of its list of robust mutexes; 0: not known */
};

struct identity {
	struct task *list;
	size_t count, max;
	pid_t *ids;
	size_t ids_max;
	uint64_t read_us; /* when they were listed */
	bool known; /* they were, and no head is unknown */
};

void identity_free(struct identity *);

/* What a thread state tells. */
struct claim {
	uint64_t pthread; /* pthread_self of its thread */
	uint64_t stack; /* an address on the C stack that it runs on; 0: not
			 * known */
	bool only; /* no other one can run: it is the only one, or has the
		    * GIL */
};

/* The id by which the thread of a state calls itself; 0: none of the process is
 * known to be its. */
uint64_t identity_find(struct identity *, const struct process *,
    const struct claim *, uint64_t time_us);

/* Whether the last search had all evidence: a state that it did not find a
 * thread for has none. */
bool identity_is_known(const struct identity *);

#endif
