/* SPDX-License-Identifier: ISC */
/*
 * budget.h: limits of the memory that profiles may take.
 *
 * A byte of a compressed profile can stand for a thread or for thousands of
 * frames.  A merge has the same limits as a reader, since its result must be
 * readable.
 */
#ifndef BUDGET_H
#define BUDGET_H

#include <stdint.h>

#define THREADS_MAX (UINT32_C(1) << 21)
/* Frames in the stacks of all threads: 256 MiB. */
#define FRAMES_MAX (UINT32_C(1) << 26)

/* Bytes of the names in an input that is a text or another profiler's: such an
 * input can be compressed. */
#define NAMES_MAX (UINT32_C(1) << 28)

/* The fuzzers are built with lower limits, which small profiles reach: each
 * limit is divided by two to this power. */
#ifndef LIMIT_SHIFT
#define LIMIT_SHIFT 0
#endif
#define LIMIT_POWER(bits) (UINT32_C(1) << ((bits) - LIMIT_SHIFT))

/* A longer text is not kept, but made anew whenever it is written: deep stacks
 * of one long name would need memory without end. */
#define LIMIT_KEPT LIMIT_POWER(26)  /* bytes of the texts of all frames */
#define LIMIT_STACK LIMIT_POWER(20) /* bytes of the text of a stack */

#endif
