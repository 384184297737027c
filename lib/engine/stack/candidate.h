/* SPDX-License-Identifier: ISC */
/*
 * candidate.h: the candidate for a sample: the newest chain of struct chains.  It
 * is walked in a copy of its thread, proven by its code objects, and known by its
 * calls.
 */
#ifndef ENGINE_STACK_CANDIDATE_H
#define ENGINE_STACK_CANDIDATE_H

#include "engine/stack/chains.h"

/* A copy of a thread in a snapshot.  The snapshot must outlive it. */
struct copied {
	const struct snapshot *in;
	size_t first, count; /* ranges */
	size_t offset;	     /* of the first range's bytes */
	size_t gc;	     /* offset of the words on garbage collection */
	const struct stamp *stamp;
};

/*
 * Walks the frames of a copy.  candidate_walk_spans walks ->spans instead, which
 * must be of the same moment.
 *
 * past: keeps frames that have gone on before they were copied.  Where frames lie
 * apart, candidate_walk also reads the frames that the copy lacks, and adds them
 * to the thread's set: mostly these are inner frames, whose callers are in the
 * copy.  WALK_MISS if such a frame may be another thread's by now, or at another
 * depth.
 */
enum walk_result candidate_walk(struct chains *, struct thread *,
    const struct copied *, bool past, struct py_chain *);
enum walk_result candidate_walk_spans(struct chains *, const struct thread *,
    const struct copied *, bool past, struct py_chain *);

/* The result of a read whose walk gave this; READ_OK if it may go on. */
enum read_result candidate_walked(enum walk_result);

/* How many of the candidate's outermost frames its thread's last sample had. */
size_t candidate_same_as_last(const struct chains *, const struct thread *);
/* How many of its `proven` outermost frames come before the first that may have
 * left the place of its call. */
size_t candidate_in_place(const struct chains *, size_t proven);

/* Proves the candidate's code objects.  Returns how many of its outermost frames
 * are proven. */
size_t candidate_prove(struct chains *, const struct thread *,
    const struct stamp *);

/* Whether all frames of the candidate are proven and all its calls are known. */
bool candidate_is_known(struct chains *, const struct thread *, size_t proven);

/* Both: proves the candidate, and tells whether all its calls are known.  To prove
 * code objects may take longer than the copy did.  Therefore it is left out if all
 * code objects were read before and a call is not known; then *proven is the
 * number of all frames. */
bool candidate_know(struct chains *, const struct thread *, const struct stamp *,
    size_t *proven);

/* Makes the candidate's calls known.  False if a call is impossible, or if memory has
 * run out: see chains_result. */
bool candidate_learn(struct chains *);

/* Notes the first and the last copy of the state that go with the candidate; they
 * may be the same.  The copies are borrowed. */
void candidate_note_state(struct chains *, const uint8_t *state,
    const uint8_t *after);

/* Exchanges the candidate with the chain that it is compared with. */
void candidate_swap(struct chains *);

#endif
