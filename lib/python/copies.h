/* SPDX-License-Identifier: ISC */
/* copies.h: the copies of a code object's bytecode that threads of a
 * free-threaded build run. */
#ifndef PYTHON_COPIES_H
#define PYTHON_COPIES_H

#include "python/memory.h"
#include "python/offsets.h"

/* Where a copy of a code object's bytecode lies, of free-threaded builds.
 * False: there is none of that number. */
bool code_copy(const struct py_offsets *, const struct py_memory *,
    uint64_t code, uint32_t number, uint64_t *addr);

#endif
