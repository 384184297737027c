/* SPDX-License-Identifier: ISC */
/* native_capture.c: see native_capture.h. */
#include "engine/native/native_capture.h"

#include <stdlib.h>

#include "native/cfi.h"
#include "native/unwind.h"

#define FIRST_COPY (64 * 1024)	 /* bytes, of a stack whose end is not known */
#define COPY_MAX (1024 * 1024) /* bytes */

void
native_room_free(struct native_room *r)
{
	free(r->bytes);
	*r = (struct native_room){0};
}

static bool
room_for_stack(struct native_room *r, size_t size)
{
	uint8_t *p;

	if (size <= r->max)
		return true;
	if ((p = realloc(r->bytes, size)) == NULL)
		return false;
	r->bytes = p;
	r->max = size;
	return true;
}

/* The bytes from an address to the stack's end, if that is known and is not too far. */
static size_t
bytes_to_end(uint64_t low, uint64_t end)
{
	return end > low && end - low <= COPY_MAX ? (size_t)(end - low) : 0;
}

bool
native_copy_stack(struct native_room *r, pid_t task, uint64_t end,
    struct native_capture *c)
{
	uint64_t sp = c->registers.value[cfi_our_machine()->sp];
	uint64_t low = sp > UNWIND_RED_ZONE ? sp - UNWIND_RED_ZONE : sp;
	size_t known = bytes_to_end(low, end), size = known != 0 ? known : FIRST_COPY;
	size_t got;

	c->len = 0;
	/* It may be another stack, for signals, from which frames lead to that one. */
	if ((end != 0 && known == 0) || !room_for_stack(r, size))
		return false;
	got = memory_copy_some(task, low, r->bytes, size);
	if (got == 0 || (known != 0 ? got < size : got == size))
		return false;
	c->low = low;
	c->bytes = r->bytes;
	c->len = got;
	return true;
}
