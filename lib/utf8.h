/* SPDX-License-Identifier: ISC */
/* utf8.h: tells valid UTF-8 from other bytes, whatever the locale. */
#ifndef UTF8_H
#define UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"

/*
 * The length of the first character of bytes, and its code point.  0 if the
 * bytes begin with no character: a stray or missing continuation byte, an
 * overlong form, a surrogate, or a code point above U+10FFFF.
 */
static inline size_t
utf8_decode(const char *bytes, size_t len, uint32_t *code)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *s = (const unsigned char *)bytes;
	size_t n;
	uint32_t c;

	if (len == 0)
		return 0;
	n = s[0] < 0x80 ? 1 : s[0] < 0xc0 ? 0 : s[0] < 0xe0 ? 2 :
	    s[0] < 0xf0 ? 3 : s[0] < 0xf8 ? 4 : 0;
	if (n == 0 || n > len)
		return 0;
	c = n == 1 ? s[0] : s[0] & (0x7fu >> n);
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	*code = c;
	return n;
}

/*
 * Whether a character is not seen but changes a terminal, or the order or lines
 * of the text around it: C0, DEL and C1, which begin escape sequences, the
 * controls of bidirectional text, and the separators of lines and paragraphs,
 * U+2028 and U+2029.
 */
static inline bool
utf8_is_control(uint32_t code)
{
	if (code < 0x2000)
		return code < 0x20 || (code >= 0x7f && code < 0xa0) ||
		    code == 0x61c;
	return code == 0x200e || code == 0x200f ||
	    (code >= 0x2028 && code <= 0x202e) ||
	    (code >= 0x2066 && code <= 0x2069);
}

/* The length of the first character of bytes, and its code point.  0 if it is a
 * control character, or no character. */
static inline size_t
utf8_visible(const char *bytes, size_t len, uint32_t *code)
{
	size_t n = utf8_decode(bytes, len, code);

	return n > 0 && utf8_is_control(*code) ? 0 : n;
}

/* Adds bytes as valid UTF-8: U+FFFD stands for each invalid byte. */
void utf8_add(struct buf *, const char *bytes, size_t len);

/* Adds a byte as a backslash and three octal digits. */
void utf8_add_octal(struct buf *, char byte);

/* Adds bytes as text that changes no terminal: each byte of a control character
 * or of invalid UTF-8 becomes a backslash and three octal digits. */
void utf8_add_visible(struct buf *, const char *bytes, size_t len);

#endif
