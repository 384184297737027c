/* SPDX-License-Identifier: ISC */
/*
 * natives.h: the threads of a process that never run Python, such as OpenBLAS's.  They
 * have no samples, so the summary of a recording names them and their CPU time.
 */
#ifndef NATIVES_H
#define NATIVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "counts.h"

#define NATIVE_NAME 16 /* bytes; the kernel keeps no longer name */

struct native_task {
	pid_t task;
	uint64_t inner; /* the id that the process itself knows */
	uint64_t first, last; /* CPU time, in clock ticks */
	char name[NATIVE_NAME];
};

struct natives {
	struct native_task *tasks; /* all threads that were seen, sorted by id */
	size_t ntasks, max;
	const char *library; /* NULL: none that is known for its threads */
	/* private */
	bool attached;
	bool seen; /* the process was looked at */
	double due; /* time of the next look, s */
};

/* Looks at the threads, if it is time for it.  A process that was not started by this
 * one is `attached`: its CPU time until the first look does not count. */
void natives_look(struct natives *, pid_t, bool attached, double now);
/* Prints a line about the threads without samples, if they used a hundredth of the
 * seconds that the recording took. */
void natives_show(const struct natives *, const struct sample_counts *, double seconds);
void natives_clear(struct natives *);

#endif
