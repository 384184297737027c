/* SPDX-License-Identifier: ISC */
/* demangle.c: see demangle.h. */
#include "native/demangle.h"

#ifndef HAVE_IBERTY

bool
demangle(const char *name, char *text, size_t size)
{
	(void)name;
	if (size > 0)
		*text = '\0';
	return false;
}

#else

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

/* A name can demangle to a text that is longer than any memory: each part of it may
 * stand for twice the last one.  So the text is taken as it comes. */
struct demangled {
	char *text;
	size_t len, size;
	jmp_buf full;
};

static void
add_demangled(const char *piece, size_t len, void *arg)
{
	struct demangled *d = arg;

	if (len == 0) /* then there may be no piece */
		return;
	if (len >= d->size - d->len)
		longjmp(d->full, 1);
	memcpy(d->text + d->len, piece, len);
	d->len += len;
}

/* These calls of libiberty allocate nothing that outlives a jump, but for a name of
 * Rust's in punycode. */
static bool
demangle_as(const char *name, struct demangled *d)
{
	if (setjmp(d->full) != 0)
		return false;
	return rust_demangle_callback(name, DMGL_NO_OPTS, add_demangled, d) ||
	    (d->len = 0, cplus_demangle_v3_callback(name, DMGL_NO_OPTS,
		add_demangled, d));
}

bool
demangle(const char *name, char *text, size_t size)
{
	struct demangled d = {.text = text, .size = size};

	if (size == 0)
		return false;
	if ((strncmp(name, "_Z", 2) != 0 && strncmp(name, "_R", 2) != 0) ||
	    !demangle_as(name, &d))
		d.len = 0;
	text[d.len] = '\0';
	return d.len > 0;
}

#endif
