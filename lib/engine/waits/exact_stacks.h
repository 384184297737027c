/* SPDX-License-Identifier: ISC */
/*
 * exact_stacks.h: the stacks that threads had when they left their CPUs, by the numbers
 * that the kernel gives them (bpf/switch_shared.h).
 *
 * The frames of a stack are copied as its thread leaves, so they are of one moment.  The
 * code objects are read later, and are believed if they were the same before that moment
 * and are so after it (code/codes.h): from 3.13 on as the counts of code objects stood
 * still, to 3.12 as the objects of an equal stack have been compared before.  So a stack
 * that is new may not be believed until the next look.
 */
#ifndef ENGINE_WAITS_EXACT_STACKS_H
#define ENGINE_WAITS_EXACT_STACKS_H

#include "engine/code/codes.h"
#include "engine/kernel/switch_feed.h"
#include "engine/threads/threads.h"

#define STACKS_KEPT 4096 /* then all are forgotten */

/* A stack that is believed. */
struct exact_stack {
	struct py_chain chain;
	uint32_t *frames; /* innermost first, chain.depth of them */
	/* private */
	uint64_t number;
	size_t frames_max;
	struct switch_frame *copied;
	size_t ncopied;
	uint64_t cframe;
	uint64_t looked; /* the look at which it was proven, or not, ... */
	uint64_t count;	 /* ... its count then, ... */
	uint64_t replaced; /* ... and codes_replaced() */
	uint64_t since; /* its code objects have been the same; ns, 0: not proven */
	bool proven;
};

/* The counts of code objects at a time. */
struct exact_counts {
	uint64_t time; /* ns, CLOCK_MONOTONIC; 0: there are none */
	uint8_t counts[CODES_COUNTS * sizeof(uint64_t)];
};

struct exact_stacks {
	const struct py_offsets *offsets;
	const struct py_memory *memory;
	struct codes *codes;
	const struct switch_feed_ops *ops;
	struct switch_feed *feed;
	struct exact_stack *list;
	size_t count, max;
	struct set set;
	uint64_t looks;
	/* Of one interpreter, all of whose threads are believed: before all records that
	 * are still to come; the next such; and now. */
	uint64_t interp;
	struct exact_counts before, next, now;
	struct py_span *spans;
	size_t spans_max;
	uint8_t words[2 * sizeof(uint64_t)]; /* of the thread's state and its cframe */
};

/* The way to the frames of a Python's threads.  False if it has none that the kernel
 * can go. */
bool exact_way(const struct py_offsets *, struct switch_way *);

void exact_stacks_free(struct exact_stacks *);

/* Begins a look at records of an interpreter's threads, up to a time (ns), and ends
 * it. */
void exact_stacks_begin(struct exact_stacks *, uint64_t interp);
void exact_stacks_end(struct exact_stacks *, uint64_t until);

/* Notes the frames of a record that has some.  False if out of memory. */
bool exact_stacks_note(struct exact_stacks *, const struct switch_left *);
/* The stack with this number that a thread had at a time (ns), if it is believed; valid
 * until the next one is noted.  NULL if not. */
const struct exact_stack *exact_stacks_find(struct exact_stacks *, const struct thread *,
    uint64_t number, uint64_t time);

#endif
