/* SPDX-License-Identifier: ISC */
/* tell.h: what the agent in a process has to be told of its Python, as far as
 * that can be seen from outside. */
#ifndef ENGINE_INPROCESS_TELL_H
#define ENGINE_INPROCESS_TELL_H

#include "agent/wire.h"
#include "engine/os/process.h"
#include "python/runtime.h"
#include "tach.h"

/* All but the type of code objects.  False: how a thread finds its state is not
 * to be seen, or not yet; the agent can do without. */
bool tell_python(const struct process *, const struct py_runtime *,
    struct wire_python *);

/* The address of the type of code objects, by one that runs; 0: none does. */
uint64_t tell_code_type(const struct process *, const struct py_runtime *,
    const struct tach_recorder_options *, struct tach_table *);

#endif
