/* SPDX-License-Identifier: ISC */
/*
 * graph.h: one tree of functions, for flame graphs.  It is made of the stacks
 * of all threads and, for a difference, of those of a baseline.
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
	enum frame_kind kind;
};

/* The function of the nodes that were folded into a child. */
#define GRAPH_FOLDED 0
/* The function of samples without frames. */
#define GRAPH_NO_FRAMES 1

struct graph_node {
	uint32_t parent; /* TACH_NONE in the root, which is node 0 */
	uint32_t function;
	uint32_t folded; /* number of nodes that were folded into this one */
};

/* The part of one profile in the graph. */
struct graph_side {
	const struct aggregate *stacks;
	uint32_t *node_of;     /* by a node of the aggregate */
	struct weight *weights; /* by node: of it and the nodes below it */
};

struct graph {
	struct graph_node *nodes; /* they come after their parents */
	struct graph_function *functions;
	uint32_t nnodes, nfunctions;
	struct strings strings;
	struct graph_side now, base; /* base.stacks: NULL if none */
	/* private */
	size_t nodes_max, functions_max;
	/* Indices plus one: of nodes by parent and function, of functions by
	 * file and name. */
	struct pairs node_indices, function_indices;
};

/* Both aggregates must outlive the graph; base may be NULL.  False if out of
 * memory.  graph_clear is to be called in either case. */
bool graph_init(struct graph *, const struct aggregate *now,
    const struct aggregate *base);
void graph_clear(struct graph *);

/*
 * Folds the lightest nodes, so that about `nodes` stay at most.  Each node that
 * stays has one child for all that was folded below it.  Then orders the nodes
 * so that all below a node follow it.  `share` gets the greatest share of the
 * whole that was folded into one node, 0 if none was.
 */
bool graph_fold(struct graph *, uint32_t nodes, double *share);

#endif
