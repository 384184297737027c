/* SPDX-License-Identifier: ISC */
/*
 * gzip.c: a file that is written compressed, by zlib; RFC 1952 has the format.
 *
 * `go tool pprof /dev/stdin` opens its input, reads eight bytes, closes it and
 * opens it again.  If the input is a pipe, these bytes are lost.  So a second
 * header begins at the ninth byte.  It is hidden in the extra field of the
 * first header, and has an extra field of its own up to the end of the first
 * one's.
 */
#include "out/gzip.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#define ZLIB_CONST
#include <zlib.h>

#define HEADER_SIZE 1044
/* Takes half the time of zlib's default, for a result that is a tenth
 * larger. */
#define LEVEL 2

struct gzip {
	FILE *to;
	z_stream z;
	uint32_t crc, size; /* of what was written, modulo 2^32 */
	unsigned char out[65536];
};

/* All numbers are little-endian.  A header is magic, method 8, flags 4 for an
 * extra field, four bytes of time, XFL, OS, the size of the extra field, and
 * this field.  The extra field is two bytes of a name, a size and the data. */
static bool
put_header(FILE *to)
{
	static const unsigned char header[HEADER_SIZE] = {
		0x1f, 0x8b, 8, 4, 0, 0, 0, 0,
		/* XFL, OS and size 0x0408 of the first; magic, method and
		 * flags of the second. */
		0x1f, 0x8b, 8, 4,
		/* A field of 0x0404 bytes; the second one's time. */
		't', 'p', 4, 4,
		/* The second one's XFL, OS and size 0x0400. */
		0, 0xff, 0, 4,
		/* Its field of 0x03fc bytes. */
		't', 'p', 0xfc, 3,
	};

	return fwrite(header, 1, sizeof(header), to) == sizeof(header);
}

/* Compresses the bytes at z.next_in. */
static bool
deflate_input(struct gzip *g, int flush)
{
	size_t n;

	do {
		g->z.next_out = g->out;
		g->z.avail_out = sizeof(g->out);
		if (deflate(&g->z, flush) == Z_STREAM_ERROR)
			return errno = EINVAL, false;
		n = sizeof(g->out) - g->z.avail_out;
		if (fwrite(g->out, 1, n, g->to) != n)
			return false;
	} while (g->z.avail_out == 0);
	return true;
}

/* Returns 0 if it failed. */
static ssize_t
gzip_write(void *cookie, const char *bytes, size_t len)
{
	struct gzip *g = cookie;
	size_t n = len < INT_MAX ? len : INT_MAX;

	g->z.next_in = (const unsigned char *)bytes;
	g->z.avail_in = (uInt)n;
	g->crc = (uint32_t)crc32(g->crc, g->z.next_in, g->z.avail_in);
	g->size += (uint32_t)n;
	return deflate_input(g, Z_NO_FLUSH) ? (ssize_t)n : 0;
}

static bool
put_trailer(const struct gzip *g)
{
	unsigned char t[8];

	for (int i = 0; i < 4; i++) {
		t[i] = (unsigned char)(g->crc >> 8 * i);
		t[i + 4] = (unsigned char)(g->size >> 8 * i);
	}
	return fwrite(t, 1, sizeof(t), g->to) == sizeof(t);
}

static int
gzip_close(void *cookie)
{
	struct gzip *g = cookie;
	bool ok = deflate_input(g, Z_FINISH) && put_trailer(g);
	int e = errno;

	deflateEnd(&g->z);
	free(g);
	errno = e;
	return ok ? 0 : EOF;
}

FILE *
gzip_open(FILE *to)
{
	static const cookie_io_functions_t io = {
		.write = gzip_write,
		.close = gzip_close,
	};
	struct gzip *g = calloc(1, sizeof(*g));
	FILE *f;

	if (g == NULL)
		return NULL;
	g->to = to;
	/* Negative: zlib writes the stream alone, without header and
	 * trailer. */
	if (deflateInit2(&g->z, LEVEL, Z_DEFLATED, -MAX_WBITS, MAX_MEM_LEVEL,
		Z_DEFAULT_STRATEGY) != Z_OK) {
		free(g);
		return errno = ENOMEM, NULL;
	}
	if (!put_header(to) || (f = fopencookie(g, "w", io)) == NULL) {
		deflateEnd(&g->z);
		free(g);
		return NULL;
	}
	return f;
}
