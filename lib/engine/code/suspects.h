/* SPDX-License-Identifier: ISC */
/*
 * suspects.h: calls from places where their callers are known to call
 * something else, or nothing.
 *
 * Either they are made there, or the callee was called before its caller came
 * to that place.  Chains that are beyond doubt tell: if so many of them, with
 * calls of that caller, did not have one, it most likely is never made.  What
 * a program does later may differ, so what is believed of that is only so often.
 */
#ifndef ENGINE_CODE_SUSPECTS_H
#define ENGINE_CODE_SUSPECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "set.h"

struct suspect {
	uint64_t instr; /* of the caller */
	uint32_t caller, callee; /* numbers of theirs */
	/* suspects.c's own: what was watched when it was suspected, and how
	 * often it has been believed since that it is not made. */
	unsigned since, believed;
};

struct suspect_generation {
	struct suspect *list;
	size_t count, max;
	struct set set;
};

/* A suspect that is found in the old generation gets into the young one, too.
 * When that is full, the old one is forgotten.  All zero: no suspects. */
struct suspects {
	struct suspect_generation young, old;
};

/* Whether a call, which is suspected from now on, is cleared of being made.
 * watched: the chains beyond doubt, ever, that have calls of its caller;
 * believe: it matters. */
bool suspects_clear(struct suspects *, struct suspect, unsigned watched,
    bool believe);
void suspects_free(struct suspects *);

#endif
