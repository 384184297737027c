/* SPDX-License-Identifier: ISC */
/* stack_window.h: the part of a thread's stack that an unwind is at. */
#ifndef ENGINE_NATIVE_STACK_WINDOW_H
#define ENGINE_NATIVE_STACK_WINDOW_H

#include "engine/native/native_capture.h"
#include "native/unwind.h"
#include "python/memory.h"

#define STACK_WINDOW (64 * 1024) /* bytes */

struct stack_window {
	struct native_stack stack; /* first: unwinds get its address */
	const struct py_memory *memory; /* the process's */
	uint8_t *bytes; /* STACK_WINDOW of them; NULL: not made yet */
};

void stack_window_init(struct stack_window *, const struct py_memory *);
void stack_window_free(struct stack_window *);
/* Takes the copy of the stack that a capture has, for as long as that is valid.  If it
 * has none, copies the stack from its innermost address on: then the window moves where
 * an unwind needs other parts.  False if it cannot be read, or if out of memory. */
bool stack_window_open(struct stack_window *, const struct native_capture *, uint64_t sp);

#endif
