/* SPDX-License-Identifier: ISC */
/*
 * codes.h: proves the code objects of chains, and maps (code object, instruction)
 * to an index of the frame table, by one look-up once both were seen.
 *
 * The address of a freed code object is used again.  Therefore a name is right
 * only if the object was known before the chain was read, and is still the same
 * after.  Versions of Python tell this in three ways:
 *
 *   3.14 and later  The interpreter's count of freed code objects stands still.
 *   3.13            The version number that the next code object will get stands
 *                   still: no address has got another code object.  (This number
 *                   of 3.12 cannot be found.)
 *   others          The objects themselves are compared.
 *
 * The count of threads that got or gave up copies of the bytecode is added,
 * where there is one.  A code object that has a version number (3.12 and later)
 * and is still there when the count has changed was there all the time.
 *
 * A freed object looks as before until its memory is used again, and its strings
 * may be overwritten earlier.  Therefore an object must still be held when its
 * strings have been read, or its strings must equal the strings that were copied
 * with the chain.
 */
#ifndef ENGINE_CODE_CODES_H
#define ENGINE_CODE_CODES_H

#include "engine/copy/workset.h"
#include "python/code.h"
#include "python/frames.h"
#include "tach.h"

struct codemap;
struct codes;

/* The moment at which a chain was read: the count of its interpreter right after
 * it; or, where nothing is counted, a made-up number that comes only once. */
struct stamp {
	uint64_t interp; /* address */
	uint64_t count;
	bool steady; /* the count was the same before the chain was read */
	bool past; /* it may be long ago: a code object that is read now is
		    * proven only if the count is still the same, or if it has
		    * a version number and was known before */
};

/* opcodes: frames get their opcodes.  The other arguments must outlive the codes.
 * NULL if out of memory. */
struct codes *codes_new(const struct py_offsets *, const struct py_memory *,
    struct tach_table *, bool opcodes);
void codes_free(struct codes *);

/* Forgets the code objects that were not used lately, if many were, unless a
 * chain of `depth` frames may need them all: see codemap.h. */
void codes_trim(struct codes *, size_t depth);

/* The map of its code objects, valid as long as the codes. */
struct codemap *codes_map(struct codes *);

/* Fills in where the counts of an interpreter lie, and returns how many there
 * are.  codes_counts_size: how many bytes they take.  codes_are_counted: whether
 * there are any. */
#define CODES_COUNTS 2
size_t codes_counts(const struct codes *, uint64_t interp,
    struct range at[CODES_COUNTS]);
size_t codes_counts_size(const struct codes *);
bool codes_are_counted(const struct codes *);
/* The stamp of a chain, by copies of the counts from before it and after it. */
struct stamp codes_stamp(struct codes *, uint64_t interp,
    const uint8_t *before, const uint8_t *after);

/*
 * Where threads have their own copies of the bytecode: changes each instruction
 * of a chain to its address in the original.  Drops the frames that a frame at
 * its first instruction seems to have called.  False if a copy cannot be proven
 * for the stamp.
 */
bool codes_originals(struct codes *, struct py_chain *, const struct stamp *);

/* Fills in the code objects that past frames of a chain have forgotten, by their
 * instructions.  False if not all are known, or if out of memory. */
bool codes_name_past(struct codes *, struct py_chain *);

/*
 * Proves the code objects of a chain that was read with a stamp.  Returns how
 * many of its outermost frames are proven.  The other code objects are read now,
 * as far as possible: if that is no proof yet, they are known when the same chain
 * is read again.  A proven frame that cannot be calling from its instruction is
 * marked as `left`.
 *
 * then: the code objects as they were copied with the chain, or NULL.  These
 * copies alone are proof enough.
 */
size_t codes_check(struct codes *, struct py_chain *, const struct stamp *,
    const struct py_memory *then);

/* Whether all code objects of a chain were read before, maybe for another stamp.
 * The `shared` outermost frames are not checked. */
bool codes_has_all(const struct codes *, const struct py_chain *,
    size_t shared);

/* How many bytes the frames of a code object take on a data stack.  0 if that is
 * not known. */
size_t codes_frame_size(const struct codes *, uint64_t code);

/* The index of the frame of a place whose code object is proven.  TACH_NONE if
 * out of memory. */
uint32_t codes_frame(struct codes *, const struct py_place *);

/* The code object of a proven place, valid until another one is read.  NULL if out of
 * memory. */
struct py_code *codes_code(struct codes *, const struct py_place *);

/* The shims (see python/frames.h) that were seen, valid as long as the codes. */
const struct py_shims *codes_shims(const struct codes *);

/* Counts how often a code object took another one's address, or code objects or
 * calls may have been forgotten.  While the count stays the same, equal places are
 * equal frames, and their calls are known if they were. */
uint64_t codes_replaced(const struct codes *);

/* Whether memory has run out: then code objects or copies are missing, and a chain
 * may not be proven for that reason alone. */
bool codes_failed(const struct codes *);

/* Counts the chains with a `past` stamp that have a code object which could not
 * be proven any more: it was freed before it was read, as far as is known. */
uint64_t codes_lost(const struct codes *);

#endif
