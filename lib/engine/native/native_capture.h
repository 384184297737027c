/* SPDX-License-Identifier: ISC */
/* native_capture.h: a thread at one moment, for the frames of C that it has then. */
#ifndef ENGINE_NATIVE_NATIVE_CAPTURE_H
#define ENGINE_NATIVE_NATIVE_CAPTURE_H

#include "engine/os/os.h"
#include "python/memory.h"

/* All that it points to is the caller's, and valid while it is used. */
struct native_capture {
	struct task_registers registers; /* ->count 0: they are not known */
	const char *without; /* then, the cause, for people */
	/* The copy of the stack; the stack has no other bytes then, as the thread may
	 * have gone on.  len 0: it is read from the process, as the thread stands
	 * still. */
	uint64_t low; /* address of the first byte */
	const uint8_t *bytes;
	size_t len;
	/* The thread's state, frames and cframes of that moment. */
	const struct py_memory *memory;
};

/* Room for a copy of a stack.  All zero: there is none yet. */
struct native_room {
	uint8_t *bytes;
	size_t max;
};

void native_room_free(struct native_room *);

/*
 * Copies the stack of a capture that has registers, from its innermost address to its
 * end: that is known (0: it is not), or is the end of the mapping.  False, and there is
 * no copy, if it has more bytes than a copy should have, if it is not the one with that
 * end, if its end cannot be found, or if out of memory.
 */
bool native_copy_stack(struct native_room *, pid_t task, uint64_t end,
    struct native_capture *);

#endif
