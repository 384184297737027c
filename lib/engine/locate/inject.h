/* SPDX-License-Identifier: ISC */
/*
 * inject.h: has a running Python run a script, by what Python 3.14 and later
 * offer to debuggers (PEP 768): the main thread runs it as soon as it looks
 * whether there is something to do, between two instructions.
 */
#ifndef ENGINE_LOCATE_INJECT_H
#define ENGINE_LOCATE_INJECT_H

#include "engine/os/process.h"
#include "error.h"
#include "python/runtime.h"

/* Whether the Python takes scripts at all.  Else, the error says why not. */
bool inject_possible(const struct process *, const struct py_runtime *,
    struct error *);

/*
 * Has it run the script whose name, as it sees files, is path, and waits until
 * it begins with it.  False: it has not until the deadline (ns of
 * CLOCK_MONOTONIC), or until wake_fd became readable, and will not any more;
 * the error says why.
 */
bool inject_script(const struct process *, const struct py_runtime *,
    const char *path, int wake_fd, uint64_t deadline, struct error *);

#endif
