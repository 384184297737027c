/* SPDX-License-Identifier: ISC */
/* decimal.h: numbers as text, with a decimal point in every locale. */
#ifndef DECIMAL_H
#define DECIMAL_H

#include <stdbool.h>

#define DECIMAL_SIZE 32

/* Writes the fewest digits that read back as the same number.  Returns the
 * text. */
const char *decimal_text(char text[DECIMAL_SIZE], double d);

/* Writes a number with two digits after the point and at most 20 before it.  If
 * `sign` is set, positive numbers have a + sign.  Returns the text. */
const char *decimal_cents(char text[DECIMAL_SIZE], double d, bool sign);

/* Like strtod(3), with a decimal point in every locale. */
double decimal_read(const char *text, char **end);

#endif
