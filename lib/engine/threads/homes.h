/* SPDX-License-Identifier: ISC */
/* homes.h: the addresses of interpreters, which agents know by their numbers. */
#ifndef ENGINE_THREADS_HOMES_H
#define ENGINE_THREADS_HOMES_H

#include "python/runtime.h"

struct home {
	uint64_t addr, id;
};

/* The interpreters of one Python.  Begins with all zero. */
struct homes {
	struct home *list;
	size_t count, max;
	uint64_t looked_at; /* ns */
};

/* The address of an interpreter; 0 if it is not known.  A missing one is looked for
 * in the process's memory, at most every 100 ms.  now: ns. */
uint64_t homes_find(struct homes *, const struct py_memory *,
    const struct py_runtime *, uint64_t id, uint64_t now);
void homes_free(struct homes *);

#endif
