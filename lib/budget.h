/* SPDX-License-Identifier: ISC */
/*
 * budget.h: how much of profiles is kept at once.
 *
 * A byte of a compressed profile can stand for a thread or for thousands of
 * frames.  A merge has the same budget as a reader: its result is to be read.
 */
#ifndef BUDGET_H
#define BUDGET_H

#define THREADS_MAX (UINT32_C(1) << 21)
/* Frames that the stacks of all threads have room for: 256 MiB. */
#define FRAMES_MAX (UINT32_C(1) << 26)

#endif
