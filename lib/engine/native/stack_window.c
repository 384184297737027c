/* SPDX-License-Identifier: ISC */
/* stack_window.c: see stack_window.h. */
#include "engine/native/stack_window.h"

#include <stdlib.h>

#define PIECE 4096 /* bytes: no page is smaller */
#define LOWER 1024 /* bytes that a window has below the wanted address */

/* Reads as much as there is from an address on, to the end of a page: up to
 * STACK_WINDOW bytes. */
static bool
read_from(struct stack_window *w, uint64_t low)
{
	for (size_t size = STACK_WINDOW; size >= PIECE / 2; size /= 2) {
		uint64_t end = (low + size) / PIECE * PIECE;
		if (end <= low)
			end = low / PIECE * PIECE + PIECE;
		if (!py_read(w->memory, low, w->bytes, (size_t)(end - low)))
			continue;
		w->stack.low = low;
		w->stack.bytes = w->bytes;
		w->stack.len = (size_t)(end - low);
		return true;
	}
	return false;
}

static bool
move_window(struct native_stack *s, uint64_t addr)
{
	struct stack_window *w = (struct stack_window *)s;

	if (addr > UINT64_MAX - STACK_WINDOW)
		return false;
	return (addr > LOWER && read_from(w, addr - LOWER) &&
		   s->len >= LOWER + sizeof(uint64_t)) ||
	    read_from(w, addr);
}

void
stack_window_init(struct stack_window *w, const struct py_memory *memory)
{
	*w = (struct stack_window){.stack.more = move_window, .memory = memory};
}

void
stack_window_free(struct stack_window *w)
{
	free(w->bytes);
}

bool
stack_window_open(struct stack_window *w, uint64_t sp)
{
	w->stack.len = 0;
	if (w->bytes == NULL && (w->bytes = malloc(STACK_WINDOW)) == NULL)
		return false;
	return sp >= UNWIND_RED_ZONE && sp <= UINT64_MAX - STACK_WINDOW &&
	    (read_from(w, sp - UNWIND_RED_ZONE) || read_from(w, sp));
}
