/* SPDX-License-Identifier: ISC */
/*
 * colocate.h: moves the recorder to the CPU that a thread runs on.  The thread
 * cannot run while the recorder does, so a copy of it is of one moment beyond
 * doubt.
 *
 * A visit is for one read.  It takes two moves, and takes the CPU from the
 * thread.  The thread may first have to enter the kernel, so visits see it more
 * often where it does that than where it does not.  A stay is of many rounds.
 * A timer wakes the recorder on that CPU, which interrupts the thread wherever
 * it is; but the thread has to wait in each round.  Stays are therefore short,
 * and rare if nothing new is learned.  Without a sleep between rounds the
 * thread would not run at all: then a stay is of one round.
 *
 * A recorder that stops threads waits on the thread's CPU for each round, if
 * the rounds are not too many and the thread has to make way at once.  A thread
 * that is stopped from another CPU goes on for microseconds, or to its next
 * system call, if that comes first.
 */
#ifndef ENGINE_SCHED_COLOCATE_H
#define ENGINE_SCHED_COLOCATE_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "engine/os/os.h"

struct colocation {
	const struct process *process;
	cpu_set_t cpus;	 /* the recorder's, when it is at no thread */
	bool moved;	 /* it may not use all of them now */
	pid_t task;	 /* the thread that it is at; 0: none */
	int cpu;	 /* of that thread */
	bool there;	 /* both were on that CPU at the last look */
	long switches;	 /* of the recorder, when the read began */
	bool waits;	 /* it may wait at a thread for each round */
	unsigned stay;	 /* rounds of a stay; 0: it may not stay */
	uint64_t pause_least; /* the shortest after any stay; ns */
	pid_t wanted;	 /* the thread to stay at; 0: none */
	unsigned rounds; /* left of the stay; 0: there is none */
	unsigned doubts; /* since the last stay */
	bool settled;	 /* nothing was learned in the last stay */
	uint64_t known;	 /* the count of known calls when it began */
	/* When the stay, or the pause after it, began; the shortest pause after
	 * it, and the actual one; when the next stay may begin; ns. */
	uint64_t since, pause_min, pause, next;
};

/* interval: between rounds; ns. */
void colocate_init(struct colocation *, const struct process *, uint64_t interval);
/* Ends a stay or visit: the recorder may use all its CPUs again. */
void colocate_end(struct colocation *);

/* Moves to a thread's CPU, for one read; false if that is not permitted.  And
 * leaves it, unless there is a stay. */
bool colocate_visit(struct colocation *, pid_t task);
void colocate_leave(struct colocation *);
/* Leaves a CPU, if the recorder is on it and may use others. */
void colocate_make_way(struct colocation *, int cpu);
/* Whether the recorder is at a thread, and was on its CPU at the last look. */
bool colocate_is_at(const struct colocation *, pid_t task);

/* Moves to the CPU of a thread that runs, to wait there for the next round, if
 * the recorder is real-time and the rounds are few enough; else leaves that
 * CPU. */
void colocate_wait(struct colocation *, pid_t task);

/* Notes that a read begins; and whether a thread cannot have run since then,
 * false if that is not known. */
void colocate_begin(struct colocation *);
bool colocate_held(struct colocation *, pid_t task);

/* Wants a stay at a thread, as a call in its chain is not known.  doubt: there
 * is a sign that the program does something new, such as two copies that agree
 * in it. */
void colocate_want(struct colocation *, pid_t task, bool doubt);
/* Wants no stay at a thread: it can be read in another way. */
void colocate_unwant(struct colocation *, pid_t task);
/* Ends a stay before its time, if there is one. */
void colocate_break_off(struct colocation *);
/* Ends a round, and begins or ends a stay.  known: how many calls are learned. */
void colocate_end_round(struct colocation *, uint64_t known);

#endif
