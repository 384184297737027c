/* SPDX-License-Identifier: ISC */
/* decimal.h: numbers as text, with a point whatever the program's locale. */
#ifndef DECIMAL_H
#define DECIMAL_H

#include <stdbool.h>

#define DECIMAL_SIZE 32

/* Writes the fewest digits that give the same number when they are read.
 * Returns the text. */
const char *decimal_text(char text[DECIMAL_SIZE], double d);

/* Writes a number of at most 20 digits before the point with two behind it,
 * and with its sign, + too, if that is wanted.  Returns the text. */
const char *decimal_cents(char text[DECIMAL_SIZE], double d, bool sign);

/* What strtod(3) does in a locale that has a point. */
double decimal_read(const char *text, char **end);

#endif
