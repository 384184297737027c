/* SPDX-License-Identifier: ISC */
/* waited.h: why the calling thread has waited, as a part of the sample of its wait. */
#ifndef AGENT_WAITED_H
#define AGENT_WAITED_H

#include "agent/self.h"
#include "agent/wire.h"

/* Tells of the wait that is over (see wait_is_over), while the descriptor, the lock and
 * what is polled are most likely as they were.  state: of the thread; gil: address of
 * its interpreter's GIL, or 0. */
void waited_take(struct self_view *, const struct py_offsets *, uint64_t state,
    uint64_t gil, struct wire_waited *);

#endif
