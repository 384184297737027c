/* SPDX-License-Identifier: ISC */
/*
 * cstack.h: the calling thread's registers and its stack of C, as a part of its sample.
 * The recorder unwinds them: the handler only copies.
 */
#ifndef AGENT_CSTACK_H
#define AGENT_CSTACK_H

#include "agent/self.h"
#include "agent/wire.h"
#include "python/frames.h"

struct cstack {
	struct wire_stack head;
	struct wire_segment segments[WIRE_SEGMENTS];
	const uint8_t *bytes; /* of the stack itself, from head.low on */
	/* The ring's previous stack, at the end of the array. */
	uint8_t prev[WIRE_STACK];
	uint64_t prev_low, prev_high; /* its addresses */
	uint32_t whole; /* stacks so far that were copied to their end */
};

/*
 * Takes the stack that a signal has interrupted, whose context is given.  state: of the
 * thread; frames: its chain, of which the sample has the outermost `depth` places.
 */
void cstack_take(struct cstack *, const void *context, const struct py_offsets *,
    struct self_view *, uint64_t state, const struct py_chain *frames, uint32_t depth);

/* How many bytes the ring gets of the stack. */
size_t cstack_own(const struct cstack *);
/* Notes that the ring has got it. */
void cstack_keep(struct cstack *);

#endif
