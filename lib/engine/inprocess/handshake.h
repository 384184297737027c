/* SPDX-License-Identifier: ISC */
/* handshake.h: the facts of a Python that its agent has to be told, as far as they
 * can be seen from outside. */
#ifndef ENGINE_INPROCESS_HANDSHAKE_H
#define ENGINE_INPROCESS_HANDSHAKE_H

#include "agent/wire.h"
#include "engine/os/os.h"
#include "python/runtime.h"
#include "tach-record.h"

/* Fills in all but the type of code objects.  False if it cannot be seen, or not
 * yet, how a thread finds its state; the agent can do without. */
bool handshake_python(const struct process *, const struct py_runtime *,
    struct wire_python *);

/* The address of the type of code objects, found by a code object that runs; 0 if
 * none is sure to run. */
uint64_t handshake_code_type(const struct process *, const struct py_runtime *,
    const struct tach_recorder_options *, struct tach_table *);

#endif
