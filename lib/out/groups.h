/* SPDX-License-Identifier: ISC */
/*
 * groups.h: threads by their names.  A server that has a thread a request, or a pool of
 * threads, numbers their names.  So names that differ in numbers alone are one group.
 */
#ifndef OUT_GROUPS_H
#define OUT_GROUPS_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "set.h"
#include "tach.h"

struct group {
	struct tach_string first; /* name of its first thread, in the table */
	struct buf pattern; /* name of all its threads; empty: they have one name */
};

/* All zero: none yet. */
struct groups {
	struct group *list;
	uint32_t count;
	/* private */
	size_t max;
	struct set set;
	uint32_t nstrings; /* of the table, that were looked at for names */
};

/* The group of a thread of the table's profile.  All threads without a name are one.
 * TACH_NONE: out of memory. */
uint32_t groups_find(struct groups *, const struct tach_table *, uint32_t interp,
    uint64_t thread);

/* The name of a group: a star stands for each number in which its threads differ.
 * Valid until groups_find. */
struct tach_string groups_name(const struct groups *, uint32_t group);

void groups_clear(struct groups *);

#endif
