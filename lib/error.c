/* SPDX-License-Identifier: ISC */
/* error.c: see error.h. */
#include "error.h"

#include <errno.h>
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
	e->code = TACH_EFAILED;
	return code;
}

static enum tach_error
code_of_errno(int e)
{
	switch (e) {
	case EPIPE:
		return TACH_EPIPE;
	case ENOMEM:
		return TACH_ENOMEM;
	default:
		return TACH_EFAILED;
	}
}

int
error_system(struct error *e, const char *what, int number)
{
	if (e->text[0] != '\0')
		return TACH_FATAL;
	snprintf(e->text, sizeof(e->text), "%s%s%s", what,
	    *what != '\0' ? ": " : "", strerror(number));
	e->code = code_of_errno(number);
	return TACH_FATAL;
}

enum tach_error
error_get(const struct error *e, const char **line)
{
	*line = e->text;
	return e->code;
}

enum tach_error
error_or(const struct error *e, const struct tach_source *from,
    const char **line)
{
	return e->text[0] != '\0' ? error_get(e, line) :
				    tach_source_error(from, line);
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
	*e = (struct error){.text = ""};
}
