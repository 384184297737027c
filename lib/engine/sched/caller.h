/* SPDX-License-Identifier: ISC */
/*
 * caller.h: the thread that runs a recorder, and its process: what recorders
 * change of them is given back when the last recorder drops them.
 *
 * That is the CPUs that the thread may use, its scheduling and its timer slack;
 * and how many files the process may have open.
 */
#ifndef ENGINE_SCHED_CALLER_H
#define ENGINE_SCHED_CALLER_H

#include <sched.h>
#include <sys/types.h>

struct caller {
	pid_t task; /* the thread that is held; 0: none */
};

/* Notes how the calling thread and its process are, and raises the limit of open
 * files.  One that is held already stays so. */
void caller_hold(struct caller *);
/* Gives back, if the calling thread is the one that is held. */
void caller_drop(struct caller *);

/* The CPUs that the calling thread may use when no recorder needs a certain one. */
void caller_cpus(cpu_set_t *);

#endif
