/* SPDX-License-Identifier: ISC */
/*
 * graph.h: one tree of functions made of the stacks of all threads, and of
 * those of another profile to compare with, for flame graphs.
 */
#ifndef OUT_GRAPH_H
#define OUT_GRAPH_H

#include "out/aggregate.h"
#include "out/pairs.h"
#include "out/strings.h"
#include "tach.h"

struct weight {
	uint64_t samples;
	uint64_t time; /* microseconds */
};

struct graph_function {
	uint32_t file, name; /* numbers of strings */
};

/* The function of all that was folded into a node's child. */
#define GRAPH_FOLDED 0
/* And of samples without frames. */
#define GRAPH_NO_FRAMES 1

struct graph_node {
	uint32_t parent; /* TACH_NONE in the root, which is node 0 */
	uint32_t function;
	uint32_t folded; /* how many nodes went into this one */
};

/* Of a profile. */
struct graph_side {
	const struct aggregate *stacks;
	uint32_t *node_of;     /* by a node of the aggregate */
	struct weight *weights; /* by node: all that ends there or below */
};

struct graph {
	struct graph_node *nodes; /* they come after their parents */
	struct graph_function *functions;
	uint32_t nnodes, nfunctions;
	struct strings strings;
	struct graph_side now, base; /* base.stacks is NULL where none is */
	/* private */
	size_t nodes_max, functions_max;
	/* Plus one; of nodes by parent and function, of functions by file and
	 * name. */
	struct pairs node_indices, function_indices;
};

/* Both aggregates must outlive it; base may be NULL.  False: out of memory,
 * and graph_clear is yet to be called. */
bool graph_init(struct graph *, const struct aggregate *now,
    const struct aggregate *base);
void graph_clear(struct graph *);

/*
 * Folds the lightest nodes, so that about so many are left at most: each kept
 * one has a child with what is left out below it.  Then orders them so that
 * all below a node follow it.  Gives the greatest share of the whole that was
 * folded as one, 0 if nothing was.
 */
bool graph_fold(struct graph *, uint32_t nodes, double *share);

#endif
