/* SPDX-License-Identifier: ISC */
/*
 * escape.h: bytes as plain text, and back.  An escape is a backslash and
 * three octal digits, which vis(3) writes with VIS_OCTAL and unvis(3) reads.
 */
#ifndef FORMAT_ESCAPE_H
#define FORMAT_ESCAPE_H

#include <stddef.h>

#include "buf.h"

/* Adds bytes of which those are escaped that are among the marks, of a
 * control character (utf8.h), or no UTF-8.  Only if the backslash is one of the marks
 * can the text be read back. */
void escape_add(struct buf *, const char *bytes, size_t len,
    const char *marks);

/* Adds the bytes that a text stands for.  NULL, or where in the text there
 * is a control character, or a backslash that begins no escape: only what
 * escape_add writes comes back, so that a name has one spelling. */
const char *escape_undo(struct buf *, const char *text, size_t len);
/* What is wrong there, for a message after the text. */
const char *escape_fault(const char *bad);

#define QUOTE_SIZE 168

/* The beginning of an input's text, for a message: harmless to a terminal.
 * Returns out. */
const char *escape_quote(char out[QUOTE_SIZE], const char *text, size_t len);

#endif
