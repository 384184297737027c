/* SPDX-License-Identifier: ISC */
/*
 * kept_stacks.h: the last whole stack of C of each thread that was blocked.
 *
 * A thread that wakes for a moment and blocks again has most often the same stack.  It
 * then need not be unwound once more; and where only the registers of a thread that has
 * stopped are enough for that, it need not be stopped once more.
 */
#ifndef ENGINE_NATIVE_KEPT_STACKS_H
#define ENGINE_NATIVE_KEPT_STACKS_H

#include "engine/native/native_capture.h"
#include "engine/native/unwinder.h"

#define KEPT_STACKS 1024 /* threads whose ids differ in these bits have one each */

struct kept_stack {
	pid_t task;	 /* 0: none */
	uint64_t sp, pc;
	uint64_t bytes;	 /* hash of the stack */
	struct native_frame *frames;
	size_t count;
	uint64_t end; /* of the stack */
};

struct kept_stacks {
	struct kept_stack *list; /* NULL: none was kept yet */
};

void kept_stacks_free(struct kept_stacks *);

/* Keeps the unwinder's stack, which is whole, as the one of a capture with a copy.  Does
 * nothing if out of memory. */
void kept_stacks_keep(struct kept_stacks *, pid_t task, const struct native_capture *,
    const struct unwinder *);
/* Gives the unwinder the frames that were kept, if a capture with a copy is of the same
 * stack. */
bool kept_stacks_recall(const struct kept_stacks *, pid_t task,
    const struct native_capture *, struct unwinder *);

#endif
