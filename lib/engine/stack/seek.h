/* SPDX-License-Identifier: ISC */
/*
 * seek.h: looks for the frame that was current when a thread's state was copied,
 * if another frame took its place before the frames were copied.
 *
 * From 3.13 on the state has the current frame and the end of the data stack.  A
 * frame that takes the place often has another size.  Then the thread is copied
 * until its state is the same again.  To take the thread wherever it is would miss
 * functions that end within a microsecond.
 *
 * This costs a third of the interval, 50 us at most, and has the effect that at 1 kHz
 * a function of truly 21 % (t/programs/brief.py on 3.13) has 21 to 28 % of the samples,
 * not 15 to 18; in interrupts it has 22 to 27 %.  At 10 kHz it buys nothing.
 */
#ifndef ENGINE_STACK_SEEK_H
#define ENGINE_STACK_SEEK_H

#include "engine/stack/candidate.h"

/* Whether a chain can be of the same moment as a copy of the state, by the sizes of
 * its frames.  True if states do not have the current frame, and if the chain has no
 * frame on the data stack. */
bool seek_fits(const struct stack_reader *, const struct py_chain *,
    const uint8_t *copy);

/*
 * Copies a thread again whose stack, walked in the first capture, does not fit its
 * state, until the state is the same again and has a stack that fits it, with the
 * same callers and known calls: then the thread mostly is where it was.  That becomes
 * the stack.
 *
 * known: the stack can be believed, but is of a later moment; the search ends after
 * ->patience.  If it is not known, nothing of it holds: there is one search, and a
 * stack of any moment does if its calls are known.
 *
 * READ_RETRY if nothing was found: the stack is as it was.
 */
enum read_result seek_frame(struct stack_reader *, struct thread *,
    const struct capture *first, bool known, struct call_stack *);

#endif
