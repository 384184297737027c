/* SPDX-License-Identifier: ISC */
/*
 * asks.h: what the kernel is asked for, so that it takes the next rounds: the threads
 * that can run, and the words of which none may change.
 */
#ifndef ENGINE_REMOTE_ASKS_H
#define ENGINE_REMOTE_ASKS_H

#include "engine/kernel/batch.h"
#include "engine/remote/plan.h"

/* The number of threads that a batch could copy ahead now: 1 if the GILs are kept
 * and one thread can have run, more if there are takers, else 0. */
size_t asks_possible(const struct plan *, const struct batch *);
/* Begins a batch of these threads, and lists them.  It wakes the recorder after
 * `size` records.  False if it cannot be had. */
bool asks_begin(struct plan *, struct batch *, struct asked *,
    uint64_t interval_ns, uint32_t size);

#endif
