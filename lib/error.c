/* SPDX-License-Identifier: ISC */
/* error.c: see error.h. */
#include "error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int
error_set(struct error *e, int code, const char *fmt, ...)
{
	va_list ap;

	if (e->text[0] != '\0')
		return code;
	va_start(ap, fmt);
	vsnprintf(e->text, sizeof(e->text), fmt, ap);
	va_end(ap);
	return code;
}

int
error_add(struct error *e, int code, const char *fmt, ...)
{
	size_t len = strlen(e->text);
	va_list ap;

	if (len > 0)
		len += (size_t)snprintf(e->text + len, sizeof(e->text) - len,
		    "; ");
	if (len >= sizeof(e->text))
		return code;
	va_start(ap, fmt);
	vsnprintf(e->text + len, sizeof(e->text) - len, fmt, ap);
	va_end(ap);
	return code;
}

void
error_clear(struct error *e)
{
	e->text[0] = '\0';
}
