/* SPDX-License-Identifier: ISC */
/*
 * read_twice.h: a thread that may run, read as often as it takes, each time twice
 * by one call.
 *
 * A chain counts if each of its calls is known.  Only as long as they are not,
 * one counts if the second copy has all of it, and what is not known was in such
 * a chain before.  Later it only counts so if what is not known of its calls is
 * through whom they are made, or if some reads in a row give the same: it does
 * not move.
 *
 * Calls are learned from threads that stand still: those that do not have
 * their GIL, and those on whose CPU we run instead (see colocate.h).  What two
 * copies have may be wrong where a loop comes back to the same place between
 * them, and once it were learned it would be believed for ever.
 */
#ifndef ENGINE_STACK_READ_TWICE_H
#define ENGINE_STACK_READ_TWICE_H

#include "engine/stack/chains.h"

/* Gives the chain in ->chain, and whether all of it is beyond doubt.  Where it
 * is not, *sure outermost frames are, or none, and ->trouble says why. */
bool read_twice(struct chains *, struct thread *, size_t *sure);

/* Leaves a thread that stands amid the making of a call the time to go on. */
void read_twice_wait(void);

#endif
