/* SPDX-License-Identifier: ISC */
/* mask.h: the recorder's signal, "ours", in the masks of signals. */
#ifndef AGENT_MASK_H
#define AGENT_MASK_H

#include <signal.h>
#include <stdint.h>

/* The bit of our signal in the kernel's form of a mask; 0 if there is no signal
 * yet. */
uint64_t mask_bit(void);

/* Blocks or unblocks our signal for the calling thread.  how: SIG_BLOCK or
 * SIG_UNBLOCK.  Returns the mask before, in the kernel's form. */
uint64_t mask_ours(int how);

/* Copies a set, with our signal added or removed, and returns the copy.
 * Returns the set itself if it is NULL, or if there was no recorder yet. */
const sigset_t *mask_with_ours(const sigset_t *, sigset_t *copy);
const sigset_t *mask_without_ours(const sigset_t *, sigset_t *copy);

#endif
