/* SPDX-License-Identifier: ISC */
/* zio.c: the sample data as a stream of bytes; see zio.h. */
#include "format/zio.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zstd_errors.h>

#include "format/layout.h"
#include "io.h"

/* What zstd's highest level uses; a larger window is an attack on memory. */
#define WINDOW_LOG_MAX 27

#define FRAME_START 5 /* bytes of a zstd frame that say how it goes on */
#define PACKED_SIZE (64 << 10) /* bytes read ahead, at most */
#define WINDOW_LOG 18
#define HASH_LOG 17
#define SHORT_MAX (16 << 10) /* bytes of a stream that is very short */

/* The code of a call of zstd's that failed: another one if not for memory. */
static enum tach_error
zstd_code(size_t res, enum tach_error other)
{
	return ZSTD_getErrorCode(res) == ZSTD_error_memory_allocation ?
	    TACH_ENOMEM : other;
}

/* ---- reading ------------------------------------------------------------ */

static bool
zin_open_zstd(struct zin *z)
{
	z->zstd = ZSTD_createDCtx();
	z->packed_buf = malloc(PACKED_SIZE);
	z->packed.src = z->packed_buf;
	return z->zstd != NULL && z->packed_buf != NULL &&
	    !ZSTD_isError(ZSTD_DCtx_setParameter(z->zstd,
		ZSTD_d_windowLogMax, WINDOW_LOG_MAX));
}

bool
zin_open(struct zin *z, const struct origin *origin, uint64_t from, uint64_t to,
    enum tach_compression compression, bool swap)
{
	*z = (struct zin){.origin = origin, .at = from, .end = to};
	if ((z->buf = malloc(ZIN_SIZE)) == NULL ||
	    (compression == TACH_ZSTD && !zin_open_zstd(z))) {
		zin_close(z);
		return false;
	}
	z->cur = (struct cursor){z->buf, z->buf, swap};
	return true;
}

void
zin_close(struct zin *z)
{
	ZSTD_freeDCtx(z->zstd);
	free(z->packed_buf);
	free(z->buf);
	*z = (struct zin){.ended = true};
}

void
zin_extend(struct zin *z, uint64_t to)
{
	z->end = to;
	z->ended = z->problem.text[0] != '\0';
}

/* Moves what is not read yet to the buffer's start. */
static size_t
rewind_buffer(struct zin *z)
{
	size_t left = cursor_left(&z->cur);

	z->base += (uint64_t)(z->cur.pos - z->buf);
	memmove(z->buf, z->cur.pos, left);
	z->cur.pos = z->buf;
	return left;
}

/* The data ends here, for a reason that is not a good one. */
static void
zin_fail(struct zin *z, enum tach_error code, uint64_t at, const char *what,
    const char *why)
{
	error_set(&z->problem, code, "byte %" PRIu64 ": %s%s", at, what, why);
	z->ended = true;
}

/* Reads up to n of the file's bytes.  0: no more of them. */
static size_t
zin_take(struct zin *z, uint8_t *to, size_t n)
{
	ssize_t got;

	if (n > z->end - z->at)
		n = (size_t)(z->end - z->at);
	got = origin_read_at(z->origin, to, n, z->at);
	if (got < 0) {
		zin_fail(z, error_code(errno), z->at, "cannot read: ",
		    strerror(errno));
		return 0;
	}
	z->at += (uint64_t)got;
	if ((size_t)got < n)
		zin_fail(z, TACH_ETRUNCATED, z->at,
		    "the file has become shorter", "");
	return (size_t)got;
}

/* The same where they lie in memory.  NULL: they do not. */
static const uint8_t *
take_view(struct zin *z, size_t n, size_t *size)
{
	const uint8_t *view;

	if (n > z->end - z->at)
		n = (size_t)(z->end - z->at);
	if ((view = origin_view(z->origin, n, z->at)) == NULL)
		return NULL;
	z->at += n;
	*size = n;
	return view;
}

/* Reads the next piece of compressed data.  False: there is none. */
static bool
refill(struct zin *z)
{
	const uint8_t *view;

	z->packed.pos = 0;
	if ((view = take_view(z, PACKED_SIZE, &z->packed.size)) == NULL)
		z->packed.size = zin_take(z, z->packed_buf, PACKED_SIZE);
	z->packed.src = view != NULL ? view : z->packed_buf;
	if (z->packed.size > 0)
		return true;
	if (z->wants != 0 && !z->unfinished)
		zin_fail(z, TACH_EDAMAGED, z->at,
		    "the zstd data ends in the middle of a frame", "");
	z->ended = true;
	return false;
}

/* Decodes until the buffer is full or something ends.  zstd is given only
 * what it asks for, a block at a time: what a call has decoded is lost when
 * that call also finds damage. */
static void
unpack(struct zin *z, ZSTD_outBuffer *out)
{
	while (out->pos < out->size && !z->ended) {
		ZSTD_inBuffer in = z->packed;
		size_t want = z->wants != 0 ? z->wants : FRAME_START;
		if (!z->full && in.pos == in.size) {
			if (!refill(z))
				break;
			in = z->packed;
		}
		if (want < in.size - in.pos)
			in.size = in.pos + want;
		z->wants = ZSTD_decompressStream(z->zstd, out, &in);
		if (ZSTD_isError(z->wants)) {
			zin_fail(z, zstd_code(z->wants, TACH_EDAMAGED),
			    z->at - (z->packed.size - z->packed.pos),
			    "zstd data: ", ZSTD_getErrorName(z->wants));
			break;
		}
		z->packed.pos = in.pos;
		z->full = out->pos == out->size && z->wants != 0;
	}
}

void
zin_fill(struct zin *z)
{
	ZSTD_outBuffer out = {z->buf, ZIN_SIZE, 0};

	if (z->ended)
		return;
	out.pos = rewind_buffer(z);
	if (z->zstd != NULL) {
		unpack(z, &out);
	} else {
		out.pos += zin_take(z, z->buf + out.pos, ZIN_SIZE - out.pos);
		z->ended = z->ended || z->at == z->end;
	}
	z->cur.end = z->buf + out.pos;
}

/* ---- writing ------------------------------------------------------------ */

/* Profiles repeat themselves within a short distance: who did not ask for a
 * level is better served by half the memory. */
static bool
shrink(ZSTD_CCtx *zstd)
{
	return !ZSTD_isError(ZSTD_CCtx_setParameter(zstd, ZSTD_c_windowLog,
		   WINDOW_LOG)) &&
	    !ZSTD_isError(ZSTD_CCtx_setParameter(zstd, ZSTD_c_hashLog,
		HASH_LOG));
}

/* Gets the memory that a level needs, some 80 MB for the highest, which takes
 * longer than a recorder can wait once it has samples. */
static bool
warm_up(struct zout *z)
{
	ZSTD_inBuffer in = {z->buf, 0, 0};
	ZSTD_outBuffer out = {z->packed, ZSTD_CStreamOutSize(), 0};

	return !ZSTD_isError(ZSTD_compressStream2(z->zstd, &out, &in,
		   ZSTD_e_continue)) &&
	    !ZSTD_isError(ZSTD_CCtx_reset(z->zstd, ZSTD_reset_session_only));
}

static bool
zout_open_zstd(struct zout *z, int level)
{
	if ((z->zstd = ZSTD_createCCtx()) == NULL ||
	    (z->packed = malloc(ZSTD_CStreamOutSize())) == NULL)
		return false;
	return !ZSTD_isError(ZSTD_CCtx_setParameter(z->zstd,
		   ZSTD_c_compressionLevel, level)) &&
	    (level != TACH_LEVEL_DEFAULT || shrink(z->zstd)) &&
	    !ZSTD_isError(ZSTD_CCtx_setParameter(z->zstd,
		ZSTD_c_checksumFlag, 1)) &&
	    (level == TACH_LEVEL_DEFAULT || warm_up(z));
}

bool
zout_open(struct zout *z, int fd, uint64_t at,
    enum tach_compression compression, int level, struct error *error)
{
	*z = (struct zout){.fd = fd, .at = at, .error = error};
	if ((z->buf = malloc(ZOUT_SIZE)) == NULL ||
	    (z->hash = XXH3_createState()) == NULL ||
	    XXH3_128bits_reset(z->hash) == XXH_ERROR ||
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
	XXH3_freeState(z->hash);
	free(z->packed);
	free(z->buf);
	*z = (struct zout){.fd = -1};
}

int
zout_write_at(struct zout *z, uint64_t at, const void *bytes, size_t len)
{
	if (io_write_at(z->fd, bytes, len, at))
		return TACH_OK;
	return error_system(z->error, "cannot write", errno);
}

static int
zout_append(struct zout *z, const void *bytes, size_t len)
{
	if (zout_write_at(z, z->at, bytes, len) != TACH_OK)
		return TACH_FATAL;
	XXH3_128bits_update(z->hash, bytes, len);
	z->at += len;
	return TACH_OK;
}

/* Sends the buffer through zstd, with ZSTD_e_flush or ZSTD_e_end out of it
 * too. */
static int
pack(struct zout *z, ZSTD_EndDirective end)
{
	ZSTD_inBuffer in = {z->buf, z->used, 0};
	size_t left;

	do {
		ZSTD_outBuffer out = {z->packed, ZSTD_CStreamOutSize(), 0};
		left = ZSTD_compressStream2(z->zstd, &out, &in, end);
		if (ZSTD_isError(left))
			return error_set(z->error,
			    zstd_code(left, TACH_EFAILED),
			    "cannot compress: %s", ZSTD_getErrorName(left));
		if (zout_append(z, out.dst, out.pos) != TACH_OK)
			return TACH_FATAL;
	} while (end == ZSTD_e_continue ? in.pos < in.size : left != 0);
	z->used = 0;
	return TACH_OK;
}

int
zout_flush(struct zout *z)
{
	if (z->zstd != NULL)
		return pack(z, ZSTD_e_continue);
	if (zout_append(z, z->buf, z->used) != TACH_OK)
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
zout_sync(struct zout *z)
{
	return z->zstd != NULL ? pack(z, ZSTD_e_flush) : zout_flush(z);
}

int
zout_plain(struct zout *z)
{
	if (z->zstd == NULL)
		return TACH_OK;
	/* First as if more would come: a stream that is known to be short is
	 * packed otherwise, which makes it smaller only if it is very short. */
	if ((z->used > SHORT_MAX && pack(z, ZSTD_e_continue) != TACH_OK) ||
	    pack(z, ZSTD_e_end) != TACH_OK)
		return TACH_FATAL;
	ZSTD_freeCCtx(z->zstd);
	z->zstd = NULL;
	return TACH_OK;
}
