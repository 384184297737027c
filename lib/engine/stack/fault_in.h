/* SPDX-License-Identifier: ISC */
/* fault_in.h: finds the memory that a thread's next samples need: its working
 * set. */
#ifndef ENGINE_STACK_FAULT_IN_H
#define ENGINE_STACK_FAULT_IN_H

#include "engine/stack/stack_reader.h"

/* Walks a thread without a capture, and adds the memory that the walk needs to its
 * set.  The capture, whose walk lacked memory, tells where to begin.  False if out of
 * memory. */
bool fault_in_set(struct stack_reader *, struct thread *, const struct capture *);

#endif
