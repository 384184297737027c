/* SPDX-License-Identifier: ISC */
/*
 * contexts.h: the calls that were seen beyond doubt, in their calling contexts:
 * which code object was called from which instruction of which other, and through
 * which of its callers: the last 6, and of 10 before them, where a recursion
 * counts once.
 *
 * A chain that has two moments in it has a call that the program cannot make,
 * or makes through others.  All of these look at all calls of a chain, whose
 * code objects were read before, but those among its outermost `shared` frames.
 */
#ifndef ENGINE_CODE_CONTEXTS_H
#define ENGINE_CODE_CONTEXTS_H

#include "engine/code/codemap.h"
#include "python/frames.h"

struct contexts;

/* Both must outlive it.  NULL: out of memory. */
struct contexts *contexts_new(const struct py_offsets *, struct codemap *);
void contexts_free(struct contexts *);

/* Makes those of a chain known.  False: there is one that nothing can make, or
 * memory ran out. */
bool contexts_learn(struct contexts *, const struct py_chain *, size_t shared);
/* Counts the calls that were learned. */
uint64_t contexts_learned(const struct contexts *);

/*
 * Whether all are known.  A caller that has left the place of its call is taken
 * back to it, if through the same callers there is none in another line, nor
 * has a new one been for long; of some in one line, to the last one before
 * where it is.
 */
bool contexts_know(struct contexts *, struct py_chain *, size_t shared);
/* Which caller the last contexts_know that failed could have taken back, had it
 * left the place where it is, which is one of other calls, and not of this one,
 * as far as is known.  CONTEXTS_NONE: none. */
#define CONTEXTS_NONE SIZE_MAX
size_t contexts_doubted(const struct contexts *);
/* Whether it failed as too few calls of a caller that it could have taken back
 * were seen yet, or since that was first seen there. */
bool contexts_is_unsteady(const struct contexts *);

/* How many of a chain's outermost frames may be believed though two moments may
 * be in it: their calls are known, or, if what was seen counts, are in such a
 * chain for the second time, and not known from another place. */
size_t contexts_trust(struct contexts *, const struct py_chain *, size_t shared,
    bool seen);

/* Whether the outermost frame, which is called by nobody, is known. */
bool contexts_know_root(const struct contexts *, const struct py_chain *);
/* Whether the innermost frame is where it was seen to call another one of
 * Python's, without C between them.  A thread's current frame is there only for
 * as long as it takes to make the call. */
bool contexts_is_calling(const struct contexts *, const struct py_chain *);
/* Whether one frame's code object was seen to call the other's; see
 * python/past.h. */
bool contexts_may_call(const struct contexts *, const struct py_place *caller,
    const struct py_place *callee);

#endif
