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
};

/* By what is there; all of it if there will not be more. */
enum sniff sniff(const char *, size_t n, bool all);

#endif
