/* SPDX-License-Identifier: ISC */
/* known.h: the calls that a program was seen to make beyond doubt. */
#ifndef ENGINE_CODE_KNOWN_H
#define ENGINE_CODE_KNOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "set.h"

/* A call from an instruction of one code object to another. */
struct known_call {
	uint64_t instr; /* of the caller, whose address is even; odd: the callee
			 * is a generator that goes on, not one being made */
	uint32_t caller, callee; /* numbers of theirs; TACH_NONE: nobody, or
				  * nobody in particular: see calls.c */
	uint64_t through; /* what stands for the caller's own callers; 0: any */
	/* Of which calls are not told apart: */
	int32_t line;  /* where it is made; or -1 */
	uint32_t next; /* one from another place; known.c's own */
};

struct known {
	struct known_call *calls;
	size_t count, max;
	struct set by_place, by_pair;
	uint64_t learned; /* how many were added, ever */
};

void known_clear(struct known *);
void known_free(struct known *);

/* Adds one, if it is new.  False: out of memory. */
bool known_add(struct known *, struct known_call);

/* Whether it is known; or one from any place, of the same two. */
bool known_has(const struct known *, struct known_call);
bool known_has_pair(const struct known *, struct known_call);

/* The place from which one calls the other through these callers, if that is in
 * one line only: the last one before the call's own, if there are more than one.
 * 0: there is none. */
uint64_t known_place(const struct known *, struct known_call);

#endif
