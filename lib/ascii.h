/* SPDX-License-Identifier: ISC */
/* ascii.h: letters and digits, whatever the program's locale. */
#ifndef ASCII_H
#define ASCII_H

#include <stdbool.h>

static inline bool
ascii_is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	    (c >= '0' && c <= '9');
}

static inline char
ascii_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

#endif
