/* SPDX-License-Identifier: ISC */
/* plain_task.h: a thread of a process without Python, as rounds know it. */
#ifndef ENGINE_PLAIN_PLAIN_TASK_H
#define ENGINE_PLAIN_PLAIN_TASK_H

#include "engine/os/os.h"
#include "engine/threads/threads.h"
#include "tach.h"

#define OWED_MAX 255 /* rounds that wait for a thread to stop */

struct plain_task {
	pid_t task;
	uint64_t tid;	/* its id as the process knows it */
	uint32_t index; /* of its samples */
	int state_fd;	/* of task_open; -1: not kept */
	struct switches switches;
	uint64_t spared; /* ns: it must not be interrupted before this time */
	bool listed;	/* it is among the threads that were listed last */
	bool holds;	/* it was blocked at its last sample, and has had no CPU since */
	uint8_t status; /* at its last sample */
	uint32_t *frames; /* of its last sample, innermost first */
	uint32_t depth;	  /* 0: there is none */
	size_t max;
	/* Times (us) of which its next sample is, too; the last one is that of the
	 * sample.  By wall time, they are rounds for which it has yet to stop, as it has
	 * no CPU. */
	struct tach_tick ticks[OWED_MAX + 1];
	unsigned owed;
	/* By CPU time, samples are of what the thread has used; ns. */
	uint64_t cpu, credit; /* its time when it was read; what no sample is of yet */
	uint64_t read_us; /* the time of that round */
	unsigned waits;	  /* reads since then at which it was without a CPU */
	unsigned named; /* how often its name was read */
	char name[64];	/* that was noted last; "": none */
};

struct plain_tasks {
	struct plain_task *list;
	size_t count, max;
	pid_t *ids; /* scratch: as they were listed */
	size_t ids_max;
};

/* Lists the threads anew; those that stay keep all.  The names give their samples
 * numbers.  False if out of memory; a process that has ended has none. */
bool plain_tasks_list(struct plain_tasks *, const struct process *,
    struct thread_names *);
void plain_tasks_free(struct plain_tasks *);

/* Notes the names that the kernel has for the threads, but for those that have the
 * program's name.  False if out of memory. */
bool plain_tasks_name(struct plain_tasks *, const struct process *,
    struct tach_table *);

#endif
