/* SPDX-License-Identifier: ISC */
/* edges.h: call edges: the calls that a program was seen to make beyond doubt. */
#ifndef ENGINE_CODE_EDGES_H
#define ENGINE_CODE_EDGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "set.h"

/* A call from an instruction of one code object to another. */
struct edge {
	uint64_t instr; /* of the caller, whose address is even; odd: the callee
			 * is a generator that goes on, not one being made */
	uint32_t caller, callee; /* numbers of theirs; TACH_NONE: nobody, or
				  * nobody in particular: see contexts.c */
	uint64_t through; /* what stands for the caller's own callers; 0: any */
	/* Of which calls are not told apart: */
	int32_t line;  /* where it is made; or -1 */
	uint32_t next; /* one from another place; edges.c's own */
};

struct edges {
	struct edge *list;
	size_t count, max;
	struct set by_place, by_pair;
	uint64_t learned; /* how many were added, ever */
};

void edges_clear(struct edges *);
void edges_free(struct edges *);

/* Adds one, if it is new.  False: out of memory. */
bool edges_add(struct edges *, struct edge);

/* Whether it is known; or one from any place, of the same two. */
bool edges_has(const struct edges *, struct edge);
bool edges_has_pair(const struct edges *, struct edge);

/* The place from which one calls the other through these callers, if that is in
 * one line only: the last one before the call's own, if there are more than one.
 * 0: there is none. */
uint64_t edges_place(const struct edges *, struct edge);

#endif
