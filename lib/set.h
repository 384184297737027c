/* SPDX-License-Identifier: ISC */
/*
 * set.h: finds the index of an entry by its hash.
 *
 * The entries are in an array of the caller.  A set maps a hash to candidate
 * indices, by open addressing.  Interning frames and stacks takes most of the
 * time of a recorder, so this is no general hash table: it has no allocation
 * for an entry, and eight bytes a slot.
 */
#ifndef SET_H
#define SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct set_slot {
	uint32_t tag;	/* upper half of the hash */
	uint32_t index; /* of the entry, plus one; 0 if the slot is free */
};

struct set {
	struct set_slot *slots;
	size_t mask;  /* slots - 1; 0 before the first allocation */
	size_t count; /* entries */
};

/* Whether the entry at an index equals the wanted one. */
typedef bool set_equal_fn(const void *arg, uint32_t index);

/* The index of the equal entry with this hash, or UINT32_MAX. */
uint32_t set_find(const struct set *, uint64_t hash, set_equal_fn *,
    const void *arg);

/* Adds an index that is not in the set.  False if out of memory: the set is
 * then as before. */
bool set_add(struct set *, uint64_t hash, uint32_t index);

void set_clear(struct set *);

#endif
