/* SPDX-License-Identifier: ISC */
/*
 * pages.h: memory that is read by whole pages, which are kept: for walks that
 * visit many small things near to each other, and are then to know whether
 * all that they saw was there at one moment.
 *
 * A page is read for the first time when a walk comes to it, and all pages a
 * second time at once.  What a walk has read is noted by the word; where it is
 * the same in both copies, it was so between them.
 */
#ifndef ENGINE_COPY_PAGES_H
#define ENGINE_COPY_PAGES_H

#include "python/memory.h"
#include "set.h"

#define PAGE_BYTES 4096
#define PAGE_WORDS (PAGE_BYTES / 8)
#define PAGES_MAX 16384 /* that are kept at once */

struct page {
	uint64_t addr;
	bool both; /* there are two copies of it */
	bool same; /* and they are the same */
	bool lost; /* it cannot be read any more */
	bool used; /* a walk came to it, or notes that held did */
	uint64_t noted; /* in the notes of this number, as the entry ... */
	uint32_t note;	/* of this index */
};

/* What a walk has read of a page, a bit a word. */
struct page_words {
	uint32_t page; /* index */
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
	struct py_piece *pieces; /* of one read of many */
	size_t count, max;
	struct set set;
	struct page_notes *notes; /* of the walk that goes on; or NULL */
	uint64_t number;	  /* of these notes */
};

void pages_init(struct pages *, const struct py_memory *live);
void pages_free(struct pages *);

/* What is read from now on is noted in these, which are emptied, and which no
 * others may be asked for before; NULL: nowhere. */
void pages_note(struct pages *, struct page_notes *);

/*
 * Reads the first copies of all pages again, or, if most of them were of no
 * use since that was done last, forgets all: false, and notes hold no more.
 */
bool pages_renew(struct pages *);
/* Reads the second copies of all. */
void pages_again(struct pages *);

/* Whether all that was noted is the same in both copies. */
bool pages_hold(struct pages *, const struct page_notes *);

#endif
