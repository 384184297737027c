/* SPDX-License-Identifier: ISC */
/* held.h: whether an object has references.  Then all that is read from it is its own,
 * and was not freed before. */
#ifndef PYTHON_HELD_H
#define PYTHON_HELD_H

#include "python/memory.h"
#include "python/offsets.h"
#include "python/same.h"
#include "python/traits.h"

/* Bytes before an object's type that have its counts of references. */
static inline size_t
held_size(const struct py_offsets *o)
{
	return py_is_free_threaded(o) ? 2 * sizeof(uint64_t) : sizeof(uint64_t);
}

/*
 * Whether these bytes, which lie before the type, count a reference.  A free-threaded
 * build has two counts.  To 3.13 one count takes all 64 bits, and an object that was
 * freed can have an address in its place; later the upper 32 have flags.
 */
static inline bool
held_by(const struct py_offsets *o, const uint8_t *counts)
{
	uint64_t refs = load_u64(counts);

	if (py_is_free_threaded(o))
		return load_u64(counts + sizeof(refs)) > PY_SHARED_FLAGS ||
		    load_u32(counts + sizeof(uint32_t)) != 0;
	return (uint32_t)refs != 0 && (py_counts_codes(o) || refs >> 32 == 0);
}

/* False also if the object cannot be read. */
static inline bool
object_is_held(const struct py_offsets *o, const struct py_memory *m, uint64_t addr)
{
	uint8_t counts[2 * sizeof(uint64_t)];
	size_t n = held_size(o);

	return py_read(m, addr + o->object_type - n, counts, n) && held_by(o, counts);
}

#endif
