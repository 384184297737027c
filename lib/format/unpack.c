/* SPDX-License-Identifier: ISC */
/* unpack.c: see unpack.h. */
#include "format/unpack.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>
#ifdef HAVE_LZMA
#include <lzma.h>
#endif

#include "format/origin.h"

#define PACKED_SIZE 65536 /* bytes read at once; SNIFF_SIZE at least */
#define WINDOW_LOG_MAX 27 /* of zstd's highest level */
#define XZ_MEMORY (UINT64_C(128) << 20) /* xz -9 needs half of it */

struct unpack {
	const struct packing *packing;
	struct origin from;
	uint8_t packed[PACKED_SIZE];
	size_t pos, len; /* of the bytes that are not unpacked yet */
	uint64_t base;	 /* offset of packed */
	bool ended;	 /* the origin has no more */
	bool inside;	 /* a stream has begun and not ended */
	bool full;	 /* there may be more than was taken */
	z_stream z;
	ZSTD_DCtx *zstd;
#ifdef HAVE_LZMA
	lzma_stream xz;
#endif
	struct error error;
};

/* How one program packs.  step unpacks as far as there are bytes and room, and
 * moves *to. */
struct packing {
	const char *name, *magic;
	size_t n;
	bool (*begin)(struct unpack *);
	int (*step)(struct unpack *, uint8_t **to, size_t room);
	void (*end)(struct unpack *);
};

static int
bad_packing(struct unpack *u, enum tach_error code, const char *why)
{
	return error_set(&u->error, code, "byte %" PRIu64 ": %s data: %s",
	    u->base + u->pos, u->packing->name, why);
}

/* ---- gzip ---------------------------------------------------------------- */

static bool
begin_gzip(struct unpack *u)
{
	return inflateInit2(&u->z, 16 + MAX_WBITS) == Z_OK;
}

/* Behind a stream there may be another one, or zeros up to the end. */
static int
between_gzip(struct unpack *u)
{
	while (u->pos < u->len && u->packed[u->pos] == 0)
		u->pos++;
	if (u->pos == u->len)
		return TACH_OK;
	if (u->packed[u->pos] != 0x1f)
		return bad_packing(u, TACH_EDAMAGED,
		    "other bytes follow behind it");
	inflateReset(&u->z);
	u->inside = true;
	return TACH_OK;
}

static int
step_gzip(struct unpack *u, uint8_t **to, size_t room)
{
	int res = u->inside ? TACH_OK : between_gzip(u);

	if (res != TACH_OK || !u->inside)
		return res;
	u->z.next_in = u->packed + u->pos;
	u->z.avail_in = (uInt)(u->len - u->pos);
	u->z.next_out = *to;
	u->z.avail_out = (uInt)room;
	res = inflate(&u->z, Z_SYNC_FLUSH);
	u->pos = u->len - u->z.avail_in;
	*to = u->z.next_out;
	u->inside = res != Z_STREAM_END;
	if (res == Z_OK || res == Z_STREAM_END || res == Z_BUF_ERROR)
		return TACH_OK;
	if (res == Z_MEM_ERROR)
		return error_memory(&u->error);
	return bad_packing(u, TACH_EDAMAGED,
	    u->z.msg != NULL ? u->z.msg : "it is damaged");
}

static void
end_gzip(struct unpack *u)
{
	inflateEnd(&u->z);
}

/* ---- zstd ---------------------------------------------------------------- */

static bool
begin_zstd(struct unpack *u)
{
	u->zstd = ZSTD_createDCtx();
	return u->zstd != NULL &&
	    !ZSTD_isError(ZSTD_DCtx_setParameter(u->zstd,
		ZSTD_d_windowLogMax, WINDOW_LOG_MAX));
}

static int
step_zstd(struct unpack *u, uint8_t **to, size_t room)
{
	ZSTD_inBuffer in = {u->packed, u->len, u->pos};
	ZSTD_outBuffer out = {*to, room, 0};
	size_t res = ZSTD_decompressStream(u->zstd, &out, &in);

	u->pos = in.pos;
	*to += out.pos;
	u->inside = res != 0;
	if (!ZSTD_isError(res))
		return TACH_OK;
	if (ZSTD_getErrorCode(res) == ZSTD_error_memory_allocation)
		return error_memory(&u->error);
	return bad_packing(u, TACH_EDAMAGED, ZSTD_getErrorName(res));
}

static void
end_zstd(struct unpack *u)
{
	ZSTD_freeDCtx(u->zstd);
}

/* ---- xz ------------------------------------------------------------------ */

#ifdef HAVE_LZMA
static bool
begin_xz(struct unpack *u)
{
	return lzma_stream_decoder(&u->xz, XZ_MEMORY, LZMA_CONCATENATED) ==
	    LZMA_OK;
}

static const char *
xz_fault(lzma_ret res)
{
	switch (res) {
	case LZMA_MEMLIMIT_ERROR:
		return "it needs more than 128 MiB of memory";
	case LZMA_FORMAT_ERROR:
		return "other bytes follow behind it";
	case LZMA_OPTIONS_ERROR:
		return "its options are not known";
	default:
		return "it is damaged";
	}
}

static int
step_xz(struct unpack *u, uint8_t **to, size_t room)
{
	lzma_ret res;

	u->xz.next_in = u->packed + u->pos;
	u->xz.avail_in = u->len - u->pos;
	u->xz.next_out = *to;
	u->xz.avail_out = room;
	res = lzma_code(&u->xz, u->ended ? LZMA_FINISH : LZMA_RUN);
	u->pos = u->len - u->xz.avail_in;
	*to = u->xz.next_out;
	u->inside = res != LZMA_STREAM_END;
	if (res == LZMA_OK || res == LZMA_STREAM_END || res == LZMA_BUF_ERROR)
		return TACH_OK;
	if (res == LZMA_MEM_ERROR)
		return error_memory(&u->error);
	return bad_packing(u, TACH_EDAMAGED, xz_fault(res));
}

static void
end_xz(struct unpack *u)
{
	lzma_end(&u->xz);
}
#endif

/* ---- all ----------------------------------------------------------------- */

static const struct packing packings[] = {
    {"gzip", "\x1f\x8b", 2, begin_gzip, step_gzip, end_gzip},
    {"zstd", "(\xb5/\xfd", 4, begin_zstd, step_zstd, end_zstd},
#ifdef HAVE_LZMA
    {"xz", "\xfd" "7zXZ", 6, begin_xz, step_xz, end_xz},
#endif
};

static const struct packing *
find_packing(const void *bytes, size_t n)
{
	for (size_t i = 0; i < sizeof(packings) / sizeof(*packings); i++)
		if (n >= packings[i].n &&
		    memcmp(bytes, packings[i].magic, packings[i].n) == 0)
			return &packings[i];
	return NULL;
}

bool
unpack_known(const void *bytes, size_t n)
{
	return find_packing(bytes, n) != NULL;
}

struct unpack *
unpack_open(const struct origin *from, const void *head, size_t n)
{
	struct unpack *u = calloc(1, sizeof(*u));

	if (u == NULL)
		return NULL;
	u->packing = find_packing(head, n);
	u->from = (struct origin){.fd = -1};
	if (!u->packing->begin(u)) {
		unpack_close(u);
		return NULL;
	}
	u->from = *from;
	u->inside = true;
	memcpy(u->packed, head, u->len = n);
	return u;
}

void
unpack_close(struct unpack *u)
{
	if (u == NULL)
		return;
	u->packing->end(u);
	if (u->from.fd >= 0)
		close(u->from.fd);
	free(u);
}

/* Reads the next compressed bytes. */
static int
read_packed(struct unpack *u)
{
	ssize_t n = origin_read(&u->from, u->packed, PACKED_SIZE);

	if (n < 0)
		return error_system(&u->error, "cannot read", errno);
	u->base += u->len;
	u->pos = 0;
	u->len = (size_t)n;
	u->ended = n == 0;
	return TACH_OK;
}

/* Unpacks one step further.  TACH_END: there is no more. */
static int
unpack_step(struct unpack *u, uint8_t **to, size_t n)
{
	const uint8_t *before = *to;
	bool ended = u->ended;

	if (u->pos == u->len && !u->full && !ended && read_packed(u) != TACH_OK)
		return TACH_FATAL;
	if (u->pos == u->len && !u->inside)
		return u->ended ? TACH_END : TACH_OK;
	if (u->packing->step(u, to, n) != TACH_OK)
		return TACH_FATAL;
	u->full = u->inside && *to == before + n;
	if (*to > before || !ended || !u->inside)
		return TACH_OK;
	return bad_packing(u, TACH_ETRUNCATED, "it is cut short");
}

ssize_t
unpack_read(struct unpack *u, void *bytes, size_t n)
{
	uint8_t *to = bytes;
	int res = TACH_OK;

	if (u->error.text[0] != '\0')
		return -1;
	while (res == TACH_OK && n > 0 && to == (uint8_t *)bytes)
		res = unpack_step(u, &to, n);
	/* The bytes before a fault are good. */
	return res == TACH_FATAL && to == (uint8_t *)bytes ? -1 :
	    to - (uint8_t *)bytes;
}

const struct error *
unpack_error(const struct unpack *u)
{
	return &u->error;
}
