/* SPDX-License-Identifier: ISC */
/*
 * contexts.h: the calls that were seen beyond doubt, in their contexts.
 *
 * A call has an instruction of its caller, its callee, and the caller's own
 * callers: the last 6, and of 10 before them, where a recursion counts once.
 *
 * A chain that has two moments in it has a call that the program cannot make,
 * or makes through other callers.  The functions look at all calls of a chain
 * except the calls among its `shared` outermost frames.  The code objects of the
 * chain must have been read before.
 */
#ifndef ENGINE_CODE_CONTEXTS_H
#define ENGINE_CODE_CONTEXTS_H

#include "engine/code/codemap.h"
#include "python/frames.h"

struct contexts;

/* max: edges of a generation.  The offsets and the map must outlive the contexts.
 * NULL if out of memory. */
#define CONTEXTS_MAX 65536
struct contexts *contexts_new(const struct py_offsets *, struct codemap *,
    size_t max);
void contexts_free(struct contexts *);

/* Whether memory has run out: then calls are missing, and may be doubted for that
 * reason alone. */
bool contexts_failed(const struct contexts *);

/* Makes the calls of a chain known.  False if a call is impossible, or after a
 * failure. */
bool contexts_learn(struct contexts *, const struct py_chain *, size_t shared);
/* The number of edges that were ever learned. */
uint64_t contexts_learned(const struct contexts *);
/* Forgets the calls that were not seen lately, if many were: see edges.h. */
void contexts_trim(struct contexts *);

/*
 * Whether all calls of a chain are known.  A caller that has left the place of
 * its call is taken back to it: its instruction is changed.  This is done only
 * if its context knows the call on one line only, and if the caller had no new
 * call for 64 chains.  If several places on that line are known, the last one
 * before the caller's instruction is taken.
 */
bool contexts_know(struct contexts *, struct py_chain *, size_t shared);
/* Whether the last contexts_know failed as a caller cannot be taken back yet: it had
 * a new call within its last 64 chains. */
bool contexts_is_unsteady(const struct contexts *);

/* How many outermost frames of a chain may be believed though two moments may be
 * in it.  Each of their calls is known; or, if `seen`, it was in such a chain
 * before, and its caller is not known to make it from other places only.  If
 * `seen`, all unknown calls of the chain are noted for later chains. */
size_t contexts_trust(struct contexts *, const struct py_chain *, size_t shared,
    bool seen);

/* Whether the outermost frame is known as a root, which has no caller.  True also
 * if the chain is cut or has no frame. */
bool contexts_know_root(struct contexts *, const struct py_chain *);
/* Whether the innermost frame is at an instruction that was seen to call a Python
 * function without C in between.  A thread's current frame is there only while
 * it makes the call. */
bool contexts_is_calling(struct contexts *, const struct py_chain *);
/* Whether the caller's code object was seen to call the callee's, from any place
 * and through any callers; see python/past.h. */
bool contexts_may_call(const struct contexts *, const struct py_place *caller,
    const struct py_place *callee);

#endif
