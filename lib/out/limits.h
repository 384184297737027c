/* SPDX-License-Identifier: ISC */
/*
 * limits.h: limits of the memory that formats take.
 *
 * A few kilobytes of a compressed profile can stand for any number of frames,
 * threads and samples, and a profile may come from anybody.  The limits are
 * several times what five million samples need if most have a stack of their
 * own.  Output that is written as it comes has no limit.
 */
#ifndef OUT_LIMITS_H
#define OUT_LIMITS_H

#include "budget.h"

#define LIMIT_NODES LIMIT_POWER(25) /* nodes of the tree of stacks */
#define LIMIT_CELLS LIMIT_POWER(25) /* stacks and their classes */
#define LIMIT_THREADS LIMIT_POWER(20)
#define LIMIT_CALLS LIMIT_POWER(24)   /* from a location to another */
#define LIMIT_TEXTS LIMIT_POWER(28)   /* bytes of locations' texts */
#define LIMIT_TICKS LIMIT_POWER(29)   /* bytes of samples in order of time */
#define LIMIT_SAMPLES LIMIT_POWER(25) /* changes of a stack or a state */
#define LIMIT_OPEN LIMIT_POWER(24)    /* frames that are in the stacks now */

/* Nodes of stacks that a stream may still refer to; then it begins anew. */
#define LIMIT_INTERNED LIMIT_POWER(20)

/* The message if a limit is reached. */
#define LIMIT_TEXT(what) \
	"the profile has too many " what " to add up: take a part of it, by " \
	"--since and --until, --thread or --match"

/* Nodes of a page, which a browser opens in a second.  A node that is left out
 * could be seen only by zooming in on a 500,000th of the profile. */
#define LIMIT_SHOWN (UINT32_C(500000) >> LIMIT_SHIFT)

#endif
