/* SPDX-License-Identifier: ISC */
/* error.c: see error.h. */
#include "error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void __attribute__((format(printf, 3, 0)))
set_line(struct error *e, enum tach_error code, const char *fmt, va_list ap)
{
	if (e->text[0] != '\0' && !e->warned)
		return;
	vsnprintf(e->text, sizeof(e->text), fmt, ap);
	e->code = code;
	e->warned = false;
}

int
error_set(struct error *e, enum tach_error code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	set_line(e, code, fmt, ap);
	va_end(ap);
	return TACH_FATAL;
}

int
error_warn(struct error *e, enum tach_error code, const char *fmt, ...)
{
	bool warns = e->text[0] == '\0' || e->warned;
	va_list ap;

	va_start(ap, fmt);
	set_line(e, code, fmt, ap);
	va_end(ap);
	e->warned = warns;
	return TACH_WARN;
}

int
error_memory(struct error *e)
{
	return error_set(e, TACH_ENOMEM, "out of memory");
}

enum tach_error
error_code(int e)
{
	switch (e) {
	case EPIPE:
		return TACH_EPIPE;
	case ENOMEM:
		return TACH_ENOMEM;
	case ENOENT:
	case ENOTDIR:
	case ESRCH:
		return TACH_ENOENT;
	case EACCES:
	case EPERM:
		return TACH_EPERM;
	default:
		return TACH_EIO;
	}
}

int
error_system(struct error *e, const char *what, int number)
{
	return error_set(e, error_code(number), "%s%s%s", what,
	    *what != '\0' ? ": " : "", strerror(number));
}

enum tach_error
error_get(const struct error *e, const char **line)
{
	if (line != NULL)
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
	e->text[0] = '\0';
	e->code = TACH_ENONE;
	e->warned = false;
}

void
error_forget(struct error *e)
{
	if (e->warned)
		error_clear(e);
}
