/* SPDX-License-Identifier: ISC */
/*
 * candidate.h: the newest chain of struct chains, the candidate for a sample:
 * walked in a copy of its thread, proven by its code objects, and known by its
 * calls.
 */
#ifndef ENGINE_STACK_CANDIDATE_H
#define ENGINE_STACK_CANDIDATE_H

#include "engine/stack/chains.h"

/* A copy of a thread in a snapshot, which must outlive it. */
struct copied {
	const struct snapshot *in;
	size_t first, count; /* ranges */
	size_t offset;	     /* of their bytes */
	size_t gc;	     /* offset of the words on garbage collection */
	const struct stamp *stamp;
};

/* Walks a copy; candidate_walk_spans does that in ->spans, which are of the same
 * moment.  past: with the frames that went on before they were copied; where
 * frames lie apart, those that the copy lacks are then read now, and added to the
 * thread's set: they are mostly inner ones, whose callers' calls the copy has.
 * WALK_MISS where they may be another thread's by now, or at another depth. */
enum walk_result candidate_walk(struct chains *, struct thread *,
    const struct copied *, bool past, struct py_chain *);
enum walk_result candidate_walk_spans(struct chains *, const struct thread *,
    const struct copied *, bool past, struct py_chain *);

/* How many of its outermost frames its thread's last sample had; and, out of
 * those that are proven, are where they called the next one. */
size_t candidate_same_as_last(const struct chains *, const struct thread *);
size_t candidate_in_place(const struct chains *, size_t proven);

/* How many of its outermost frames are proven by their code objects. */
size_t candidate_prove(struct chains *, const struct thread *,
    const struct stamp *);

/* Whether every call of it is known, if so many of its outermost frames are
 * proven. */
bool candidate_is_known(struct chains *, const struct thread *, size_t proven);

/* Both at once: whether it is proven and every call is known.  To prove code
 * objects may take longer than the copy did, so it is not done where a call of
 * known ones is not known; then *proven says how many would have to be. */
bool candidate_know(struct chains *, const struct thread *, const struct stamp *,
    size_t *proven);

/* Makes its calls known.  False: there is one that nothing can make, or memory
 * ran out. */
bool candidate_learn(struct chains *);

/* Takes note of the copies of the state that go with it, the first and the
 * last one. */
void candidate_note_state(struct chains *, const uint8_t *state,
    const uint8_t *after);

/* Exchanges it with the one that it is compared with. */
void candidate_swap(struct chains *);

#endif
