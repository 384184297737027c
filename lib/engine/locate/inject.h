/* SPDX-License-Identifier: ISC */
/*
 * inject.h: has a running Python run a script, by the interface of Python 3.14
 * and later for debuggers (PEP 768).  The main thread runs the script as soon
 * as it checks for pending work, between two instructions.
 */
#ifndef ENGINE_LOCATE_INJECT_H
#define ENGINE_LOCATE_INJECT_H

#include "engine/os/os.h"
#include "error.h"
#include "python/runtime.h"

/* Whether the Python takes scripts at all.  If not, the error says why. */
bool inject_possible(const struct process *, const struct py_runtime *,
    struct error *);

/*
 * Has the Python run a script, and waits until it begins.  path is the script's
 * path in the target's root.  False if the deadline (ns, CLOCK_MONOTONIC) has
 * passed, or wake_fd became readable, before that: then the script will not
 * begin any more, and the error says why.
 */
bool inject_script(const struct process *, const struct py_runtime *,
    const char *path, int wake_fd, uint64_t deadline, struct error *);

#endif
