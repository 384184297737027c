/* SPDX-License-Identifier: ISC */
/*
 * read_once.h: reads a thread by its first copy, in the snapshot of a round.
 *
 * Another frame may take the place of the current frame before that is copied.
 * From 3.13 on, seek.h looks for the current frame.  In 3.11 and 3.12 the other
 * frame is mostly seen where it calls a function.  Then the frames are taken that
 * were copied before the state: see reader_add_before.  (That copy makes the thread
 * wait where it writes to the frames next, so it is seen there too often.)
 */
#ifndef ENGINE_STACK_READ_ONCE_H
#define ENGINE_STACK_READ_ONCE_H

#include "engine/stack/stack_reader.h"

/*
 * Both read a thread's stack in a capture.
 *
 * read_once_still: the thread did not run meanwhile.
 * read_once_running: the thread may have run.  Never READ_TORN.
 */
struct verdict read_once_still(struct stack_reader *, struct thread *,
    struct capture *, struct call_stack *);
struct verdict read_once_running(struct stack_reader *, struct thread *,
    struct capture *, struct call_stack *);

#endif
