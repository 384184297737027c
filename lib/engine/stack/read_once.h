/* SPDX-License-Identifier: ISC */
/*
 * read_once.h: reads a thread by its first copy, in the snapshot of a round.
 *
 * Another frame may take the place of the current frame before that is copied.
 * From 3.13 on, seek.h looks for the current frame.  In 3.11 and 3.12 the other
 * frame is mostly seen where it calls a function.  Then the frames are taken that
 * were copied before the state: see chains_add_before.  (That copy makes the thread
 * wait where it writes to the frames next, so it is seen there too often.)
 */
#ifndef ENGINE_STACK_READ_ONCE_H
#define ENGINE_STACK_READ_ONCE_H

#include "engine/stack/chains.h"

/*
 * Both read a thread's chain into ->chain.  The copy lies in the snapshot from range
 * t->copy.first on; its bytes begin at t->copy.at, and the words on garbage
 * collection at gc.
 *
 * read_once_still: the thread did not run meanwhile.  *sure: how many of its
 * outermost frames are believed.
 * read_once_running: the thread may have run.
 */
enum read_result read_once_still(struct chains *, struct thread *,
    const struct snapshot *, size_t gc, const struct stamp *, size_t *sure);
enum read_result read_once_running(struct chains *, struct thread *,
    const struct snapshot *, size_t gc, const struct stamp *);

#endif
