/* SPDX-License-Identifier: ISC */
/*
 * switches.h: a thread's context switches: how often it has got a CPU, the one
 * sign that is always there if it has gone on.
 *
 * The kernel tells it in a file, which takes 0.8 us to read.  It also changes
 * the page of a perf event whenever the event's thread gets a CPU: to look there
 * takes nothing, but to have one takes 40 us, and the thread's next switch some
 * tenths of a microsecond more.  So those are watched that have rested for as
 * many looks as that takes, or at first for less, until they get a CPU.
 */
#ifndef ENGINE_OS_SWITCHES_H
#define ENGINE_OS_SWITCHES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "engine/os/process.h"

#define SWITCHES_UNKNOWN UINT64_MAX

struct switches {
	int fd; /* of /proc/PID/task/TID/schedstat, or -1 */
	const volatile uint32_t *page; /* or NULL: it is not watched */
	uint64_t then; /* by what there is of these, at the last look */
	unsigned rests; /* looks in a row that had the same */
	bool watched;	/* it was so before */
};

/* Whether threads may be watched. */
struct watcher {
	int program; /* that is run when a watched one leaves its CPU, or -1 */
	int event; /* as long as there is one, more come soon; or -1 */
	bool refused;
};

void switches_init(struct switches *);
void switches_free(struct switches *);

/* By the file; SWITCHES_UNKNOWN: that is not to be had, or not counted. */
uint64_t switches_count(struct switches *, const struct process *, pid_t task);

/* Whether a thread has got a CPU since that was asked for last, as far as is
 * known. */
bool switches_had(struct switches *, const struct process *, pid_t task,
    struct watcher *);

/* Whether it is seen for nothing that it has not: it is watched. */
bool switches_rests(const struct switches *);

void watcher_init(struct watcher *, int program);
void watcher_free(struct watcher *);

#endif
