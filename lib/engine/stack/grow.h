/* SPDX-License-Identifier: ISC */
/* grow.h: which memory of a thread its next samples need. */
#ifndef ENGINE_STACK_GROW_H
#define ENGINE_STACK_GROW_H

#include "engine/stack/chains.h"

/* Walks a thread without a snapshot and adds what that takes to its set. */
void grow_set(struct chains *, struct thread *);

#endif
