/* SPDX-License-Identifier: ISC */
/*
 * calls.h: the object that the innermost frame of a thread calls.
 *
 * At an instruction that calls, the callable lies on the frame's evaluation stack, below
 * its arguments.  How many values the stack has there is computed from the bytecode:
 * see depths.h.  From 3.14 on the frame also has the top of its stack whenever code of C
 * runs; then both must agree.
 */
#ifndef PYTHON_CALLS_H
#define PYTHON_CALLS_H

#include "python/code.h"
#include "python/depths.h"
#include "python/frames.h"

/* What calls are read by.  All must outlive the struct. */
struct py_calls {
	const struct py_offsets *offsets;
	const struct py_effects *effects; /* of the version; NULL: not known */
	const struct py_memory *memory;
};

#define SITE_WORDS 4

/* A call by a frame, as it was read. */
struct py_site {
	uint64_t callable; /* address of the object */
	/* For site_goes_on: the frame's words and the slot that were read. */
	uint64_t frame, slot_addr, slot;
	uint64_t words[SITE_WORDS];
};

/*
 * Finds the object that a frame calls.  code: the code object of the place; its calls
 * are read if they are needed for the first time.  False if the frame is not at a call,
 * or has gone on since the place was read, if no path leads to the call, or if memory
 * ran out.
 */
bool site_open(const struct py_calls *, struct py_code *code,
    const struct py_place *, struct py_site *);

/* Whether the frame is still at the same call of the same object.  Then the object was
 * not freed in between, unless the frame had come back to this call. */
bool site_goes_on(const struct py_calls *, const struct py_site *);

#endif
