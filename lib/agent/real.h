/* SPDX-License-Identifier: ISC */
/* real.h: the functions of the C library that the agent stands in front of,
 * as data, and the way on to them. */
#ifndef AGENT_REAL_H
#define AGENT_REAL_H

#include <stdatomic.h>

#define WRAPPED(X)                                                             \
	X(pthread_create)

enum wrapped {
#define X(name) WRAPPED_##name,
	WRAPPED(X)
#undef X
	WRAPPERS
};

struct wrapper {
	const char *name;
	void *own;
	_Atomic(void *) real; /* once it was looked up */
};

extern struct wrapper wrappers[WRAPPERS];

/* Marks what a program is to find in place of the C library's. */
#define WRAPPER __attribute__((visibility("default")))

/* NULL: this C library has none. */
void *real_find(enum wrapped);

/* Looks all up, so that no handler has to. */
void real_find_all(void);

#define REAL(name) ((__typeof__(&name))real_find(WRAPPED_##name))

#endif
