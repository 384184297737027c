/* SPDX-License-Identifier: ISC */
/* sniff.h: tells by its first bytes what an input is. */
#ifndef FORMAT_SNIFF_H
#define FORMAT_SNIFF_H

#include <stdbool.h>
#include <stddef.h>

#define SNIFF_SIZE 65536 /* bytes after which it must be clear */

enum sniff {
	SNIFF_MORE, /* not clear yet */
	SNIFF_TEXT,
	SNIFF_COLLAPSED,
	SNIFF_BINARY, /* none of these */
	SNIFF_ODD,    /* of a line only: none of these, but text */
};

/* How many bytes of a byte order mark of UTF-8 a text begins with. */
size_t sniff_mark(const char *, size_t n);

/* By what is there; all of it if there will not be more. */
enum sniff sniff(const char *, size_t n, bool all);

#endif
