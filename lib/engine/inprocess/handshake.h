/* SPDX-License-Identifier: ISC */
/* handshake.h: what the agent in a process has to be told of its Python, as far
 * as that can be seen from outside. */
#ifndef ENGINE_INPROCESS_HANDSHAKE_H
#define ENGINE_INPROCESS_HANDSHAKE_H

#include "agent/wire.h"
#include "engine/os/process.h"
#include "python/runtime.h"
#include "tach.h"

/* All but the type of code objects.  False: how a thread finds its state is not
 * to be seen, or not yet; the agent can do without. */
bool handshake_python(const struct process *, const struct py_runtime *,
    struct wire_python *);

/* The address of the type of code objects, by one that runs; 0: none does. */
uint64_t handshake_code_type(const struct process *, const struct py_runtime *,
    const struct tach_recorder_options *, struct tach_table *);

#endif
