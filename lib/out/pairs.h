/* SPDX-License-Identifier: ISC */
/*
 * pairs.h: finds a number for a pair of numbers.  All that a look-up needs
 * lies in one line of the cache: this is what converting spends its time on.
 */
#ifndef OUT_PAIRS_H
#define OUT_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pair {
	uint32_t a, b;
	uint32_t value; /* 0: free */
};

/* All zero is an empty one. */
struct pairs {
	struct pair *slots;
	size_t mask; /* slots - 1; 0: nothing allocated yet */
	size_t count;
	uint64_t factor; /* what locations are found by: see hash.h */
};

/* Where a pair is, or the free slot where it belongs; of slots that are
 * there. */
static inline struct pair *
pairs_slot(const struct pairs *p, uint32_t a, uint32_t b)
{
	uint64_t hash = ((uint64_t)a << 32 | b) * p->factor;
	size_t i = (hash ^ hash >> 32) & p->mask;

	while (p->slots[i].value != 0 &&
	    (p->slots[i].a != a || p->slots[i].b != b))
		i = (i + 1) & p->mask;
	return &p->slots[i];
}

/* The value of a pair, or 0. */
static inline uint32_t
pairs_find(const struct pairs *p, uint32_t a, uint32_t b)
{
	return p->mask != 0 ? pairs_slot(p, a, b)->value : 0;
}

/* Adds a pair that is not there, with a value that is not 0.  False: out of
 * memory, and all is as before. */
bool pairs_add(struct pairs *, uint32_t a, uint32_t b, uint32_t value);

void pairs_clear(struct pairs *);

#endif
