/* SPDX-License-Identifier: ISC */
/* status.h: what a thread state says of its thread besides its frames, and
 * what the structs of the GIL and of the garbage collector say. */
#ifndef PYTHON_STATUS_H
#define PYTHON_STATUS_H

#include "python/memory.h"
#include "python/offsets.h"

/* None, once it was seen, and an object that is not.  What lies at an address
 * may change, but never to None and back. */
struct py_none {
	uint64_t none, other;
};

/*
 * Whether a thread is raising an exception or handling one.  state holds a
 * copy of its thread state; what is not in there, such as what a generator
 * handles, is read from memory, and counts if it is still the thread's.
 */
bool status_exception(const struct py_offsets *, struct py_view *state,
    const struct py_memory *, uint64_t thread, struct py_none *);

/* Whether who waits at an address waits for the GIL at another one. */
bool status_waits(const struct py_offsets *, uint64_t gil, uint64_t addr);

/* Where an interpreter keeps what is known of a collection: an address and a
 * size of at most PY_GC_MAX bytes.  False: it is not known. */
#define PY_GC_MAX 64
bool status_gc_words(const struct py_offsets *, uint64_t runtime,
    uint64_t interp, uint64_t *addr, size_t *size);

/* A collection: whether one goes on, and the frame that called it, 0 where
 * that is not known. */
struct py_gc {
	bool collecting;
	uint64_t frame;
};
struct py_gc status_gc(const struct py_offsets *, const uint8_t *words);

#endif
