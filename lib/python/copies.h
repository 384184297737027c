/* SPDX-License-Identifier: ISC */
/* copies.h: the copies of a code object's bytecode that threads of a
 * free-threaded build run. */
#ifndef PYTHON_COPIES_H
#define PYTHON_COPIES_H

#include "python/memory.h"
#include "python/offsets.h"

/* Finds the copy of a code object's bytecode with this number; only for
 * free-threaded builds from 3.14 on.  False if there is none, or if it cannot
 * be read. */
bool code_copy(const struct py_offsets *, const struct py_memory *,
    uint64_t code, uint32_t number, uint64_t *addr);

#endif
