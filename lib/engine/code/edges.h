/* SPDX-License-Identifier: ISC */
/* edges.h: sets of call edges: calls that a program was seen to make. */
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

struct edges {
	struct edge *list;
	size_t count, max;
	struct set by_place, by_pair;
	uint64_t learned; /* edges that were ever added */
};

void edges_clear(struct edges *);
void edges_free(struct edges *);

/* Adds an edge, if it is new.  False if out of memory. */
bool edges_add(struct edges *, struct edge);

/* Whether the set has an edge.  edges_has_pair: from any instruction of its
 * caller. */
bool edges_has(const struct edges *, struct edge);
bool edges_has_pair(const struct edges *, struct edge);

/* The instruction from which the edge's caller calls its callee through the same
 * callers.  If several are known, all must be in one line: then it is the last
 * one before the edge's own instruction.  0 if there is none. */
uint64_t edges_place(const struct edges *, struct edge);

#endif
