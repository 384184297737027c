/* SPDX-License-Identifier: ISC */
/* told_stack.h: the stack of C and the segments that a thread told of in its last
 * sample. */
#ifndef ENGINE_TOLD_TOLD_STACK_H
#define ENGINE_TOLD_TOLD_STACK_H

#include "agent/wire.h"
#include "python/cframes.h"

struct told_stack {
	struct wire_stack head;
	/* The frames of the segments are the numbers, from 1 on, of the sample's frames
	 * that are no marks. */
	struct py_segments segments;
	uint8_t bytes[WIRE_STACK]; /* the stack, at the end */
};

struct told_stack *told_stack_new(void); /* NULL if memory ran out */
void told_stack_free(struct told_stack *);

enum told {
	TOLD_OK,
	TOLD_BAD, /* the bytes cannot be right: the stack is forgotten */
	TOLD_MEMORY,
};

/* Takes what follows a sample's frames in its record, `size` bytes, to which no thread
 * writes meanwhile.  depth: the sample's frames, at most. */
enum told told_stack_take(struct told_stack *, const void *, size_t size, size_t depth);

/* The bytes of the stack, from ->head.low on; ->head.len of them. */
const uint8_t *told_stack_bytes(const struct told_stack *);

#endif
