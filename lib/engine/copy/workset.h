/* SPDX-License-Identifier: ISC */
/*
 * workset.h: the memory that a thread's last samples needed.
 *
 * It is kept in whole blocks.  A block never crosses a page, so it is readable if
 * one byte of it is.  Blocks with no whole page between them form one range, so a
 * snapshot needs few ranges.
 */
#ifndef ENGINE_COPY_WORKSET_H
#define ENGINE_COPY_WORKSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/os/os.h"

#define WORKSET_BLOCK 1024 /* bytes */
#define WORKSET_PAGE 4096  /* bytes: no page is smaller */
#define WORKSET_MAX (256u << 20) /* bytes: no thread needs more */

/* The result of a copy of memory of another process, or of a step of one. */
enum copy_result {
	COPY_OK,
	COPY_FAILED, /* there is no such memory, or it is of no use */
	COPY_NOMEM,  /* the recorder is out of memory */
};

struct workset {
	struct range *ranges; /* by address; at least a page between two */
	size_t count, max;
	size_t bytes;
};

/* The blocks that hold some bytes; of size 0 if they run over the end of the
 * address space. */
struct range workset_blocks(uint64_t addr, size_t size);

/* Adds the blocks that hold some bytes.  COPY_FAILED if the set would be larger than
 * WORKSET_MAX, or if there are no such blocks. */
enum copy_result workset_add(struct workset *, uint64_t addr, size_t size);
/* The index of the range that an address lies in; else of another range, or
 * ->count. */
size_t workset_find(const struct workset *, uint64_t addr);
/* The index of the n-th range, counted upwards from `first` on, with the lowest
 * range after the highest; reversed: counted downwards, with `first` as the
 * last. */
size_t workset_nth(const struct workset *, size_t first, bool reversed,
    size_t n);
/* Forgets a range. */
void workset_drop(struct workset *, size_t i);
/* Forgets all ranges but keeps the room for them. */
void workset_clear(struct workset *);
void workset_free(struct workset *);

#endif
