/* SPDX-License-Identifier: ISC */
/* stream.c: see stream.h. */
#include "stream.h"

#include <errno.h>
#include <stdlib.h>

#include "io.h"
#include "options.h"

static bool
write_bytes(const struct tach_output *o, const char *bytes, size_t n)
{
	return o->write != NULL ? o->write(o->arg, bytes, n) == 0 :
				  io_write(o->fd, bytes, n);
}

static ssize_t
cookie_write(void *cookie, const char *bytes, size_t n)
{
	return write_bytes(cookie, bytes, n) ? (ssize_t)n : 0;
}

static int
cookie_close(void *cookie)
{
	free(cookie);
	return 0;
}

/* NULL, with errno. */
static FILE *
open_cookie(struct tach_output *o)
{
	static const cookie_io_functions_t functions = {
	    .write = cookie_write, .close = cookie_close};
	FILE *f = fopencookie(o, "w", functions);

	if (f == NULL)
		free(o);
	else if (o->write != NULL)
		setvbuf(f, NULL, _IONBF, 0);
	return f;
}

FILE *
stream_open(const struct tach_output *output, struct error *e)
{
	struct tach_output *o = malloc(sizeof(*o));
	FILE *f;

	if (o == NULL) {
		error_system(e, "", ENOMEM);
		return NULL;
	}
	if (!options_take(o, sizeof(*o), output)) {
		error_set(e, TACH_EUSE, "the output " OPTIONS_FAULT);
		free(o);
		return NULL;
	}
	if ((f = open_cookie(o)) == NULL)
		error_system(e, "", ENOMEM);
	return f;
}

enum tach_error
stream_write(const struct tach_output *output, const struct buf *text)
{
	struct tach_output o;

	if (text->failed)
		return TACH_ENOMEM;
	if (!options_take(&o, sizeof(o), output))
		return TACH_EUSE;
	return text->len == 0 || write_bytes(&o, text->text, text->len) ?
	    TACH_ENONE : error_code(errno);
}
