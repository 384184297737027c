/* SPDX-License-Identifier: ISC */
/* find.h: finds the Python runtime in a process, wherever it lies: by
 * symbol, by section, by cookie, in any mapping. */
#ifndef ENGINE_LOCATE_FIND_H
#define ENGINE_LOCATE_FIND_H

#include "engine/os/os.h"
#include "error.h"
#include "python/runtime.h"

enum find_result {
	FIND_OK,
	FIND_EMPTY,	  /* a Python that has not begun, or has ended */
	FIND_NONE,	  /* no Python in it, as it is now */
	FIND_UNSUPPORTED, /* a Python that cannot be read: the error says why */
	FIND_DENIED,	  /* its memory may not be read: the error says why */
	FIND_GONE,	  /* the process has ended */
};

/*
 * Looks for a runtime, and chooses the task by which memory is read.  With
 * FIND_OK and FIND_EMPTY, rt holds the runtime.
 *
 * deep: also searches the writable memory for the cookie of 3.13 and later,
 * which can take a while.  Otherwise mappings that are the same as at the last
 * call are not looked at again: FIND_NONE.  *seen is their hash, and 0 at
 * first.
 *
 * A process that has its parent's memory, as before it starts a program, has no
 * runtime of its own: FIND_NONE.
 */
enum find_result find_python(struct process *, bool deep,
    uint64_t *seen, struct py_runtime *rt, struct error *);

#endif
