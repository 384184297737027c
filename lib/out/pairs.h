/* SPDX-License-Identifier: ISC */
/*
 * pairs.h: maps a pair of numbers to a number.  A look-up needs one line of the
 * cache: most of the time of a conversion is spent here.
 */
#ifndef OUT_PAIRS_H
#define OUT_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pair {
	uint32_t a, b;
	uint32_t value; /* 0 if the slot is free */
};

/* An empty map is all zero. */
struct pairs {
	struct pair *slots;
	size_t mask; /* slots - 1; 0 before the first allocation */
	size_t count;
	uint64_t factor; /* of the hash of a pair: see hash.h */
};

/* The slot of a pair, or the free slot for it.  There must be slots. */
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

/* Adds a new pair with a value other than 0.  False if out of memory: the map
 * is then as before. */
bool pairs_add(struct pairs *, uint32_t a, uint32_t b, uint32_t value);

void pairs_clear(struct pairs *);

#endif
