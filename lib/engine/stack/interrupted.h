/* SPDX-License-Identifier: ISC */
/* interrupted.h: reads a running thread in an interrupt: see interrupt.h. */
#ifndef ENGINE_STACK_INTERRUPTED_H
#define ENGINE_STACK_INTERRUPTED_H

#include "engine/kernel/batch.h"
#include "engine/stack/stack_reader.h"

/* Whether a thread must not be interrupted now: see threads.h. */
bool interrupted_spares(const struct thread *);
/* Copies the ranges of a snapshot and then a thread, if it runs on t->interrupt.cpu,
 * for read_once_still.  The thread's ranges are added to the snapshot, which is of no
 * use unless the result is INTERRUPT_OK; where they lie is noted in the copy. */
enum interrupt_result interrupted_copy(struct interrupts *, const struct stack_reader *,
    struct thread *, struct snapshot *, struct thread_copy *);

/* Fills in an ask for the same copy in each record of a batch.  The snapshot must
 * outlive the ask.  False if the stack is too deep, or if out of memory. */
bool interrupted_ask(const struct stack_reader *, struct thread *, struct snapshot *,
    struct batch_ask *);
/* Takes the batch's current record as the copy of a thread, behind the ranges that
 * were added to the snapshot before.  INTERRUPT_FAILED if the record does not fit
 * them. */
enum interrupt_result interrupted_take(const struct batch *,
    const struct stack_reader *, struct thread *, struct snapshot *);

/* Reads a thread's stack in interrupts.  READ_RETRY also if that is not possible.  The
 * capture is that of the stack, unless the result is READ_NOMEM or READ_RETRY; it is
 * valid until a thread is read again. */
struct verdict interrupted_read(struct interrupts *, struct stack_reader *,
    struct thread *, struct capture *, struct call_stack *);

#endif
