/* SPDX-License-Identifier: ISC */
/*
 * suspects.h: calls that may never be made at the place where they were seen.
 *
 * A suspect is an unknown call at a place where its caller is known to make other
 * calls, or none.  Either the program makes the call there, or the caller made it
 * elsewhere and has gone on to that place.  If 64 chains beyond doubt have calls of
 * the caller, but not the suspect, the call is most likely never made there.  The
 * program may make it later: therefore this is believed 256 times, and then the
 * call is watched for 64 chains again.
 *
 * This costs 64 chains before a caller is taken back, and has the effect that a
 * call which a program begins to make late (t/programs/late.py) is off by a few per
 * cent, not by half.
 */
#ifndef ENGINE_CODE_SUSPECTS_H
#define ENGINE_CODE_SUSPECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "set.h"

struct suspect {
	uint64_t instr; /* of the caller */
	uint32_t caller, callee; /* serial numbers of code objects */
	/* suspects.c's own: the number of watched chains when it became a suspect,
	 * and how often it was believed since then that it is not made. */
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

/* Whether a call is most likely never made at its place.  A new call becomes a
 * suspect; false for it, and if out of memory.  watched: the number of chains
 * beyond doubt so far that have calls of its caller.  believe: the answer is used,
 * and counts as believed. */
bool suspects_clear(struct suspects *, struct suspect, unsigned watched,
    bool believe);
void suspects_free(struct suspects *);

#endif
