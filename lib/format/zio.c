/* SPDX-License-Identifier: ISC */
/* zio.c: the sample data as a stream of bytes; see zio.h. */
#include "format/zio.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/layout.h"

/* What zstd's highest level uses; a larger window is an attack on memory. */
#define WINDOW_LOG_MAX 27

#define FRAME_START 5 /* bytes of a zstd frame that say how it goes on */

/* ---- reading ------------------------------------------------------------ */

static bool
zin_open_zstd(struct zin *z, const uint8_t *bytes, size_t len)
{
	z->zstd = ZSTD_createDCtx();
	z->buf = malloc(ZIN_SIZE);
	if (z->zstd == NULL || z->buf == NULL ||
	    ZSTD_isError(ZSTD_DCtx_setParameter(z->zstd,
		ZSTD_d_windowLogMax, WINDOW_LOG_MAX))) {
		zin_close(z);
		return false;
	}
	z->packed = (ZSTD_inBuffer){bytes, len, 0};
	z->start = z->cur.pos = z->cur.end = z->buf;
	return true;
}

bool
zin_open(struct zin *z, const uint8_t *bytes, size_t len,
    enum tach_compression compression, bool swap)
{
	*z = (struct zin){.cur.swap = swap};
	if (compression == TACH_ZSTD)
		return zin_open_zstd(z, bytes, len);
	z->start = z->cur.pos = bytes;
	z->cur.end = bytes + len;
	z->ended = true;
	return true;
}

void
zin_close(struct zin *z)
{
	ZSTD_freeDCtx(z->zstd);
	free(z->buf);
	*z = (struct zin){.ended = true};
}

/* Moves what is not read yet to the buffer's start. */
static size_t
rewind_buffer(struct zin *z)
{
	size_t left = cursor_left(&z->cur);

	z->base += (uint64_t)(z->cur.pos - z->start);
	memmove(z->buf, z->cur.pos, left);
	z->cur.pos = z->buf;
	return left;
}

/* The data ends here, for a reason that is not a good one. */
static void
fail(struct zin *z, const char *what, const char *why)
{
	error_set(&z->problem, 0, "byte %" PRIu64 ": %s%s",
	    (uint64_t)z->packed.pos + HEAD_SIZE, what, why);
	z->ended = true;
}

/* Decodes until the buffer is full or something ends.  zstd is given only
 * what it asks for, a block at a time: what a call has decoded is lost when
 * that call also finds damage. */
static void
unpack(struct zin *z, ZSTD_outBuffer *out)
{
	while (out->pos < out->size && !z->ended) {
		ZSTD_inBuffer in = z->packed;
		size_t left = in.size - in.pos, more;
		if (left == 0 && z->wants == 0) {
			z->ended = true;
			break;
		}
		if (z->wants < left)
			in.size = in.pos +
			    (z->wants != 0 ? z->wants : FRAME_START);
		if (in.size > z->packed.size)
			in.size = z->packed.size;
		more = ZSTD_decompressStream(z->zstd, out, &in);
		if (ZSTD_isError(more)) {
			fail(z, "zstd data: ", ZSTD_getErrorName(more));
			break;
		}
		z->packed.pos = in.pos;
		z->wants = more;
		/* Nothing left to take in or to hand out. */
		if (more != 0 && in.pos == z->packed.size &&
		    out->pos < out->size)
			fail(z, "the zstd data ends in the middle of a frame",
			    "");
	}
}

void
zin_fill(struct zin *z)
{
	ZSTD_outBuffer out = {z->buf, ZIN_SIZE, 0};

	if (z->ended)
		return;
	out.pos = rewind_buffer(z);
	unpack(z, &out);
	z->cur.end = z->buf + out.pos;
}

/* ---- writing ------------------------------------------------------------ */

static bool
zout_open_zstd(struct zout *z, int level)
{
	if ((z->zstd = ZSTD_createCCtx()) == NULL ||
	    (z->packed = malloc(ZSTD_CStreamOutSize())) == NULL)
		return false;
	return !ZSTD_isError(ZSTD_CCtx_setParameter(z->zstd,
		   ZSTD_c_compressionLevel, level)) &&
	    !ZSTD_isError(ZSTD_CCtx_setParameter(z->zstd,
		ZSTD_c_checksumFlag, 1));
}

bool
zout_open(struct zout *z, int fd, uint64_t at,
    enum tach_compression compression, int level, struct error *error)
{
	*z = (struct zout){.fd = fd, .at = at, .error = error};
	if ((z->buf = malloc(ZOUT_SIZE)) == NULL ||
	    (compression == TACH_ZSTD && !zout_open_zstd(z, level))) {
		zout_close(z);
		return false;
	}
	return true;
}

void
zout_close(struct zout *z)
{
	ZSTD_freeCCtx(z->zstd);
	free(z->packed);
	free(z->buf);
	*z = (struct zout){.fd = -1};
}

int
zout_write_at(struct zout *z, uint64_t at, const void *bytes, size_t len)
{
	const uint8_t *p = bytes;

	while (len > 0) {
		ssize_t n = pwrite(z->fd, p, len, (off_t)at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return error_set(z->error, TACH_FATAL,
			    "cannot write: %s",
			    strerror(n < 0 ? errno : EIO));
		p += n;
		at += (uint64_t)n;
		len -= (size_t)n;
	}
	return TACH_OK;
}

static int
append(struct zout *z, const void *bytes, size_t len)
{
	if (zout_write_at(z, z->at, bytes, len) != TACH_OK)
		return TACH_FATAL;
	z->at += len;
	return TACH_OK;
}

/* Sends the buffer through zstd; with ZSTD_e_end also ends the frame. */
static int
pack(struct zout *z, ZSTD_EndDirective end)
{
	ZSTD_inBuffer in = {z->buf, z->used, 0};
	size_t left;

	do {
		ZSTD_outBuffer out = {z->packed, ZSTD_CStreamOutSize(), 0};
		left = ZSTD_compressStream2(z->zstd, &out, &in, end);
		if (ZSTD_isError(left))
			return error_set(z->error, TACH_FATAL,
			    "cannot compress: %s", ZSTD_getErrorName(left));
		if (append(z, out.dst, out.pos) != TACH_OK)
			return TACH_FATAL;
	} while (end == ZSTD_e_end ? left != 0 : in.pos < in.size);
	z->used = 0;
	return TACH_OK;
}

int
zout_flush(struct zout *z)
{
	if (z->zstd != NULL)
		return pack(z, ZSTD_e_continue);
	if (append(z, z->buf, z->used) != TACH_OK)
		return TACH_FATAL;
	z->used = 0;
	return TACH_OK;
}

int
zout_write(struct zout *z, const void *bytes, size_t len)
{
	const uint8_t *p = bytes;

	while (len > 0) {
		size_t n = len < ZOUT_SIZE ? len : ZOUT_SIZE;
		uint8_t *room = zout_put(z, n);
		if (room == NULL)
			return TACH_FATAL;
		memcpy(room, p, n);
		zout_put_end(z, room + n);
		p += n;
		len -= n;
	}
	return TACH_OK;
}

int
zout_plain(struct zout *z)
{
	if (z->zstd == NULL)
		return TACH_OK;
	if (pack(z, ZSTD_e_end) != TACH_OK)
		return TACH_FATAL;
	ZSTD_freeCCtx(z->zstd);
	z->zstd = NULL;
	return TACH_OK;
}
