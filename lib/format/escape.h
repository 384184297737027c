/* SPDX-License-Identifier: ISC */
/*
 * escape.h: bytes as plain text, and back.  An escape is a backslash and three
 * octal digits.  vis(3) writes it with VIS_OCTAL, unvis(3) reads it.
 */
#ifndef FORMAT_ESCAPE_H
#define FORMAT_ESCAPE_H

#include <stddef.h>

#include "buf.h"

/* Adds bytes.  Escapes the marks, each byte of a control character (utf8.h),
 * and bytes of invalid UTF-8.  The text can be read back only if the backslash
 * is one of the marks. */
void escape_add(struct buf *, const char *bytes, size_t len,
    const char *marks);

/* Adds the bytes of an escaped text.  Returns NULL, or the position of a
 * control character, or of a backslash that begins no escape of escape_add:
 * each name has only one spelling. */
const char *escape_undo(struct buf *, const char *text, size_t len);
/* The fault at that position, for a message after the text. */
const char *escape_fault(const char *bad);

#define QUOTE_SIZE 168

/* Quotes the beginning of an input's text for a message, harmless to a
 * terminal. Returns out. */
const char *escape_quote(char out[QUOTE_SIZE], const char *text, size_t len);

#endif
