/* SPDX-License-Identifier: ISC */
/*
 * identity.h: finds the thread of a process that a thread state belongs to, where
 * the state does not name it, or names another one.
 *
 * A state has the kernel's id of the thread that it was made for.  After a fork
 * by C, or before Python's own work after a fork, it is a thread of the parent
 * process.  Another thread can also have taken over the state since.  Then there
 * are two kinds of evidence:
 *
 * The C library registers a list of robust mutexes for each thread.  The list
 * lies in the thread's struct, which begins at the address pthread_self(), and
 * the kernel tells the address of the list.
 *
 * The C stack that the state's code runs on has this struct at its end, or the
 * stack pointer of a waiting thread lies in it.
 *
 * A state that belongs to no thread is a copy from a parent process, or was left
 * behind by a thread that has ended.
 */
#ifndef ENGINE_THREADS_IDENTITY_H
#define ENGINE_THREADS_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "engine/os/os.h"

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
	uint64_t read_us; /* when the tasks were listed */
	bool known; /* once, all tasks were listed and all heads were known */
};

void identity_free(struct identity *);

/* The evidence that a thread state gives. */
struct claim {
	uint64_t pthread; /* pthread_self() of its thread; 0: not known */
	uint64_t stack; /* an address on the C stack that its code runs on; 0:
			 * not known */
	bool only; /* no other state can run: it is the only one, or has the
		    * GIL */
	bool other; /* a thread other than pthread's is sought, whose stack it is: none
		     * if the stack is pthread's own */
};

/* The id of a state's thread as the target knows it.  time_us: now.  0 if no thread
 * of the process is known to be the state's. */
uint64_t identity_find(struct identity *, const struct process *,
    const struct claim *, uint64_t time_us);

/* Whether some search had all evidence: then a state for which this one found no
 * thread has none, or will have one found in a moment. */
bool identity_can_be_known(const struct identity *);

#endif
