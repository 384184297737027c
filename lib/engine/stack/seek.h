/* SPDX-License-Identifier: ISC */
/*
 * seek.h: what ran when a thread's state was copied, though something else had
 * taken its place until its frames were.
 *
 * From 3.13 on the state says which frame is the current one and where that
 * ends, and what takes its place often has another size.  Then the thread is
 * looked at until its state says the same again: to take it wherever it is would
 * pass over functions that end within a microsecond.
 */
#ifndef ENGINE_STACK_SEEK_H
#define ENGINE_STACK_SEEK_H

#include "engine/stack/candidate.h"

/* Whether the newest chain is of what a copy of the state said that ran, as
 * far as the sizes of frames tell.  Where the state does not say which frame
 * that was, it is taken for that. */
bool seek_fits(const struct chains *, const uint8_t *copy);

/* Looks at a thread whose newest chain, of the first copy, has not what its
 * state said that ran, until that says the same again and there is a chain
 * that fits, inside of the same callers: then it mostly is where it was.
 * known: that chain can be believed, if it is a later one; it is sought for
 * ->patience.  Else nothing of that chain holds; it is sought once, and any
 * moment does at which one is known.  READ_TORN: not found; the newest chain is as
 * it was. */
enum read_result seek_frame(struct chains *, struct thread *,
    const struct copied *first, bool known);

#endif
