/* SPDX-License-Identifier: ISC */
/* stack.h: the calling thread's Python stack, as a record in its ring. */
#ifndef AGENT_STACK_H
#define AGENT_STACK_H

#include "agent/thread.h"

/* The drop's cause of what became a sample. */
#define STACK_TAKEN WIRE_DROPS

/* Puts the stack into the ring as one that stands for `weight` ticks, the last
 * of them at `time`.  Else says why not. */
enum wire_drop stack_put(struct agent_thread *, struct wire_slot *, uint64_t time,
    uint32_t weight, uint32_t flags);

#endif
