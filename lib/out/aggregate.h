/* SPDX-License-Identifier: ISC */
/*
 * aggregate.h: the distinct stacks of each thread and how many samples each
 * has, for all formats that only count.
 *
 * Stacks are paths in a tree.  A node is one place, called from its parent;
 * a run whose stack did not change costs one addition, and one whose leaf
 * changed one look-up.
 */
#ifndef AGGREGATE_H
#define AGGREGATE_H

#include "tach.h"

/*
 * Frames of the same file, function and line are one place, whatever their
 * columns and opcode.  No line (-1) is line 0 here, as in CPython's own
 * output, and the frames by which its profiler starts a program
 * (_sync_coordinator.py) are left out, as there.
 */
struct place {
	struct tach_string file, func;
	int32_t line;
};

struct node {
	uint32_t parent; /* TACH_NONE: a root, which is a thread */
	uint32_t what;	 /* index of a place; of a thread in a root */
	uint32_t depth;	 /* nodes from the root to here: 1 is a root */
	uint64_t weight; /* samples whose stack ends here */
};

/* A thread is known by its id alone: one that runs in several interpreters
 * is one thread. */
struct aggregate;

struct aggregate *aggregate_new(const struct tach_table *);
void aggregate_free(struct aggregate *);

/* Counts a run.  False: out of memory. */
bool aggregate_run(struct aggregate *, const struct tach_run *);

/* What there is by now.  Nodes come after their parents. */
uint32_t aggregate_nodes(const struct aggregate *);
const struct node *aggregate_node(const struct aggregate *, uint32_t);
uint32_t aggregate_places(const struct aggregate *);
const struct place *aggregate_place(const struct aggregate *, uint32_t);
uint32_t aggregate_threads(const struct aggregate *);
uint64_t aggregate_thread(const struct aggregate *, uint32_t);

#endif
