/* SPDX-License-Identifier: ISC */
/* sniff.h: tells the kind of an input by its first bytes. */
#ifndef FORMAT_SNIFF_H
#define FORMAT_SNIFF_H

#include <stdbool.h>
#include <stddef.h>

#define SNIFF_SIZE 65536 /* bytes that must be enough */

enum sniff {
	SNIFF_MORE, /* not clear yet */
	SNIFF_TEXT,
	SNIFF_COLLAPSED,
	SNIFF_PERF,
	SNIFF_BINARY, /* no text of these kinds */
	SNIFF_ODD,    /* for a line only: another text */
};

/* The size of the UTF-8 byte order mark that a text begins with, or 0. */
size_t sniff_mark(const char *, size_t n);

/* The kind of the input by its first n bytes.  `all`: the input has no more. */
enum sniff sniff(const char *, size_t n, bool all);

#endif
