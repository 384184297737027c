/* SPDX-License-Identifier: ISC */
/*
 * calls.h: the object that the innermost frame of a thread calls, or the operands of its
 * operator.
 *
 * At an instruction that calls, the callable lies on the frame's evaluation stack, below
 * its arguments.  How many values the stack has there is computed from the bytecode:
 * see depths.h.  From 3.14 on the frame also has the top of its stack whenever code of C
 * runs; then both must agree at a call.
 */
#ifndef PYTHON_CALLS_H
#define PYTHON_CALLS_H

#include "python/callable.h"
#include "python/code.h"
#include "python/depths.h"
#include "python/frames.h"

/* What calls are read by.  All must outlive the struct. */
struct py_calls {
	const struct py_offsets *offsets;
	const struct py_effects *effects; /* of the version; NULL: not known */
	const struct py_memory *memory;
};

/* Where a frame has the object that it calls at an instruction, or its first operand; the
 * second one is in the next slot. */
struct py_call_place {
	/* Offsets, in bytes, from the frame or, where frames are objects, from the bottom
	 * of its evaluation stack: of the slot of the object, unless that has NULL and
	 * `maybe` is set, then it is in the next one; and of the top that the stack must
	 * have, 0: any. */
	uint32_t at, top;
	bool maybe;
	enum py_operator operator;
};

/* Finds the place at a code unit.  code: its calls are read if they are needed for the
 * first time.  False if neither is there, if no path leads to it, or if memory is
 * lacking or ran out. */
bool call_place(const struct py_calls *, struct py_code *code, int64_t unit,
    struct py_call_place *);

#define SITE_WORDS 4

/* A call by a frame, or an operator, as it was read. */
struct py_site {
	enum py_operator operator;
	uint64_t objects[CALLED_OBJECTS]; /* address of the callable, or of each operand */
	uint64_t place; /* address of the slot where it is, unless that has NULL: then
			 * it is in the next one */
	/* For site_goes_on: the frame's words and the slots that were read. */
	uint64_t frame, slot_addr, slots[CALLED_OBJECTS];
	uint64_t words[SITE_WORDS];
};

/*
 * Finds the object that a frame calls, or its operands.  code: the code object of the
 * place; its calls are read if they are needed for the first time.  then: the frame's
 * memory, of the moment to tell of.  False if the frame is at neither there, or not at
 * the place any more; if no path leads to it; if memory is lacking; or if it ran out.
 */
bool site_open(const struct py_calls *, const struct py_memory *then,
    struct py_code *code, const struct py_place *, struct py_site *);

/* Whether the slot of a call has the result of the call once that is over, until the next
 * instruction begins.  A thread can wait for the GIL meanwhile.  From 3.14 on no site is
 * found then, and none where the callable is in the second slot. */
bool site_may_be_over(const struct py_calls *, const struct py_site *);

/* The instruction of a site as the frame has it; where that is a number, the address of
 * the code object is added. */
uint64_t site_instr(const struct py_calls *, const struct py_site *);

/* Whether a frame, by a copy of its bytes, is at a place that is no mark. */
bool place_stays(const struct py_calls *, const struct py_place *, const uint8_t *copy);

/*
 * Whether the frame is still at the same call of the same object, and the frames of its
 * chain at their places; of a deep chain the innermost ones.  Then the object was not
 * freed since, unless all of them had come back to there.
 */
bool site_goes_on(const struct py_calls *, const struct py_site *,
    const struct py_chain *);

#endif
