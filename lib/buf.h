/* SPDX-License-Identifier: ISC */
/*
 * buf.h: text that grows.  A failed allocation is remembered, so callers add
 * many pieces and check `failed` once, at the end.
 */
#ifndef BUF_H
#define BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct buf {
	char *text; /* not terminated */
	size_t len, max;
	bool failed;
};

/* Returns text + len, with room for that many more bytes; NULL if out of
 * memory. */
static inline char *
buf_reserve(struct buf *b, size_t more)
{
	size_t want = b->max != 0 ? b->max : 128;
	char *p;

	if (more <= b->max - b->len)
		return b->text + b->len;
	if (b->failed || more > SIZE_MAX / 4 - b->len)
		return b->failed = true, NULL;
	while (want - b->len < more)
		want *= 2;
	if ((p = realloc(b->text, want)) == NULL)
		return b->failed = true, NULL;
	b->text = p;
	b->max = want;
	return p + b->len;
}

static inline void
buf_add(struct buf *b, const char *text, size_t len)
{
	char *to;

	if (len == 0 || (to = buf_reserve(b, len)) == NULL)
		return;
	memcpy(to, text, len);
	b->len += len;
}

static inline void
buf_add_text(struct buf *b, const char *text)
{
	buf_add(b, text, strlen(text));
}

static inline void
buf_add_char(struct buf *b, char c)
{
	buf_add(b, &c, 1);
}

/* Adds decimal digits, 20 bytes at most. */
static inline void
buf_add_number(struct buf *b, uint64_t n)
{
	char digits[20], *p = digits + sizeof(digits);

	do
		*--p = (char)('0' + n % 10);
	while ((n /= 10) != 0);
	buf_add(b, p, (size_t)(digits + sizeof(digits) - p));
}

static inline void
buf_clear(struct buf *b)
{
	free(b->text);
	*b = (struct buf){0};
}

#endif
