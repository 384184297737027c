/* SPDX-License-Identifier: ISC */
/* stack.h: the calling thread's Python stack, as a record in its ring. */
#ifndef AGENT_STACK_H
#define AGENT_STACK_H

#include "agent/thread.h"

/* The result of stack_put for a stack that became a sample. */
#define STACK_TAKEN WIRE_DROPS

/* Puts a sample of the stack into the ring: it stands for `weight` ticks, the
 * last of them at `time`, ns of CLOCK_MONOTONIC.  flags are added to its enum
 * wire_flags.  context: of the signal, a ucontext_t.  Returns STACK_TAKEN, or why there
 * is no sample. */
enum wire_drop stack_put(struct agent_thread *, struct wire_slot *, uint64_t time,
    uint32_t weight, uint32_t flags, const void *context);

#endif
