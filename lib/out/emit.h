/* SPDX-License-Identifier: ISC */
/*
 * emit.h: buffered output of text.  Formats write many millions of short
 * pieces: they are gathered here and written in blocks.  The first failure is
 * kept, so that callers check it once, at the end.
 */
#ifndef OUT_EMIT_H
#define OUT_EMIT_H

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "buf.h"
#include "error.h"
#include "out/json.h"

#define EMIT_BLOCK 262144 /* bytes: takes the kernel a tenth less than 64 KiB */

struct emit {
	FILE *file;
	struct buf buf;
	int error; /* an errno, or 0 if all writes succeeded */
};

/* Writes the pending text. */
static inline void
emit_flush(struct emit *e)
{
	if (e->buf.failed)
		e->error = ENOMEM;
	if (e->error == 0 && e->buf.len > 0 &&
	    fwrite(e->buf.text, 1, e->buf.len, e->file) != e->buf.len)
		e->error = errno;
	e->buf.len = 0;
}

static inline void
emit_bytes(struct emit *e, const char *bytes, size_t len)
{
	buf_add(&e->buf, bytes, len);
	if (e->buf.len >= EMIT_BLOCK)
		emit_flush(e);
}

/* Writes a terminated string. */
static inline void
emit(struct emit *e, const char *text)
{
	emit_bytes(e, text, strlen(text));
}

static inline void
emit_string(struct emit *e, struct tach_string s)
{
	emit_bytes(e, s.bytes, s.len);
}

static inline void
emit_number(struct emit *e, uint64_t n)
{
	buf_add_number(&e->buf, n);
}

static inline void
emit_signed(struct emit *e, int64_t n)
{
	if (n < 0)
		buf_add_char(&e->buf, '-');
	emit_number(e, n < 0 ? -(uint64_t)n : (uint64_t)n);
}

/* Writes a JSON string, with its quotes. */
static inline void
emit_json(struct emit *e, struct tach_string s)
{
	json_add_string(&e->buf, s.bytes, s.len);
	if (e->buf.len >= EMIT_BLOCK)
		emit_flush(e);
}

/* Likewise for text for people; see json.h. */
static inline void
emit_visible(struct emit *e, struct tach_string s)
{
	json_add_visible(&e->buf, s.bytes, s.len);
	if (e->buf.len >= EMIT_BLOCK)
		emit_flush(e);
}

/* Writes the rest.  Returns an errno, or 0 if all writes succeeded. */
static inline int
emit_end(struct emit *e)
{
	emit_flush(e);
	if (e->error == 0 && fflush(e->file) != 0)
		e->error = errno;
	return e->error;
}

/* Sets the error: the failed write, or else out of memory.  Returns
 * TACH_FATAL. */
static inline int
emit_failed(const struct emit *e, struct error *error)
{
	return error_system(error, "", e->error != 0 ? e->error : ENOMEM);
}

/* Writes the rest.  Returns TACH_OK, or TACH_FATAL with the error set. */
static inline int
emit_finish(struct emit *e, struct error *error)
{
	return emit_end(e) == 0 ? TACH_OK : emit_failed(e, error);
}

static inline void
emit_clear(struct emit *e)
{
	buf_clear(&e->buf);
}

#endif
