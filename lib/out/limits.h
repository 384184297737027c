/* SPDX-License-Identifier: ISC */
/*
 * limits.h: how much the formats that add up hold at most.
 *
 * A few kilobytes of a compressed profile can stand for any number of frames,
 * threads and samples, and a profile may come from anybody.  So there are
 * limits, which are several times what five million samples need of which most
 * have a stack of their own.  What is written as it comes has none.
 */
#ifndef OUT_LIMITS_H
#define OUT_LIMITS_H

#define LIMIT_NODES (UINT32_C(1) << 25) /* calls in all stacks' trees */
#define LIMIT_CELLS (UINT32_C(1) << 25) /* stacks, by how they are told apart */
#define LIMIT_THREADS (UINT32_C(1) << 20)
#define LIMIT_CALLS (UINT32_C(1) << 24)	 /* from a place to another */
#define LIMIT_TEXTS ((size_t)1 << 28)	 /* bytes of places' texts */
#define LIMIT_TICKS ((size_t)1 << 29)	 /* bytes of samples in order of time */
#define LIMIT_SAMPLES (UINT32_C(1) << 25) /* changes of a stack or a state */
#define LIMIT_OPEN (UINT32_C(1) << 24)	 /* frames that are in the stacks now */

/* What to say and do then. */
#define LIMIT_TEXT(what) \
	"the profile has too many " what " to add up: take a part of it, by " \
	"--since and --until, --thread or --match"

#endif
