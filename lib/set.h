/* SPDX-License-Identifier: ISC */
/*
 * set.h: finds the index of an entry by its hash.
 *
 * The entries themselves lie in an array of the caller's; a set only maps a
 * hash to candidate indices, by open addressing.  Interning frames and
 * stacks is what this program does most, which is why this is not one of the
 * general hash tables: no allocation an entry, eight bytes a slot.
 */
#ifndef SET_H
#define SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct set_slot {
	uint32_t tag;	/* upper half of the hash */
	uint32_t index; /* of the entry, plus one; 0: free */
};

struct set {
	struct set_slot *slots;
	size_t mask;  /* slots - 1; 0: nothing allocated yet */
	size_t count; /* entries */
};

/* Whether the entry at an index is the one that is looked for. */
typedef bool set_equal_fn(const void *arg, uint32_t index);

/* The index of the entry that has this hash and is equal, or UINT32_MAX. */
uint32_t set_find(const struct set *, uint64_t hash, set_equal_fn *,
    const void *arg);

/* Adds an index that is not in the set.  False: out of memory, and the set
 * is as before. */
bool set_add(struct set *, uint64_t hash, uint32_t index);

void set_clear(struct set *);

#endif
