/* SPDX-License-Identifier: ISC */
/*
 * codes.h: from (code object, instruction) to an index of the frame table,
 * by one look-up once both were seen.
 *
 * The address of a freed code object is used again, so a name is right only
 * if the object was known before the chain was read, and is still the same
 * after.  An interpreter's count of freed code objects tells this (3.14 and
 * later); or the version number that the next code object will get (3.13; that
 * of 3.12 cannot be found): while it stays the same, no address has got another
 * code object.
 * Where there is neither, the objects themselves are compared.  The count of
 * threads that got or gave up copies of the bytecode is added, where there is
 * one.  One that has a number of its own (3.12 and later), and is still there
 * when the count has changed, was there all the while.
 *
 * What is freed looks as it did until its memory is used again, and its strings
 * may be overwritten before that.  So an object must be held when its strings
 * have been read, or they must be those that were copied with the chain.
 */
#ifndef ENGINE_CODE_CODES_H
#define ENGINE_CODE_CODES_H

#include "engine/copy/workset.h"
#include "python/code.h"
#include "python/frames.h"
#include "tach.h"

struct codemap;
struct codes;

/* What was read at one moment: the count of an interpreter, or a number of
 * its own, right after the chain. */
struct stamp {
	uint64_t interp; /* address */
	uint64_t count;
	bool steady; /* the count was the same before the chain was read */
	bool past; /* it may be long ago: what is read of code objects now only
		    * counts if the count is still the same, or if they have
		    * numbers and were known before */
};

/* opcodes: frames are to have theirs.  All else must outlive it.  NULL: out
 * of memory. */
struct codes *codes_new(const struct py_offsets *, const struct py_memory *,
    struct tach_table *, bool opcodes);
void codes_free(struct codes *);

/* Forgets code objects if they are many, but not for a chain of `depth` frames
 * that has them all. */
void codes_trim(struct codes *, size_t depth);

/* Where it keeps the code objects. */
struct codemap *codes_map(struct codes *);

/* Where the counts of an interpreter lie.  Returns how many there are. */
#define CODES_COUNTS 2
size_t codes_counts(const struct codes *, uint64_t interp,
    struct range at[CODES_COUNTS]);
size_t codes_counts_size(const struct codes *);
bool codes_are_counted(const struct codes *);
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
 *
 * then: code objects as they were when the chain was read, if they were copied
 * with it; or NULL.  That is proof enough.
 */
size_t codes_check(struct codes *, struct py_chain *, const struct stamp *,
    const struct py_memory *then);

/* Whether all code objects of a chain, but those of its outermost `shared`
 * frames, were read before, if perhaps for another stamp. */
bool codes_has_all(const struct codes *, const struct py_chain *,
    size_t shared);

/* How many bytes the frames of a code object take on a data stack; 0: that is
 * not known. */
size_t codes_frame_size(const struct codes *, uint64_t code);

/* The frame of a place whose code object is proven.  TACH_NONE: out of
 * memory. */
uint32_t codes_frame(struct codes *, const struct py_place *);

/* The code objects that python/frames.h calls shims, as far as they were seen. */
const struct py_shims *codes_shims(const struct codes *);

/* Counts the code objects that took another's address.  As long as it stays
 * the same, equal places are equal frames. */
uint64_t codes_replaced(const struct codes *);

/* Counts the chains of the past of which a code object was not there any more
 * when it was to be read, as far as can be known. */
uint64_t codes_lost(const struct codes *);

#endif
