/* SPDX-License-Identifier: ISC */
/*
 * symbols.h: addresses for the locations of a profile, for formats that know a
 * frame by its address alone.
 *
 * Every location has a few bytes of an address range that does not exist.  The
 * locations of a function lie together, and so do those of a file.
 */
#ifndef OUT_SYMBOLS_H
#define OUT_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "out/locations.h"

#define SYMBOLS_BASE UINT64_C(0x10000000) /* of the object as a whole */
#define SYMBOLS_PAGE UINT64_C(0x1000)	  /* its headers come first */
#define SYMBOLS_START (SYMBOLS_BASE + SYMBOLS_PAGE)
#define SYMBOL_SIZE 16

struct symbol {
	struct tach_string file, func;
	int32_t line;	/* 0 if there is none */
	uint32_t location; /* its index */
};

/* The last symbol stands for stacks without frames. */
struct symbols {
	struct symbol *list; /* by address */
	uint32_t *of;	     /* by location: its index in the list */
	uint32_t count;
};

/* False if out of memory. */
bool symbols_init(struct symbols *, const struct locations *);
void symbols_clear(struct symbols *);

static inline uint64_t
symbol_address(uint32_t index)
{
	return SYMBOLS_START + (uint64_t)index * SYMBOL_SIZE;
}

/* The first symbol from an index on that has another file, or another
 * function. */
uint32_t symbols_next_file(const struct symbols *, uint32_t);
uint32_t symbols_next_function(const struct symbols *, uint32_t);

/* Adds a function's name so that readers of the profile keep it: brackets that
 * they take for those of C++ become others. */
void symbol_add_name(struct buf *, struct tach_string func);
/* Adds the name of a file.  It is never empty and has no control character. */
void symbol_add_file(struct buf *, struct tach_string file);

#endif
