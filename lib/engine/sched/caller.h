/* SPDX-License-Identifier: ISC */
/*
 * caller.h: the settings of the thread that runs recorders, and of its process,
 * as they were before a recorder changed them.
 *
 * These are the CPUs that the thread may use, its scheduling and its timer
 * slack, and the process's limit of open files.  They are restored when the
 * last recorder drops the thread; colocate_end restores the CPUs.
 */
#ifndef ENGINE_SCHED_CALLER_H
#define ENGINE_SCHED_CALLER_H

#include <sched.h>
#include <sys/types.h>

struct caller {
	pid_t task; /* the thread that is held; 0: none */
};

/* Holds the calling thread: notes the settings of it and its process, unless
 * another recorder has, and raises the limit of open files.  Does nothing if a
 * thread is held already. */
void caller_hold(struct caller *);
/* Restores the settings if no other recorder holds them; the thread's settings
 * only if the calling thread is the held one. */
void caller_drop(struct caller *);

/* The CPUs that the calling thread may use when no recorder has moved it. */
void caller_cpus(cpu_set_t *);

#endif
