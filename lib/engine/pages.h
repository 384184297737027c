/* SPDX-License-Identifier: ISC */
/* pages.h: memory that is read by whole pages, which are kept until they are
 * forgotten: for walks that visit many small things near to each other. */
#ifndef ENGINE_PAGES_H
#define ENGINE_PAGES_H

#include "python/memory.h"

#define PAGES_KEPT 512
#define PAGE_BYTES 4096

struct pages {
	struct py_memory memory; /* first: reads get its address */
	const struct py_memory *live;
	uint64_t at[PAGES_KEPT]; /* address of the page in each place, plus 1 */
	uint8_t (*bytes)[PAGE_BYTES];
};

/* False: out of memory. */
bool pages_init(struct pages *, const struct py_memory *live);
void pages_free(struct pages *);
/* What is read from now on is what is there now. */
void pages_forget(struct pages *);

#endif
