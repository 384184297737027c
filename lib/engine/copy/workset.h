/* SPDX-License-Identifier: ISC */
/*
 * workset.h: the memory that a thread's last samples needed.
 *
 * It is kept in whole blocks, which never cross a page, so that a block is
 * readable if one byte of it is; blocks with no whole page between them form
 * one range, so that a snapshot needs few of them.
 */
#ifndef ENGINE_COPY_WORKSET_H
#define ENGINE_COPY_WORKSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WORKSET_BLOCK 1024 /* bytes */
#define WORKSET_PAGE 4096  /* bytes: no page is smaller */
#define WORKSET_MAX (256u << 20) /* bytes: no thread needs more */

struct range {
	uint64_t addr;
	size_t size; /* bytes */
};

struct workset {
	struct range *ranges; /* by address, a page between them */
	size_t count, max;
	size_t bytes;
};

/* The blocks that hold these bytes; of no size if they run over the end of
 * the address space. */
struct range workset_blocks(uint64_t addr, size_t size);

/* Adds the blocks that hold these bytes.  False: out of memory, or more than
 * WORKSET_MAX. */
bool workset_add(struct workset *, uint64_t addr, size_t size);
/* The number of the range that an address lies in, or of another one. */
size_t workset_find(const struct workset *, uint64_t addr);
/* The number of the n-th range, if they are counted from `first` on, with the
 * lowest one after the highest, or the other way, up to `first`. */
size_t workset_nth(const struct workset *, size_t first, bool reversed,
    size_t n);
/* Forgets a range. */
void workset_drop(struct workset *, size_t i);
/* Forgets all ranges but keeps the room for them. */
void workset_clear(struct workset *);
void workset_free(struct workset *);

#endif
