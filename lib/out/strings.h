/* SPDX-License-Identifier: ISC */
/* strings.h: numbers for strings, by content, so that a page has each string
 * once. */
#ifndef OUT_STRINGS_H
#define OUT_STRINGS_H

#include "set.h"
#include "tach.h"

struct strings {
	struct tach_string *strings;
	uint32_t count;
	/* private */
	size_t max;
	struct set set;
};

/* The number of a string.  Its bytes are not copied.  TACH_NONE if out of
 * memory. */
uint32_t strings_find(struct strings *, struct tach_string);
void strings_clear(struct strings *);

#endif
