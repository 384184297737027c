/* SPDX-License-Identifier: ISC */
/*
 * codemap.h: the code objects that were read, by their addresses and by the
 * addresses of their instructions.
 *
 * A generation of homes ends when it has used more than 4,096 of them: then
 * the homes that it has not used are forgotten.  So a program that makes code all
 * the time does not fill the recorder's memory, and the code that it runs stays
 * known.
 */
#ifndef ENGINE_CODE_CODEMAP_H
#define ENGINE_CODE_CODEMAP_H

#include "python/code.h"
#include "set.h"

#define CODEMAP_RECENT 64 /* homes that are found without a look into the set */

/* The notes of contexts.c on a code object. */
struct code_notes {
	bool resumed; /* it was seen to be a generator's */
	unsigned steady; /* chains with its known calls since its last new one */
	uint64_t counted; /* ->check of the map at the last of these chains */
};

/* An address and the code object that is there. */
struct code_home {
	struct py_code code;
	uint32_t file, func; /* strings of the table; TACH_NONE: not added yet */
	uint32_t serial;     /* number of the code object, from 0 */
	uint32_t used;	     /* generation that used it last */
	bool known;
	struct code_notes notes;
	/* The code object is right for these counts of the interpreter: from
	 * `since` to `count`. */
	uint64_t interp, since, count;
	uint64_t settled; /* number of the check that read it */
	uint64_t checked; /* number of the check that compared it */
};

/* The home of an address. */
struct home_place {
	uint64_t addr;
	uint32_t home;
};

struct codemap {
	struct code_home *homes;
	size_t count, max;
	struct set set;
	struct home_place recent[CODEMAP_RECENT]; /* address 0: free */
	struct home_place *by_addr; /* the first `sorted` homes, by address */
	size_t sorted, by_addr_max;
	uint64_t check; /* number of the current check, from 1 */
	uint32_t generation; /* number of the current one, from 0 */
	size_t young; /* homes that it has used */
	uint64_t replaced; /* see codes_replaced */
};

/* The home of an address, valid until a home is added or codemap_trim is called.
 * NULL if it has none. */
struct code_home *codemap_find(const struct codemap *, uint64_t addr);
/* The same, for use by the current generation; adds a home that is not known, if
 * there is none.  NULL if out of memory. */
struct code_home *codemap_add(struct codemap *, uint64_t addr);

/* The code object whose bytecode has an instruction, valid until a home is added.
 * NULL if none is known, or if out of memory. */
const struct py_code *codemap_code_at(struct codemap *,
    const struct py_offsets *, uint64_t instr);

/* Ends the generation if it has used many homes, unless a chain of `depth` frames
 * may need them all.  Then homes may be forgotten. */
void codemap_trim(struct codemap *, size_t depth);
void codemap_free(struct codemap *);

#endif
