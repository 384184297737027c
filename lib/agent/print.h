/* SPDX-License-Identifier: ISC */
/* print.h: the agent's fingerprint of a code object, its `print`, which tells
 * it from others that lay at its address. */
#ifndef AGENT_PRINT_H
#define AGENT_PRINT_H

#include "python/memory.h"
#include "python/offsets.h"

/* False if the code object or a part of it cannot be read. */
bool print_code(const struct py_offsets *, struct py_view *, uint64_t code,
    uint64_t *print);

#endif
