/* SPDX-License-Identifier: ISC */
/* print.h: what tells a code object from others that lay at its address: the
 * agent's `print` of it, which the recorder can compare. */
#ifndef AGENT_PRINT_H
#define AGENT_PRINT_H

#include "python/memory.h"
#include "python/offsets.h"

/* False: there is none. */
bool print_code(const struct py_offsets *, struct py_view *, uint64_t code,
    uint64_t *print);

#endif
