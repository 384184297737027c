/* SPDX-License-Identifier: ISC */
/* grow.h: which memory of a thread its next samples need. */
#ifndef ENGINE_GROW_H
#define ENGINE_GROW_H

#include "engine/chains.h"

#define GROW_STACK (16 * 1024) /* bytes: no part of a data stack is smaller */

/* Walks a thread without a snapshot and adds what that takes to its set. */
void grow_set(struct chains *, struct thread *);

#endif
