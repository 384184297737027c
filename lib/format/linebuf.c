/* SPDX-License-Identifier: ISC */
/* linebuf.c: see linebuf.h. */
#include "format/linebuf.h"

#include <stdlib.h>
#include <string.h>

#define SIZE_FIRST (256u << 10) /* fits into the cache of a processor */

/* The longest line, its newline, and a free byte for the newline that the last
 * line of the input may lack. */
#define SIZE_MOST (LINEBUF_LONGEST + 2)

bool
linebuf_init(struct linebuf *l, struct origin *from, const char *head,
    size_t len)
{
	size_t max = len < SIZE_FIRST ? SIZE_FIRST : len + 1;

	*l = (struct linebuf){.from = from, .end = len, .max = max};
	if ((l->buf = malloc(max)) == NULL)
		return false;
	if (len > 0)
		memcpy(l->buf, head, len);
	return true;
}

void
linebuf_clear(struct linebuf *l)
{
	free(l->buf);
	*l = (struct linebuf){0};
}

/* Makes room behind the bytes at hand, which may move. */
static enum linebuf_result
make_room(struct linebuf *l)
{
	size_t max = l->max * 2 < SIZE_MOST ? l->max * 2 : SIZE_MOST;
	char *p;

	/* A long line that arrives in small pieces does not move at each
	 * piece. */
	if (l->start > 0)
		memmove(l->buf, l->buf + l->start, l->end - l->start);
	l->end -= l->start;
	l->start = 0;
	if (l->end < l->max - 1)
		return LINEBUF_OK;
	if (l->max >= SIZE_MOST)
		return LINEBUF_LONG;
	if ((p = realloc(l->buf, max)) == NULL)
		return LINEBUF_FAILED;
	l->buf = p;
	l->max = max;
	return LINEBUF_OK;
}

static enum linebuf_result
linebuf_fill(struct linebuf *l)
{
	enum linebuf_result res = make_room(l);
	ssize_t n;

	if (res != LINEBUF_OK)
		return res;
	n = origin_read(l->from, l->buf + l->end, l->max - 1 - l->end);
	if (n < 0)
		return LINEBUF_FAILED;
	l->ended = n == 0;
	l->end += (size_t)n;
	return LINEBUF_OK;
}

/* The newline that ends the next line, or NULL. */
static char *
find_end(struct linebuf *l)
{
	size_t from = l->start + l->looked;
	char *newline = memchr(l->buf + from, '\n', l->end - from);

	l->looked = (newline != NULL ? (size_t)(newline - l->buf) : l->end) -
	    l->start;
	return newline;
}

enum linebuf_result
linebuf_next(struct linebuf *l, char **text, size_t *len)
{
	enum linebuf_result res = LINEBUF_OK;

	while (find_end(l) == NULL && !l->ended && res == LINEBUF_OK)
		res = linebuf_fill(l);
	if (res != LINEBUF_OK) {
		l->number += res == LINEBUF_LONG;
		return res;
	}
	if (l->start == l->end)
		return LINEBUF_END;
	*text = l->buf + l->start;
	*len = l->looked;
	l->buf[l->start + l->looked] = '\n';
	l->start += l->looked + (l->start + l->looked < l->end);
	l->looked = 0;
	l->number++;
	return LINEBUF_OK;
}

bool
linebuf_ready(struct linebuf *l)
{
	return l->start < l->end && l->buf[l->start] >= '0' &&
	    l->buf[l->start] <= '9' && find_end(l) != NULL;
}
