/* SPDX-License-Identifier: ISC */
/*
 * linebuf.h: the lines of a descriptor.  Lines are given as soon as they
 * arrive: a reader of a pipe never waits for more than the line that it asks
 * for.
 */
#ifndef FORMAT_LINEBUF_H
#define FORMAT_LINEBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/origin.h"

#define LINEBUF_LONGEST (16u << 20) /* bytes of a line, without its end */

struct linebuf {
	struct origin *from;
	char *buf;
	size_t start, end; /* of the bytes that were not given yet */
	size_t looked;	   /* bytes from start on without a newline */
	size_t max;
	bool ended;
	uint64_t number; /* of the line that was given last, from 1 */
};

enum linebuf_result {
	LINEBUF_OK,
	LINEBUF_END,
	LINEBUF_LONG,
	LINEBUF_FAILED, /* errno says why */
};

/* Lines of these bytes and then the origin's.  False: out of memory. */
bool linebuf_init(struct linebuf *, struct origin *, const char *head,
    size_t len);
void linebuf_clear(struct linebuf *);

/* The next line.  A newline is behind it, even if the input ends without one.
 * The caller may change the text until the next call. */
enum linebuf_result linebuf_next(struct linebuf *, char **text, size_t *len);

/* Whether the next line has arrived as a whole, and begins with a digit. */
bool linebuf_ready(struct linebuf *);

#endif
