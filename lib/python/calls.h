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

/* Where a frame has the object that it calls at an instruction. */
struct py_call_place {
	/* Offsets, in bytes, from the frame or, where frames are objects, from the bottom
	 * of its evaluation stack: of the slot of the object, unless that has NULL and
	 * `maybe` is set, then it is in the next one; and of the top of the stack. */
	uint32_t at, top;
	bool maybe;
};

/* Finds the place at a code unit.  code: its calls are read if they are needed for the
 * first time.  False if no call is there, if no path leads to it, or if memory is
 * lacking or ran out. */
bool call_place(const struct py_calls *, struct py_code *code, int64_t unit,
    struct py_call_place *);

#define SITE_WORDS 4

/* A call by a frame, as it was read. */
struct py_site {
	uint64_t callable; /* address of the object */
	uint64_t place; /* address of the slot where it is, unless that has NULL: then
			 * it is in the next one */
	/* For site_goes_on: the frame's words and the slot that were read. */
	uint64_t frame, slot_addr, slot;
	uint64_t words[SITE_WORDS];
};

/*
 * Finds the object that a frame calls.  code: the code object of the place; its calls
 * are read if they are needed for the first time.  then: the frame's memory, of the
 * moment to tell of.  False if the frame is not at a call there, or not at the place
 * any more; if no path leads to the call; if memory is lacking; or if it ran out.
 */
bool site_open(const struct py_calls *, const struct py_memory *then,
    struct py_code *code, const struct py_place *, struct py_site *);

/* The instruction of a site as the frame has it; where that is a number, the address of
 * the code object is added. */
uint64_t site_instr(const struct py_calls *, const struct py_site *);

/*
 * Whether the frame is still at the same call of the same object, and the frames of its
 * chain at their places; of a deep chain the innermost ones.  Then the object was not
 * freed since, unless all of them had come back to there.
 */
bool site_goes_on(const struct py_calls *, const struct py_site *,
    const struct py_chain *);

#endif
