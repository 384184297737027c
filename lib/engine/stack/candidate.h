/* SPDX-License-Identifier: ISC */
/*
 * candidate.h: the candidate for a sample: a stack that is not believed yet.  It is
 * walked in a capture of its thread, proven by its code objects, and known by its
 * calls.
 */
#ifndef ENGINE_STACK_CANDIDATE_H
#define ENGINE_STACK_CANDIDATE_H

#include "engine/stack/stack_reader.h"

/*
 * Walks the frames of a capture, and makes them the chain.  candidate_walk makes the
 * capture's view; candidate_walk_view walks the view that there is.
 *
 * past: keeps frames that have gone on before they were copied.  Where frames lie
 * apart, candidate_walk also reads the frames that the capture lacks, and adds them
 * to the view, and to the thread's set: mostly these are inner frames, whose callers
 * are in the capture.  WALK_MISS if such a frame may be another thread's by now, or
 * at another depth.
 */
enum walk_result candidate_walk(struct stack_reader *, struct thread *,
    struct capture *, bool past, struct py_chain *);
enum walk_result candidate_walk_view(struct stack_reader *, const struct thread *,
    const struct capture *, bool past, struct py_chain *);

/* The result of a read whose walk gave this; READ_SURE if it may go on. */
enum read_result candidate_walked(enum walk_result);

/* How many of a chain's outermost frames its thread's last sample had. */
size_t candidate_same_as_last(const struct stack_reader *, const struct thread *,
    const struct py_chain *);
/* How many of its `proven` outermost frames come before the first that may have
 * left the place of its call. */
size_t candidate_in_place(const struct py_chain *, size_t proven);

/* Proves the code objects of a stack that was walked in a capture.  Returns how many
 * of its outermost frames are proven. */
size_t candidate_prove(struct stack_reader *, const struct thread *,
    const struct capture *, struct call_stack *);

/* Whether all frames of a stack are proven and all its calls are known. */
bool candidate_is_known(struct stack_reader *, struct call_stack *, size_t proven);

/* Both: proves a stack, and tells whether all its calls are known.  To prove
 * code objects may take longer than the copy did.  Therefore it is left out if all
 * code objects were read before and a call is not known; then *proven is the
 * number of all frames. */
bool candidate_know(struct stack_reader *, const struct thread *,
    const struct capture *, struct call_stack *, size_t *proven);

/* Makes a stack's calls known.  False if a call is impossible, or if memory has run
 * out: see reader_result. */
bool candidate_learn(struct stack_reader *, const struct call_stack *);

#endif
