/* SPDX-License-Identifier: ISC */
/* numbers.h: numbers from 0 on for keys, in the order in which they are first
 * asked for. */
#ifndef OUT_NUMBERS_H
#define OUT_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "tach.h"

struct numbers {
	uint32_t *keys; /* by number */
	uint32_t count;
	uint32_t *of; /* private: by key; TACH_NONE: no number yet */
};

/* Keys are below `size`.  False if out of memory. */
static inline bool
numbers_init(struct numbers *n, size_t size)
{
	n->count = 0;
	n->keys = malloc((size + 1) * sizeof(*n->keys));
	n->of = malloc((size + 1) * sizeof(*n->of));
	if (n->keys == NULL || n->of == NULL)
		return false;
	for (size_t i = 0; i < size; i++)
		n->of[i] = TACH_NONE;
	return true;
}

static inline uint32_t
numbers_of(struct numbers *n, uint32_t key)
{
	if (n->of[key] == TACH_NONE) {
		n->of[key] = n->count;
		n->keys[n->count++] = key;
	}
	return n->of[key];
}

/* Forgets all numbers. */
static inline void
numbers_reset(struct numbers *n)
{
	while (n->count > 0)
		n->of[n->keys[--n->count]] = TACH_NONE;
}

static inline void
numbers_clear(struct numbers *n)
{
	free(n->keys);
	free(n->of);
}

#endif
