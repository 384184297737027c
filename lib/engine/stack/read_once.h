/* SPDX-License-Identifier: ISC */
/*
 * read_once.h: reads a thread by its first copy, in the snapshot of a round.
 *
 * Where something else has taken the place of the current frame, that is sought
 * from 3.13 on: see seek.h.  Before, what takes that place mostly is a function
 * that calls others, and so is seen where it calls one; then the frames count
 * that were copied before the state was.  (To copy them makes the thread wait
 * where it writes to them next, so it is seen there too often.)
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
