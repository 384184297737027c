/* SPDX-License-Identifier: ISC */
/* wait_quota.h: whether a quota of a process's cgroups takes the CPU from it. */
#ifndef ENGINE_WAITS_WAIT_QUOTA_H
#define ENGINE_WAITS_WAIT_QUOTA_H

#include "engine/os/os.h"

#define QUOTA_LEVELS 4 /* cgroups that are looked at, from the process's upwards */

struct wait_quota {
	int stats[QUOTA_LEVELS]; /* descriptors of their counts */
	size_t count;
	uint64_t again; /* when the cgroups are sought again; ns, CLOCK_MONOTONIC */
	uint64_t taken; /* ns for which all of them had no CPU, at the last look */
};

/* A struct that is all zero has to be filled in by nothing else. */
void wait_quota_free(struct wait_quota *);

/* Whether quotas took most of the last `away` ns, for which a thread had no CPU.  False
 * also if that is not known. */
bool wait_quota_took(struct wait_quota *, const struct process *, uint64_t away);

#endif
