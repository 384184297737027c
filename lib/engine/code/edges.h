/* SPDX-License-Identifier: ISC */
/*
 * edges.h: sets of call edges: calls that a program was seen to make.
 *
 * A set has two generations.  An edge is looked for in the young one, then in the
 * old one; an old edge that is found becomes young.  When the young generation is
 * full, the old one is forgotten, and the young one becomes old.
 *
 * An absent edge tells something, too: that a caller has one place of a call
 * only, or none.  Therefore edges are kept together or forgotten together: all
 * edges of a pair (caller and callee, through the same callers), and with an edge
 * through some callers also the edges of its instruction through any callers, to
 * its callee and to any callee.
 */
#ifndef ENGINE_CODE_EDGES_H
#define ENGINE_CODE_EDGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "set.h"

/* A call from an instruction of one code object to another. */
struct edge {
	uint64_t instr; /* address of the caller's instruction, which is even;
			 * plus 1 if the call resumes a generator */
	uint32_t caller, callee; /* serial numbers; TACH_NONE: no caller, or
				  * any callee: see contexts.c */
	uint64_t through; /* hash of the caller's own callers; 0: any */
	/* Not part of the edge's identity: */
	int32_t line;  /* source line of the call, or -1 */
	uint32_t next; /* edge from another instruction; edges.c's own */
};

struct edge_generation {
	struct edge *list;
	size_t count, max;
	struct set by_place, by_pair;
};

/* All zero: an empty set. */
struct edges {
	struct edge_generation young;
	struct edge_generation old; /* also has edges that became young */
	uint64_t learned; /* edges that were ever added */
};

void edges_clear(struct edges *);
void edges_free(struct edges *);

/* Begins a new generation if the young one has more than `max` edges.  False if it
 * has not. */
bool edges_age(struct edges *, size_t max);

/* Adds an edge, if it is new.  False if out of memory. */
bool edges_add(struct edges *, struct edge);

/* Whether the set has an edge, which becomes young.  Out of memory, all edges are
 * forgotten.  edges_has_pair: from any instruction of its caller; no edge becomes
 * young. */
bool edges_has(struct edges *, struct edge);
bool edges_has_pair(const struct edges *, struct edge);

/* The instruction from which the edge's caller calls its callee through the same
 * callers.  If several are known, all must be in one line: then it is the last
 * one before the edge's own instruction.  0 if there is none.  The edges of the
 * pair become young. */
uint64_t edges_place(struct edges *, struct edge);

#endif
