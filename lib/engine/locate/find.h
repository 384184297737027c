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

enum find_how {
	FIND_SHALLOW = 0,
	FIND_DEEP = 0x01,
	FIND_EARLY = 0x02,
};

/*
 * Looks for a runtime, and chooses the task by which memory is read.  With
 * FIND_OK and FIND_EMPTY, rt holds the runtime.
 *
 * FIND_DEEP: also searches the writable memory for the cookie of 3.13 and later,
 * which can take a while.  Otherwise mappings that are the same as at the last
 * call are not looked at again: FIND_NONE.  *seen is their hash, and 0 at
 * first.
 *
 * FIND_EARLY: a version before its release candidates is read, too, although its
 * layout may not be that of the release.
 *
 * A process that has its parent's memory, as before it starts a program, has no
 * runtime of its own: FIND_NONE.
 */
enum find_result find_python(struct process *, enum find_how,
    uint64_t *seen, struct py_runtime *rt, struct error *);

/* Whether a version came before its release candidates. */
bool find_is_early(uint32_t version);
/* A version as Python writes it: Python 3.15.0, Python 3.16.0a4. */
#define FIND_VERSION_MAX 64
void find_write_version(uint32_t version, char text[FIND_VERSION_MAX]);

#endif
