/* SPDX-License-Identifier: ISC */
/*
 * walks.h: everything that python/ reads of a process, read once from a
 * memory, and memories that were stored.
 */
#ifndef T_WALKS_H
#define T_WALKS_H

#include <stdio.h>

#include "python/frames.h"
#include "python/memory.h"
#include "python/runtime.h"

/*
 * Writes what is found of each thread: a line "thread", its identity and its
 * name, and a line for each frame, innermost first: file, function, line, end
 * line, column and end column; then the variables of its frames, and the tasks
 * of its loop with their frames, if asyncio's table is at an address but 0.
 */
void walk_all(const struct py_memory *, const struct py_runtime *,
    uint64_t asyncio, FILE *);

/* Gives the longest chain of all threads, and its thread.  False: there is
 * none. */
bool walk_longest(const struct py_memory *, const struct py_runtime *,
    struct py_thread *, struct py_chain *);

/* A stored memory: blocks of BLOCK bytes, by address.  In a file there are
 * three numbers before them, the runtime's address and version and the
 * address of asyncio's table, and the whole is one zstd frame; all of it is
 * little-endian. */
#define BLOCK 64
struct block {
	uint64_t addr;
	uint8_t bytes[BLOCK];
};

struct stored {
	struct py_memory memory; /* first: read gets its address */
	uint64_t runtime, version, asyncio;
	struct block *blocks;
	size_t count;
	uint64_t reads, bytes; /* so far */
};

/* NULL, or what is wrong with the file. */
const char *stored_open(struct stored *, const char *path);
void stored_free(struct stored *);
/* Does something with each of those in t/data/snapshots, and counts them. */
size_t stored_each(void (*)(const char *path));
bool stored_save(const struct stored *, const char *path);

/* The block at an address, or NULL. */
struct block *stored_block(const struct stored *, uint64_t addr);

#endif
