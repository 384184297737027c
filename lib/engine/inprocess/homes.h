/* SPDX-License-Identifier: ISC */
/* homes.h: where the interpreters are that agents know by their numbers. */
#ifndef ENGINE_INPROCESS_HOMES_H
#define ENGINE_INPROCESS_HOMES_H

#include "python/runtime.h"

struct home {
	uint64_t addr, id;
};

/* Of one Python; begins with all zero. */
struct homes {
	struct home *list;
	size_t count, max;
	uint64_t looked_at; /* ns */
};

/* The address of an interpreter, 0: it is not known.  One that is missing is
 * looked for in the process's memory, but not too often. */
uint64_t homes_find(struct homes *, const struct py_memory *,
    const struct py_runtime *, uint64_t id, uint64_t now);
void homes_free(struct homes *);

#endif
