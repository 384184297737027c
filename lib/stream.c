/* SPDX-License-Identifier: ISC */
/* stream.c: see stream.h. */
#include "stream.h"

#include <errno.h>
#include <stdlib.h>

#include "io.h"
#include "options.h"

static ssize_t
cookie_write(void *cookie, const char *bytes, size_t n)
{
	const struct tach_output *o = cookie;
	bool ok = o->write != NULL ? o->write(o->arg, bytes, n) == 0 :
				     io_write(o->fd, bytes, n);

	return ok ? (ssize_t)n : 0;
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
