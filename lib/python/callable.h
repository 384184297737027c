/* SPDX-License-Identifier: ISC */
/* callable.h: a callable as it was at one moment. */
#ifndef PYTHON_CALLABLE_H
#define PYTHON_CALLABLE_H

#include "python/memory.h"
#include "python/offsets.h"

#define CALLABLE_WORDS 6 /* behind its head */
#define CALLABLE_SELF 1 /* the number of the word that has the object it is bound to */

struct py_callable {
	uint64_t addr; /* 0: there is none */
	uint64_t type; /* 0: the rest is not known */
	uint64_t words[CALLABLE_WORDS];
	uint64_t self_type; /* type of the object that it is bound to; 0: not known */
};

/* Reads a callable.  False if it is not in that memory: then only ->addr is set. */
bool callable_read(const struct py_offsets *, const struct py_memory *, uint64_t addr,
    struct py_callable *);

#endif
