/* SPDX-License-Identifier: ISC */
/*
 * zio.h: the sample data as a stream of bytes, plain or zstd.  Memory does
 * not grow with the length of the stream.
 */
#ifndef FORMAT_ZIO_H
#define FORMAT_ZIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <xxhash.h>
#include <zstd.h>

#include "error.h"
#include "format/cursor.h"
#include "format/origin.h"
#include "tach.h"

/* ---- reading ------------------------------------------------------------ */

/*
 * The cursor has the bytes that are decoded and not yet read.  To read n bytes
 * in one piece, call zin_need first; if there are still fewer, the data ends
 * here.
 */
struct zin {
	struct cursor cur;
	uint64_t base;	       /* offset of buf in the decoded data */
	bool ended;	       /* nothing can be added to the cursor for now */
	bool unfinished;       /* the data may end in the middle of a frame */
	const struct origin *origin;
	uint64_t at, end;      /* in the file: what is not read yet */
	ZSTD_DCtx *zstd;       /* NULL: plain */
	ZSTD_inBuffer packed;  /* what is read and not decoded yet */
	uint8_t *packed_buf;
	size_t wants;	       /* bytes of packed to go on; 0 after a frame */
	bool full;	       /* zstd has more output than was taken */
	uint8_t *buf;
	struct error problem;  /* why the data ended early, if it did */
};

#define ZIN_SIZE (128 << 10) /* most bytes decoded ahead */

/* Reads an origin's bytes from one offset to another.  False: out of memory. */
bool zin_open(struct zin *, const struct origin *, uint64_t from, uint64_t to,
    enum tach_compression, bool swap);
void zin_close(struct zin *);

/* The data now ends at a later offset. */
void zin_extend(struct zin *, uint64_t to);

/* Fills the buffer.  The bytes of the cursor are kept, at another address. */
void zin_fill(struct zin *);

static inline void
zin_need(struct zin *z, size_t n)
{
	if (!cursor_has(&z->cur, n) && !z->ended)
		zin_fill(z);
}

/* The offset of the cursor in the decoded data. */
static inline uint64_t
zin_offset(const struct zin *z)
{
	return z->base + (uint64_t)(z->cur.pos - z->buf);
}

/* ---- writing ------------------------------------------------------------ */

/*
 * A file's bytes, buffered.  They are compressed by zstd until zout_plain is
 * called.  Calls that fail set the error that zout_open was given.
 */
struct zout {
	int fd;
	uint64_t at; /* offset of the next bytes in the file */
	uint8_t *buf;
	size_t used;
	ZSTD_CCtx *zstd; /* NULL if not compressed */
	uint8_t *packed;
	XXH3_state_t *hash; /* of the file's bytes from the first offset on */
	struct error *error;
};

#define ZOUT_SIZE (512 << 10) /* bytes gathered before they are written */

/* Writes from offset `at` on.  False if out of memory. */
bool zout_open(struct zout *, int fd, uint64_t at, enum tach_compression,
    int level, struct error *);
void zout_close(struct zout *);

/* Writes the buffer, which is then empty. */
int zout_flush(struct zout *);

/* Room for n bytes, at most ZOUT_SIZE.  zout_put_end takes the bytes up to its
 * end.  NULL if a write failed. */
static inline uint8_t *
zout_put(struct zout *z, size_t n)
{
	if (n > ZOUT_SIZE - z->used && zout_flush(z) != TACH_OK)
		return NULL;
	return z->buf + z->used;
}

static inline void
zout_put_end(struct zout *z, const uint8_t *end)
{
	z->used = (size_t)(end - z->buf);
}

int zout_write(struct zout *, const void *, size_t);

/* Writes all bytes so that they can be decoded up to here. */
int zout_sync(struct zout *);

/* Ends the compressed part, if there is one.  Later bytes are plain. */
int zout_plain(struct zout *);

/* Writes at a given offset, past the buffer. */
int zout_write_at(struct zout *, uint64_t at, const void *, size_t);

/* The size of the file after the buffer is written.  For the plain part
 * only. */
static inline uint64_t
zout_offset(const struct zout *z)
{
	return z->at + z->used;
}

#endif
