/* SPDX-License-Identifier: ISC */
/*
 * pages.h: memory that is read by whole pages, which are kept.  It is for walks
 * that visit many small things near to each other, and then have to know
 * whether all that they read was there at one moment.
 *
 * A page is read for the first time when a walk comes to it; all pages are read
 * a second time at once.  The notes of a walk have each word that it has read.
 * A word that is the same in both copies was the same between them.
 */
#ifndef ENGINE_COPY_PAGES_H
#define ENGINE_COPY_PAGES_H

#include "python/memory.h"
#include "set.h"

#define PAGE_BYTES 4096
#define PAGE_WORDS (PAGE_BYTES / 8)
#define PAGES_MAX 16384 /* kept at once */

struct page {
	uint64_t addr;
	bool both; /* there are two copies of it */
	bool same; /* and the two are the same */
	bool lost; /* it cannot be read any more */
	bool used; /* by a walk, or by notes that held */
	uint64_t noted; /* the number of the notes that have it, ... */
	uint32_t note;	/* ... and the index of its entry there */
};

/* The words of a page that a walk has read, a bit for each. */
struct page_words {
	uint32_t page; /* its index */
	uint64_t words[PAGE_WORDS / 64];
};

struct page_notes {
	struct page_words *list;
	size_t count, max;
};

struct pages {
	struct py_memory memory; /* first: reads get its address */
	const struct py_memory *live;
	struct page *list;
	uint8_t (*first)[PAGE_BYTES], (*second)[PAGE_BYTES];
	struct py_piece *pieces; /* room for a read of all pages */
	size_t count, max;
	struct set set;
	struct page_notes *notes; /* of the present walk; or NULL */
	uint64_t number;	  /* of these notes */
};

void pages_init(struct pages *, const struct py_memory *live);
void pages_free(struct pages *);

/* Empties the notes and adds to them all words that are read from now on, until
 * the next call; NULL: notes nothing. */
void pages_note(struct pages *, struct page_notes *);

/*
 * Reads the first copies of all pages again.  False if most pages were not used
 * since the last call: then all pages are forgotten, and no notes are valid any
 * more.
 */
bool pages_renew(struct pages *);
/* Reads the second copies of all pages. */
void pages_again(struct pages *);

/* Whether all words of the notes are the same in both copies. */
bool pages_hold(struct pages *, const struct page_notes *);

#endif
