/* SPDX-License-Identifier: ISC */
/*
 * budget.h: how much of profiles is kept at once.
 *
 * A byte of a compressed profile can stand for a thread or for thousands of
 * frames.  A merge has the same budget as a reader: its result is to be read.
 */
#ifndef BUDGET_H
#define BUDGET_H

#include <stdint.h>

#define THREADS_MAX (UINT32_C(1) << 21)
/* Frames that the stacks of all threads have room for: 256 MiB. */
#define FRAMES_MAX (UINT32_C(1) << 26)

/* The fuzzers are built with limits that their small profiles reach: each is
 * divided by two to this power. */
#ifndef LIMIT_SHIFT
#define LIMIT_SHIFT 0
#endif
#define LIMIT_POWER(bits) (UINT32_C(1) << ((bits) - LIMIT_SHIFT))

/* A longer text is made anew whenever it is written: deep stacks that repeat one
 * long name have no end. */
#define LIMIT_KEPT LIMIT_POWER(26)  /* bytes of the texts of all frames */
#define LIMIT_STACK LIMIT_POWER(20) /* bytes of the text of a stack */

#endif
