/* SPDX-License-Identifier: ISC */
/*
 * read_twice.h: reads a thread that may run, some times over, each time by two
 * copies of one call.
 *
 * A chain counts if all its calls are known.  While some are not, a chain counts
 * if both copies have it, and each unknown call was in such a chain before, seen
 * from the thread's CPU.  It does not count if a caller is known to make its call
 * from other places only.
 *
 * Calls are learned only from threads that stand still, such as threads without
 * their GIL, and threads whose CPU the recorder has (see colocate.h).  Two equal
 * copies may be wrong, as a loop may have come back to the same place between
 * them; a wrong call that was learned would be believed for ever.
 */
#ifndef ENGINE_STACK_READ_TWICE_H
#define ENGINE_STACK_READ_TWICE_H

#include "engine/stack/stack_reader.h"

/* Reads a thread's stack. */
struct verdict read_twice(struct stack_reader *, struct thread *, struct call_stack *);

/* Sleeps for 20 us: a thread that stands amid the making of a call goes on. */
void read_twice_wait(void);

#endif
