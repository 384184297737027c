/* SPDX-License-Identifier: ISC */
/* status.h: the status of a thread, by its thread state and by the structs of the
 * GIL and of the garbage collector. */
#ifndef PYTHON_STATUS_H
#define PYTHON_STATUS_H

#include "python/memory.h"
#include "python/offsets.h"

/* The address of None, once it was seen, and that of an object that is not None.
 * Another object may come to lie at the second address, but never None. */
struct py_none {
	uint64_t none, other;
};

/*
 * Whether a thread is raising an exception or handling one.  state holds a
 * copy of its thread state.  Exceptions that are not in there, such as those
 * that a generator handles, are read from memory, and count if they are still
 * the thread's.
 */
bool status_exception(const struct py_offsets *, struct py_view *state,
    const struct py_memory *, uint64_t thread, struct py_none *);

/* Whether a thread that waits in a futex at `addr` waits for the GIL at `gil`. */
bool status_waits(const struct py_offsets *, uint64_t gil, uint64_t addr);

/* Finds the words that tell of a collection in an interpreter: their address and
 * their size, at most PY_GC_MAX bytes.  False if they are not known. */
#define PY_GC_MAX 64
bool status_gc_words(const struct py_offsets *, uint64_t runtime,
    uint64_t interp, uint64_t *addr, size_t *size);

/* A garbage collection, by these words. */
struct py_gc {
	bool collecting;
	uint64_t frame; /* that called it; 0: not known, or no collection */
};
struct py_gc status_gc(const struct py_offsets *, const uint8_t *words);

#endif
