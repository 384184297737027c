/* SPDX-License-Identifier: ISC */
/* number.h: decimal numbers in text. */
#ifndef FORMAT_NUMBER_H
#define FORMAT_NUMBER_H

#include <stddef.h>
#include <stdint.h>

/* Reads the digits at p.  The text must end with another character.  Returns
 * the end of the digits.  NULL if there are none, or if the number is above
 * max. */
static inline const char *
number_get(const char *p, uint64_t max, uint64_t *n)
{
	const char *start = p;
	uint64_t value = 0;

	for (; *p >= '0' && *p <= '9'; p++)
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*p - '0'),
			&value))
			return NULL;
	if (p == start || value > max)
		return NULL;
	*n = value;
	return p;
}

/* The fault of a text that should be a number. */
static inline const char *
number_fault(const char *text, size_t len)
{
	size_t i = len > 1 && text[0] == '-';

	while (i < len && text[i] >= '0' && text[i] <= '9')
		i++;
	return len > 0 && i == len ? "out of range" : "not a number";
}

#endif
