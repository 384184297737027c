/* SPDX-License-Identifier: ISC */
/* head.c: the header and the footer; see head.h. */
#include "format/head.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "format/cursor.h"
#include "format/layout.h"
#include "utf8.h"

/* The offsets that differ between the two headers. */
struct fields {
	uint8_t threads, strings, frames, compression;
	bool wide; /* the sample count is a u64 */
};

static const struct fields fields_of[] = {
    [TACH_LAYOUT_EARLY] = {HEAD_THREADS, HEAD_STRINGS, HEAD_FRAMES,
	HEAD_COMPRESSION, false},
    [TACH_LAYOUT_CPYTHON] = {WIDE_THREADS, WIDE_STRINGS, WIDE_FRAMES,
	WIDE_COMPRESSION, true},
};

unsigned
head_threads_at(const struct head *h)
{
	return fields_of[h->layout].threads;
}

/* ---- reading ------------------------------------------------------------ */

static bool
all_zero(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] != 0)
			return false;
	return true;
}

/* Adds a byte as a string of C has it; a digit that follows is not taken for a part
 * of it. */
static void
add_escaped(struct buf *b, char c, char following)
{
	static const char escaped[] = "\\\a\b\t\n\v\f\r";
	const char *at = c != '\0' ? strchr(escaped, c) : NULL;

	if (at != NULL) {
		buf_add_char(b, '\\');
		buf_add_char(b, "\\abtnvfr"[at - escaped]);
	} else if (c == '\0' && (following < '0' || following > '7')) {
		buf_add(b, "\\0", 2);
	} else if (c < ' ' || c > '~') {
		utf8_add_octal(b, c);
	} else {
		buf_add_char(b, c);
	}
}

static int
not_tach(const uint8_t *p, size_t n, struct error *e)
{
	const char *text = (const char *)p;
	struct buf b = {0};
	int rc;

	if (n > 8)
		n = 8;
	for (size_t i = 0; i < n; i++)
		add_escaped(&b, text[i], i + 1 < n ? text[i + 1] : '\0');
	rc = error_set(e, TACH_EFOREIGN,
	    "not a TACH profile (it begins with \"%.*s\")", (int)b.len,
	    b.text);
	buf_clear(&b);
	return rc;
}

bool
head_unfinished(const uint8_t *p, size_t n)
{
	return n > 0 && all_zero(p, n < HEAD_SIZE ? n : HEAD_SIZE);
}

/* The first four bytes tell the format and its byte order. */
static int
get_magic(struct head *h, const uint8_t *p, size_t n, uint64_t size,
    struct error *e)
{
	static const uint8_t little[] = {'H', 'C', 'A', 'T'};
	static const uint8_t big[] = {'T', 'A', 'C', 'H'};
	size_t first = n < 4 ? n : 4;

	if (n == 0)
		return error_set(e, TACH_ETRUNCATED, "the file is empty");
	h->big_endian = memcmp(p, big, first) == 0;
	if (!h->big_endian && memcmp(p, little, first) != 0)
		return not_tach(p, n, e);
	if (size < HEAD_SIZE + FOOT_SIZE)
		return error_set(e, TACH_ETRUNCATED, "truncated: %" PRIu64
		    " bytes, and header and footer alone take %d", size,
		    HEAD_SIZE + FOOT_SIZE);
	return TACH_OK;
}

/* Whether the offsets of a layout are possible in a file of this size. */
static bool
layout_fits(const uint8_t *p, const struct fields *f, bool swap, uint64_t size)
{
	uint64_t strings = load_u64(p + f->strings, swap);
	uint64_t frames = load_u64(p + f->frames, swap);

	return strings >= HEAD_SIZE && strings <= frames &&
	    frames <= size - FOOT_SIZE;
}

/* The number of plausible offsets of a layout.  In the wrong layout each is a
 * mixture of two fields, which makes it zero or huge. */
static int
likely(const uint8_t *p, const struct fields *f, bool swap)
{
	uint64_t strings = load_u64(p + f->strings, swap);
	uint64_t frames = load_u64(p + f->frames, swap);

	return (strings >= HEAD_SIZE && strings <= UINT32_MAX) +
	    (frames >= HEAD_SIZE && frames <= UINT32_MAX);
}

/* If no layout fits, the likelier one is chosen, so that the error names its
 * fields. */
static enum tach_layout
layout_of(const uint8_t *p, bool swap, uint64_t size)
{
	const struct fields *early = &fields_of[TACH_LAYOUT_EARLY];
	const struct fields *wide = &fields_of[TACH_LAYOUT_CPYTHON];

	if (layout_fits(p, early, swap, size))
		return TACH_LAYOUT_EARLY;
	if (layout_fits(p, wide, swap, size) ||
	    likely(p, wide, swap) > likely(p, early, swap))
		return TACH_LAYOUT_CPYTHON;
	return TACH_LAYOUT_EARLY;
}

static int
check_offsets(const struct head *h, uint64_t size, struct error *e)
{
	const struct fields *f = &fields_of[h->layout];
	uint64_t end = size - FOOT_SIZE;

	if (h->strings_at < HEAD_SIZE || h->strings_at > end)
		return error_set(e, TACH_ETRUNCATED,
		    "truncated or damaged: string "
		    "table offset %" PRIu64 " at byte %u lies outside the "
		    "file (%" PRIu64 " bytes)",
		    h->strings_at, f->strings, size);
	if (h->frames_at < HEAD_SIZE || h->frames_at > end)
		return error_set(e, TACH_ETRUNCATED,
		    "truncated or damaged: frame "
		    "table offset %" PRIu64 " at byte %u lies outside the "
		    "file (%" PRIu64 " bytes)",
		    h->frames_at, f->frames, size);
	if (h->strings_at > h->frames_at)
		return error_set(e, TACH_EDAMAGED,
		    "string table offset %" PRIu64
		    " at byte %u lies after the frame table's (%" PRIu64
		    " at byte %u)",
		    h->strings_at, f->strings, h->frames_at, f->frames);
	return TACH_OK;
}

static int
get_compression(struct head *h, const uint8_t *p, bool swap, struct error *e)
{
	unsigned at = fields_of[h->layout].compression;
	uint32_t type = load_u32(p + at, swap);

	if (type != TACH_PLAIN && type != TACH_ZSTD)
		return error_set(e, TACH_EVERSION, "compression type %" PRIu32
		    " at byte %u is not known (0 is none, 1 is zstd)", type,
		    at);
	h->compression = (enum tach_compression)type;
	return TACH_OK;
}

/* The first reserved byte that is not 0, or 0. */
static unsigned
reserved_of(const struct head *h, const uint8_t *p)
{
	if (p[HEAD_ZERO] != 0)
		return HEAD_ZERO;
	for (unsigned at = HEAD_RESERVED; at < HEAD_SIZE; at++)
		if (h->layout == TACH_LAYOUT_EARLY && p[at] != 0)
			return at;
	return 0;
}

static int
get_fields(struct head *h, const uint8_t *p, uint64_t size, struct error *e)
{
	bool swap = cursor_swaps(h->big_endian);
	uint32_t version = load_u32(p + HEAD_VERSION, swap);
	const struct fields *f;

	if (version != TACH_VERSION)
		return error_set(e, TACH_EVERSION, "format version %" PRIu32
		    " at byte %d is not known (%d is)", version, HEAD_VERSION,
		    TACH_VERSION);
	h->layout = layout_of(p, swap, size);
	f = &fields_of[h->layout];
	memcpy(h->meta.python, p + HEAD_PYTHON, sizeof(h->meta.python));
	h->meta.start_us = load_u64(p + HEAD_START, swap);
	h->meta.interval_us = load_u64(p + HEAD_INTERVAL, swap);
	h->samples = f->wide ? load_u64(p + HEAD_SAMPLES, swap) :
	    load_u32(p + HEAD_SAMPLES, swap);
	h->threads = load_u32(p + f->threads, swap);
	h->strings_at = load_u64(p + f->strings, swap);
	h->frames_at = load_u64(p + f->frames, swap);
	if (f->wide)
		h->meta.config = load_u32(p + WIDE_CONFIG, swap);
	h->reserved_at = reserved_of(h, p);
	if (check_offsets(h, size, e) != TACH_OK)
		return TACH_FATAL;
	return get_compression(h, p, swap, e);
}

static double
load_f64(const uint8_t *p, bool swap)
{
	uint64_t bits = load_u64(p, swap);
	double v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

static bool
ends_stat(const uint8_t *trailer, bool swap)
{
	return memcmp(trailer + TRAIL_MAGIC, STAT_NAME, strlen(STAT_NAME)) ==
	    0 && load_u32(trailer + TRAIL_VERSION, swap) == STAT_VERSION_KNOWN;
}

/* A number that is not finite counts as not known. */
static void
get_first_stat(struct tach_quality *q, const uint8_t *p, bool swap)
{
	q->duration = load_f64(p + STAT_DURATION, swap);
	q->rate = load_f64(p + STAT_RATE, swap);
	q->known = isfinite(q->duration) && isfinite(q->rate);
}

static void
get_later_stat(struct tach_quality *q, const uint8_t *p, bool swap)
{
	uint32_t present = load_u32(p + STAT_PRESENT, swap);

	q->errors = load_f64(p + STAT_ERRORS, swap);
	q->missed = load_f64(p + STAT_MISSED, swap);
	q->has_errors = (present & STAT_HAS_ERRORS) != 0 && isfinite(q->errors);
	q->has_missed = (present & STAT_HAS_MISSED) != 0 && isfinite(q->missed);
}

size_t
stat_get(struct tach_quality *q, const uint8_t *p, size_t n, bool big_endian)
{
	bool swap = cursor_swaps(big_endian);
	const uint8_t *trailer;
	uint32_t size;

	if (n < TRAIL_SIZE)
		return 0;
	trailer = p + (n - TRAIL_SIZE);
	size = load_u32(trailer + TRAIL_BYTES, swap);
	if (!ends_stat(trailer, swap) || size < TRAIL_SIZE || size > n)
		return 0;
	p += n - size;
	if (size >= STAT_FIRST + TRAIL_SIZE)
		get_first_stat(q, p, swap);
	if (size >= STAT_FIELDS + TRAIL_SIZE)
		get_later_stat(q, p, swap);
	return size;
}

int
foot_get(struct head *h, const uint8_t *p, uint64_t size, struct error *e)
{
	bool swap = cursor_swaps(h->big_endian);
	uint64_t said = load_u64(p + FOOT_FILE, swap);

	if (said != size)
		return error_set(e, said > size ? TACH_ETRUNCATED :
		    TACH_EDAMAGED, "truncated or damaged: the "
		    "footer at byte %" PRIu64 " gives a file size of %" PRIu64
		    ", but there are %" PRIu64 " bytes", size - FOOT_SIZE,
		    said, size);
	h->strings = load_u32(p + FOOT_STRINGS, swap);
	h->frames = load_u32(p + FOOT_FRAMES, swap);
	memcpy(h->check, p + FOOT_CHECK, sizeof(h->check));
	return TACH_OK;
}

int
head_get(struct head *h, const uint8_t *p, size_t n, uint64_t size,
    struct error *e)
{
	*h = (struct head){0};
	if (get_magic(h, p, n, size, e) != TACH_OK)
		return TACH_FATAL;
	return get_fields(h, p, size, e);
}

struct tach_file_info
head_info(const struct head *h)
{
	struct tach_file_info info = {
	    .input = TACH_INPUT_FILE,
	    .layout = h->layout,
	    .big_endian = h->big_endian,
	    .compression = h->compression,
	    .samples = h->samples,
	    .threads = h->threads,
	    .strings = h->strings,
	    .frames = h->frames,
	    .has_checksum = !all_zero(h->check, sizeof(h->check)),
	};

	memcpy(info.checksum, h->check, sizeof(h->check));
	return info;
}

/* ---- writing ------------------------------------------------------------ */

void
head_fit(struct head *h)
{
	if (h->samples > UINT32_MAX)
		h->layout = TACH_LAYOUT_CPYTHON;
}

void
head_put(uint8_t *p, const struct head *h)
{
	const struct fields *f = &fields_of[h->layout];

	memset(p, 0, HEAD_SIZE);
	store_u32(p + HEAD_MAGIC, TACH_MAGIC);
	store_u32(p + HEAD_VERSION, TACH_VERSION);
	memcpy(p + HEAD_PYTHON, h->meta.python, sizeof(h->meta.python));
	store_u64(p + HEAD_START, h->meta.start_us);
	store_u64(p + HEAD_INTERVAL, h->meta.interval_us);
	if (f->wide)
		store_u64(p + HEAD_SAMPLES, h->samples);
	else
		store_u32(p + HEAD_SAMPLES, (uint32_t)h->samples);
	store_u32(p + f->threads, h->threads);
	store_u64(p + f->strings, h->strings_at);
	store_u64(p + f->frames, h->frames_at);
	store_u32(p + f->compression, h->compression);
	if (f->wide)
		store_u32(p + WIDE_CONFIG, h->meta.config);
}

static void
store_f64(uint8_t *p, double v)
{
	memcpy(p, &v, sizeof(v));
}

void
stat_put(uint8_t *p, const struct tach_quality *q)
{
	memset(p, 0, STAT_SIZE);
	store_f64(p + STAT_DURATION, q->duration);
	store_f64(p + STAT_RATE, q->rate);
	store_f64(p + STAT_ERRORS, q->has_errors ? q->errors : 0);
	store_f64(p + STAT_MISSED, q->has_missed ? q->missed : 0);
	store_u32(p + STAT_PRESENT, (q->has_errors ? STAT_HAS_ERRORS : 0) |
	    (q->has_missed ? STAT_HAS_MISSED : 0));
	p += STAT_SIZE - TRAIL_SIZE;
	memcpy(p + TRAIL_MAGIC, STAT_NAME, strlen(STAT_NAME));
	store_u32(p + TRAIL_VERSION, STAT_VERSION_KNOWN);
	store_u32(p + TRAIL_BYTES, STAT_SIZE);
}

void
foot_put(uint8_t *p, const struct head *h, uint64_t file_size)
{
	memset(p, 0, FOOT_SIZE);
	store_u32(p + FOOT_STRINGS, h->strings);
	store_u32(p + FOOT_FRAMES, h->frames);
	store_u64(p + FOOT_FILE, file_size);
	memcpy(p + FOOT_CHECK, h->check, sizeof(h->check));
}
