/* SPDX-License-Identifier: ISC */
/* mask.h: our signal in the masks of signals. */
#ifndef AGENT_MASK_H
#define AGENT_MASK_H

#include <signal.h>
#include <stdint.h>

/* Our signal in a mask, as the kernel has it; 0: there is none yet. */
uint64_t mask_bit(void);

/* Blocks or unblocks it for the calling thread.  Returns the mask until then. */
uint64_t mask_ours(int how);

/* A set with our signal in it, or without: copies of one that may be NULL. */
const sigset_t *mask_with_ours(const sigset_t *, sigset_t *copy);
const sigset_t *mask_without_ours(const sigset_t *, sigset_t *copy);

#endif
