/* SPDX-License-Identifier: ISC */
/* decimal.h: numbers as text from which the same number is read. */
#ifndef DECIMAL_H
#define DECIMAL_H

#include <float.h>
#include <stdio.h>
#include <stdlib.h>

#define DECIMAL_SIZE 32

/* The fewest digits that give the same number when they are read. */
static inline const char *
decimal_text(char text[DECIMAL_SIZE], double d)
{
	for (int digits = 1; digits <= DBL_DECIMAL_DIG; digits++) {
		snprintf(text, DECIMAL_SIZE, "%.*g", digits, d);
		if (strtod(text, NULL) == d)
			break;
	}
	return text;
}

#endif
