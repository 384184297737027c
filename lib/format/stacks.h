/* SPDX-License-Identifier: ISC */
/*
 * stacks.h: the threads of an input whose stacks are frames, one sample or a number
 * of them a stack.  Samples get made-up times, in each thread an interval apart,
 * unless the input gives them theirs.
 */
#ifndef FORMAT_STACKS_H
#define FORMAT_STACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "format/delta.h"
#include "format/source.h"
#include "set.h"
#include "tach.h"

#define STACKS_BATCH 4096 /* ticks of a run, at most */

struct stacks_thread {
	uint64_t id;
	uint32_t interp;
	uint64_t time; /* of its next sample */
	uint64_t latest; /* of its last one, for the input's own use */
	struct stack stack;
};

struct stacks {
	struct source_input *in;
	struct stacks_thread *threads;
	uint32_t nthreads;
	size_t threads_max;
	struct set thread_set;
	uint32_t last;	   /* the current thread */
	uint64_t pushed;   /* frames of all stacks that were put together */
	uint64_t held;	   /* frames that the stacks of all threads have room for */
	uint32_t *fresh;   /* the stack that is put together */
	uint32_t nfresh;
	size_t fresh_max;
	struct tach_table *names; /* of threads without a number */
	uint64_t *numbers;	  /* theirs, by index of the name */
	size_t numbers_max;
	uint64_t counted;  /* samples of all stacks up to this one */
	uint64_t left;	   /* samples of the stack that are still to come */
	uint32_t shared;   /* frames of the next run */
	struct tach_tick ticks[STACKS_BATCH];
};

/* False if out of memory.  The status of all samples is unknown at first. */
bool stacks_init(struct stacks *, struct source_input *);
void stacks_clear(struct stacks *);

/* Makes a thread the current one.  If it is new, its name becomes a note, if it has
 * one. */
int stacks_thread(struct stacks *, uint64_t id, uint32_t interp,
    struct tach_string name);
/* The same of a thread without a number: names get numbers from 1 on that no other
 * thread has by then.  Equal names of different owners, such as processes, are
 * different threads. */
int stacks_named(struct stacks *, uint64_t owner, struct tach_string name);

static inline struct stacks_thread *
stacks_current(const struct stacks *s)
{
	return &s->threads[s->last];
}

/* Empties the stack that is put together, and adds a frame of the table to it. */
void stacks_begin(struct stacks *);
int stacks_push(struct stacks *, uint32_t frame);

/* Gives the current thread so many samples of the stack that was put together: they
 * are the next runs.  TACH_END: there are none.  TACH_FATAL: the input's error says
 * why, behind `where`, such as "byte 5: ". */
int stacks_take(struct stacks *, bool innermost_first, uint64_t count,
    const char *where);

/* The next run of these samples, while s->left is not 0. */
void stacks_run(struct stacks *, struct tach_run *);

#endif
