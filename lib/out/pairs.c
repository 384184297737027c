/* SPDX-License-Identifier: ISC */
/* pairs.c: see pairs.h. */
#include "out/pairs.h"

#include <stdlib.h>

#include "hash.h"

#define SLOTS_MIN 1024 /* a power of two */

/* Doubles the slots. */
static bool
grow_pairs(struct pairs *p)
{
	struct pairs twice = {NULL,
	    p->mask != 0 ? p->mask * 2 + 1 : SLOTS_MIN - 1, p->count,
	    hash_factor()};

	twice.slots = calloc(twice.mask + 1, sizeof(*twice.slots));
	if (twice.slots == NULL)
		return false;
	for (size_t i = 0; p->mask != 0 && i <= p->mask; i++) {
		const struct pair *from = &p->slots[i];
		if (from->value != 0)
			*pairs_slot(&twice, from->a, from->b) = *from;
	}
	free(p->slots);
	*p = twice;
	return true;
}

bool
pairs_add(struct pairs *p, uint32_t a, uint32_t b, uint32_t value)
{
	if (p->count >= p->mask / 3 * 2 && !grow_pairs(p))
		return false;
	*pairs_slot(p, a, b) = (struct pair){a, b, value};
	p->count++;
	return true;
}

void
pairs_clear(struct pairs *p)
{
	free(p->slots);
	*p = (struct pairs){0};
}
