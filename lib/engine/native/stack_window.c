/* SPDX-License-Identifier: ISC */
/* stack_window.c: see stack_window.h. */
#include "engine/native/stack_window.h"

#include <stdlib.h>

#define PIECE 4096 /* bytes: no page is smaller */
#define LOWER 1024 /* bytes that a window has below the wanted address */

/* Reads a piece of the stack behind what the window has.  False if it cannot be read. */
static bool
read_more(struct stack_window *w, size_t size)
{
	size_t len = w->stack.len;
	uint64_t low = w->stack.low + len;

	if (size > STACK_WINDOW - len || !py_read(w->memory, low, w->bytes + len, size))
		return false;
	w->stack.len += size;
	return true;
}

/* Reads from an address on as much as there is, STACK_WINDOW bytes at most: up to the
 * end of a page, then smaller and smaller pieces of whole pages. */
static bool
read_from(struct stack_window *w, uint64_t low)
{
	size_t size = STACK_WINDOW - low % PIECE;

	w->stack.low = low;
	w->stack.bytes = w->bytes;
	w->stack.len = 0;
	if (read_more(w, size))
		return true;
	if (!read_more(w, PIECE - low % PIECE))
		return false;
	for (size = STACK_WINDOW / 2; size >= PIECE; size /= 2)
		read_more(w, size);
	return true;
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
	*w = (struct stack_window){.memory = memory};
}

void
stack_window_free(struct stack_window *w)
{
	free(w->bytes);
}

bool
stack_window_open(struct stack_window *w, const struct native_capture *from, uint64_t sp)
{
	if (from->len > 0) {
		w->stack = (struct native_stack){from->low, from->bytes, from->len, NULL};
		return true;
	}
	w->stack = (struct native_stack){.more = move_window};
	if (w->bytes == NULL && (w->bytes = malloc(STACK_WINDOW)) == NULL)
		return false;
	return sp >= UNWIND_RED_ZONE && sp <= UINT64_MAX - STACK_WINDOW &&
	    (read_from(w, sp - UNWIND_RED_ZONE) || read_from(w, sp));
}
