/* SPDX-License-Identifier: ISC */
/*
 * switches.h: how often a thread has got a CPU: the one sign that is always
 * there if the thread has gone on.
 *
 * The kernel counts these switches in a file, and a read of it takes 0.8 us.
 * The kernel also changes the page of a perf event whenever the event's thread
 * gets a CPU.  A look at the page takes no time, but to open the event takes 40
 * us, and makes the thread's next switch some tenths of a microsecond longer.
 * Therefore a thread is watched only after it has rested for as many looks as
 * take that time (for fewer at first), and until it gets a CPU.
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
	const volatile uint32_t *page; /* word of its event; NULL: not watched */
	uint64_t then; /* the word or else the count, at the last look */
	unsigned rests; /* looks in a row without a change */
	bool watched;	/* it was watched before */
};

/* The common part of all threads that are watched. */
struct watcher {
	int program; /* BPF, run when a watched thread leaves its CPU; or -1 */
	int event; /* while it is open, others open faster; or -1 */
	bool refused; /* no thread may be watched */
};

void switches_init(struct switches *);
void switches_free(struct switches *);

/* The count in the file; SWITCHES_UNKNOWN if it cannot be read, or if the kernel
 * does not count. */
uint64_t switches_count(struct switches *, const struct process *, pid_t task);

/* Whether a thread has got a CPU since the last call; true if that is not known.
 * May begin or end the watch of the thread. */
bool switches_had(struct switches *, const struct process *, pid_t task,
    struct watcher *);

/* Whether a thread has got no CPU since the last call of switches_had, by the
 * page alone: false if it is not watched.  Makes no system call. */
bool switches_rests(const struct switches *);

void watcher_init(struct watcher *, int program);
void watcher_free(struct watcher *);

#endif
