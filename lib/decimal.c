/* SPDX-License-Identifier: ISC */
/* decimal.c: see decimal.h. */
#include "decimal.h"

#include <float.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* The C locale is a constant: making it takes no memory. */
static locale_t
points(void)
{
	return newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
}

static void __attribute__((format(printf, 2, 3)))
print(char text[DECIMAL_SIZE], const char *fmt, ...)
{
	locale_t c = points(), before = uselocale(c);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, DECIMAL_SIZE, fmt, ap);
	va_end(ap);
	uselocale(before);
	freelocale(c);
}

const char *
decimal_text(char text[DECIMAL_SIZE], double d)
{
	for (int digits = 1; digits <= DBL_DECIMAL_DIG; digits++) {
		print(text, "%.*g", digits, d);
		if (decimal_read(text, NULL) == d)
			break;
	}
	return text;
}

const char *
decimal_cents(char text[DECIMAL_SIZE], double d, bool sign)
{
	if (sign)
		print(text, "%+.2f", d);
	else
		print(text, "%.2f", d);
	return text;
}

double
decimal_read(const char *text, char **end)
{
	locale_t c = points();
	double d = strtod_l(text, end, c);

	freelocale(c);
	return d;
}
