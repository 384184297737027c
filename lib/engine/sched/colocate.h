/* SPDX-License-Identifier: ISC */
/*
 * colocate.h: being on the CPU that a thread runs on, to learn what is beyond
 * doubt of it: it cannot run while we do.
 *
 * A visit is for one read.  To go there takes two moves and the thread's CPU
 * from it, and it may first have to enter the kernel, so visits see it where
 * it does that more often than where it does not.  A stay is of many rounds,
 * in which a timer wakes us there, which interrupts the thread wherever it is;
 * but in each of them it has to wait for us.  So stays are short, and rare if
 * they tell nothing new.  Without a sleep between rounds the thread would not
 * run at all, so a stay is of one round then.
 *
 * Who stops threads waits there for each round, if they are not too many and
 * the thread has to make way at once: one that is stopped from another CPU goes
 * on for microseconds, or to its next system call, if that comes first.
 */
#ifndef ENGINE_SCHED_COLOCATE_H
#define ENGINE_SCHED_COLOCATE_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "engine/os/process.h"

struct colocation {
	const struct process *process;
	cpu_set_t cpus;	 /* ours otherwise */
	bool moved;	 /* we may not be on all of them just now */
	pid_t task;	 /* whose CPU we are on; 0: nobody's */
	int cpu;
	bool there;	 /* it was on that CPU when we last looked */
	long switches;	 /* how often something else had run here */
	bool waits;	 /* we may wait there for each round, as they are few */
	unsigned stay;	 /* rounds of one; 0: we may not */
	uint64_t pause_least; /* ns after one */
	pid_t wanted;	 /* of which something is to be learned; 0: of none */
	unsigned rounds; /* that are left of a stay; 0: none goes on */
	unsigned doubts; /* since the last one */
	bool settled;	 /* which told nothing new */
	uint64_t known;	 /* when it began */
	/* When the stay, or the pause after it, began; the shortest and the
	 * actual such pause; and when the next stay may begin; ns. */
	uint64_t since, pause_min, pause, next;
};

/* interval: between rounds; ns. */
void colocate_init(struct colocation *, const struct process *, uint64_t interval);
/* Goes back to all CPUs that are ours. */
void colocate_end(struct colocation *);

/* Goes where a thread is, for one read, and away from there unless a stay goes
 * on.  False: we may not. */
bool colocate_visit(struct colocation *, pid_t task);
void colocate_leave(struct colocation *);
/* Goes away from a CPU, if we are there and may be elsewhere. */
void colocate_make_way(struct colocation *, int cpu);
/* Whether a thread was where we are, when we last looked. */
bool colocate_is_at(const struct colocation *, pid_t task);

/* Has us wait for the next round where a thread is that runs, if that does any
 * good. */
void colocate_wait(struct colocation *, pid_t task);

/* Something is about to be read; and whether a thread cannot have run since
 * then, as far as can be known. */
void colocate_begin(struct colocation *);
bool colocate_held(struct colocation *, pid_t task);

/* What was read of a thread has something in it that is not known; a doubt is
 * what two copies agree in nevertheless. */
void colocate_want(struct colocation *, pid_t task, bool doubt);
/* There is another way to. */
void colocate_unwant(struct colocation *, pid_t task);
/* Ends a stay before its time, if there is one. */
void colocate_break_off(struct colocation *);
/* A round has ended.  known counts all that has been learned. */
void colocate_end_round(struct colocation *, uint64_t known);

#endif
