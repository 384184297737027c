/* SPDX-License-Identifier: ISC */
/* mend.h: the commands that give a right, for each place where one can be. */
#ifndef MEND_H
#define MEND_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "host.h"

/* What is wrong, as far as a command mends it. */
enum fault {
	FAULT_NONE,
	FAULT_CAPS,	/* capabilities are missing */
	FAULT_OUTSIDE,	/* those of this user namespace do not count */
	FAULT_YAMA,	/* Yama forbids it without CAP_SYS_PTRACE, by its setting 1 */
	FAULT_YAMA_LOCK, /* ... until the machine starts again */
	FAULT_PERF,	/* perf_event_paranoid forbids it */
	FAULT_REALTIME, /* RLIMIT_RTPRIO forbids it */
	FAULT_SECCOMP,	/* a filter of system calls forbids it */
	FAULT_FILES,	/* RLIMIT_NOFILE is too low */
	FAULT_KERNEL,	/* no right helps: another engine does */
	FAULT_BUILD,	/* it was built without it */
	FAULT_AGENT,	/* the library cannot be used: the other engine can */
	FAULT_NO_PYTHON, /* another process was meant */
	FAULT_NO_PROCESS, /* the same, or it is seen from outside alone */
	FAULTS,
};

struct need {
	enum fault fault;
	uint64_t caps; /* FAULT_CAPS: a bit each */
};

/* Prints the names of capabilities that recording needs, with commas between. */
void mend_print_caps(FILE *, uint64_t caps);
/* Whether any command mends it, where the host is. */
bool mend_exists(enum fault, const struct host *);
/* Prints a line for each place, the place of the host first, and last the settings of
 * the machine.  pid is 0 if there is no process. */
void mend_show(const struct need *, const struct host *, pid_t pid);

#endif
