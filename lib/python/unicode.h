/* SPDX-License-Identifier: ISC */
/* unicode.h: the text of a Python str object, as UTF-8. */
#ifndef PYTHON_UNICODE_H
#define PYTHON_UNICODE_H

#include "python/offsets.h"

/* The text of a str, in the process's memory. */
struct py_text {
	uint64_t addr;
	uint64_t length; /* code points */
	unsigned kind;	 /* bytes a code point: 1, 2 or 4 */
	bool indirect;	 /* addr is that of a pointer to the text */
};

/* Finds the text of the str at addr, whose first unicode_ascii_size bytes are
 * in head.  False if this is no str. */
bool unicode_text(const struct py_offsets *, uint64_t addr,
    const uint8_t *head, struct py_text *);

/* The most bytes that unicode_utf8 writes for one code point. */
#define UTF8_MAX 4

/* Writes `length` code points as UTF-8, surrogates as U+FFFD, and returns the
 * number of bytes.  out must have room for UTF8_MAX bytes a code point; it is not
 * terminated. */
size_t unicode_utf8(const uint8_t *text, size_t length, unsigned kind,
    char *out);

#endif
