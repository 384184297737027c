/* SPDX-License-Identifier: ISC */
/*
 * codes.h: from (code object, instruction) to an index of the frame table,
 * by one look-up once both were seen.
 *
 * The address of a freed code object is used again, so a name is right only
 * if the object was known before the chain was read, and is still the same
 * after.  An interpreter's count of freed code objects tells this (3.14 and
 * later); or the version number that the next code object will get (3.12,
 * 3.13): while it stays the same, no address has got another code object.
 * Where there is neither, the objects themselves are compared.  The count of
 * threads that got or gave up copies of the bytecode is added, where there is
 * one.
 */
#ifndef ENGINE_CODES_H
#define ENGINE_CODES_H

#include "engine/workset.h"
#include "python/code.h"
#include "python/frames.h"
#include "tach.h"

struct codes;

/* What was read at one moment: the count of an interpreter, or a number of
 * its own, right after the chain. */
struct stamp {
	uint64_t interp; /* address */
	uint64_t count;
	bool steady; /* the count was the same before the chain was read */
};

/* opcodes: frames are to have theirs.  All else must outlive it.  NULL: out
 * of memory. */
struct codes *codes_new(const struct py_offsets *, const struct py_memory *,
    struct tach_table *, bool opcodes);
void codes_free(struct codes *);

/* Forgets code objects if they are many, but not for a chain of `depth` frames
 * that has them all. */
void codes_trim(struct codes *, size_t depth);

/* Where the counts of an interpreter lie.  Returns how many there are. */
#define CODES_COUNTS 2
size_t codes_counts(const struct codes *, uint64_t interp,
    struct range at[CODES_COUNTS]);
size_t codes_counts_size(const struct codes *);
/* The stamp of a chain, by what was read of them before it and after it. */
struct stamp codes_stamp(struct codes *, uint64_t interp,
    const uint8_t *before, const uint8_t *after);

/*
 * Makes the instructions of a chain that was walked those of the original
 * bytecode where threads have copies of their own, and leaves out what a frame
 * that has only begun seems to have called.  False: the copies are not those
 * that the chain was read with, or memory ran out.
 */
bool codes_originals(struct codes *, struct py_chain *, const struct stamp *);

/* Finds the code objects that frames of a chain have forgotten, by their
 * instructions.  False: not all are known, or memory ran out. */
bool codes_name_past(struct codes *, struct py_chain *);

/*
 * Proves the code objects of a chain that was read with a stamp.  Returns how
 * many of its outermost frames are proven.  The others are read now, as far as
 * they can be: if that is not proof enough, the names are known when the same
 * chain is read again.  A proven frame that cannot have called another one from
 * where it is has left that place.
 */
size_t codes_check(struct codes *, struct py_chain *, const struct stamp *);

/* Whether all code objects of a chain, but those of its outermost `shared`
 * frames, were read before, if perhaps for another stamp. */
bool codes_has_all(const struct codes *, const struct py_chain *,
    size_t shared);

/*
 * Calls that were seen beyond doubt: which code object was called from which
 * instruction of which other, and through which of its callers: up to 16, in
 * which a recursion counts once.  A chain that has two moments in it has a call
 * that the program cannot make, or makes through others.  All of these look at
 * all calls of a chain, whose code objects were read before, but those among its
 * outermost `shared` frames.
 * codes_learn_calls gives false if there is one that nothing can make, or memory
 * ran out.
 * codes_know_calls takes a caller that has left the place of its call back to
 * it, if through the same callers there is none in another line, nor has a new
 * one been for long; of some in one line, to the last one before where it is.
 */
bool codes_know_calls(struct codes *, struct py_chain *, size_t shared);
/* Which caller the last codes_know_calls that failed could have taken back, had
 * it left the place where it is, which is one of other calls, and not of this
 * one, as far as is known.  CODES_NONE: none. */
#define CODES_NONE SIZE_MAX
size_t codes_doubted(const struct codes *);
/* Whether it failed as too few calls of a caller that it could have taken back
 * were seen yet, or since that was first seen there. */
bool codes_is_unsteady(const struct codes *);
/* The same, whoever they are made through. */
bool codes_know_places(const struct codes *, const struct py_chain *,
    size_t shared);
bool codes_learn_calls(struct codes *, const struct py_chain *,
    size_t shared);
/* How many of a chain's outermost frames may be believed though two moments may
 * be in it: their calls are known, or, if what was seen counts, are in such a
 * chain for the second time, and not known from another place. */
size_t codes_trust_calls(struct codes *, const struct py_chain *,
    size_t shared, bool seen);
/* Whether the innermost frame is where it was seen to call another one of
 * Python's, without C between them.  A thread's current frame is there only for
 * as long as it takes to make the call. */
bool codes_is_calling(const struct codes *, const struct py_chain *);
/* Whether the outermost frame, which is called by nobody, is known. */
bool codes_know_root(const struct codes *, const struct py_chain *);
/* Counts the calls that were learned. */
uint64_t codes_learned(const struct codes *);

/* For py_past; see python/past.h. */
size_t codes_frame_size(const void *codes, uint64_t code);
bool codes_may_call(const void *codes, const struct py_place *caller,
    const struct py_place *callee);

/* The frame of a place whose code object is proven.  TACH_NONE: out of
 * memory. */
uint32_t codes_frame(struct codes *, const struct py_place *);

/* The code objects that python/frames.h calls shims, as far as they were seen. */
const struct py_shims *codes_shims(const struct codes *);

/* Counts the code objects that took another's address.  As long as it stays
 * the same, equal places are equal frames. */
uint64_t codes_replaced(const struct codes *);

#endif
