/* SPDX-License-Identifier: ISC */
/* interrupted.h: a thread that runs, read in an interrupt: see interrupt.h. */
#ifndef ENGINE_STACK_INTERRUPTED_H
#define ENGINE_STACK_INTERRUPTED_H

#include "engine/kernel/batch.h"
#include "engine/stack/chains.h"

/* Copies a thread, and before it what was added to a snapshot, for
 * read_once_still, if it runs where it ran last.  Unless that is had the snapshot
 * is of no use. */
/* Whether it is left alone now: see ->spared. */
bool interrupted_spares(const struct thread *);
enum interrupt_result interrupted_copy(struct interrupts *, const struct chains *,
    struct thread *, struct snapshot *);

/* Asks for the same of each record that is made ahead; and takes the next one,
 * after what was added to a snapshot before.  False: out of memory. */
bool interrupted_ask(const struct chains *, struct thread *, struct snapshot *,
    struct batch_ask *);
bool interrupted_take(const struct batch *, const struct chains *,
    struct thread *, struct snapshot *);

/* Gives a thread's chain in ->chain.  False: it cannot be read so, or not all of
 * it is beyond doubt. */
bool interrupted_read(struct interrupts *, struct chains *, struct thread *);

#endif
