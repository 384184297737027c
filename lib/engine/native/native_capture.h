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

#endif
