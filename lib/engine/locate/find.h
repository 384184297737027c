/* SPDX-License-Identifier: ISC */
/* find.h: finds the Python runtime in a process, wherever it lies: by
 * symbol, by section, by cookie, in any mapping. */
#ifndef ENGINE_LOCATE_FIND_H
#define ENGINE_LOCATE_FIND_H

#include "engine/os/process.h"
#include "error.h"
#include "python/runtime.h"

enum find_result {
	FIND_OK,
	FIND_EMPTY,	  /* a Python that has not begun, or has ended */
	FIND_NONE,	  /* no Python in it, as it is now */
	FIND_UNSUPPORTED, /* one that we cannot read: the error says why */
	FIND_DENIED,	  /* its memory may not be read: likewise */
	FIND_GONE,	  /* it has ended */
};

/*
 * Looks for a runtime.  deep: also search the writable memory for the cookie
 * of 3.13 and later, which can take a while.  Else, mappings that are the
 * same as at the last call (*seen remembers them; 0 at first) are not looked
 * at again: FIND_NONE.  rt holds what was found with FIND_OK and FIND_EMPTY.
 * A process that has its parent's memory, as before it starts a program, has no
 * runtime of its own: FIND_NONE.  Chooses the task by which memory is read.
 */
enum find_result find_python(struct process *, bool deep,
    uint64_t *seen, struct py_runtime *rt, struct error *);

#endif
