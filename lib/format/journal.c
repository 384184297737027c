/* SPDX-License-Identifier: ISC */
/* journal.c: see journal.h. */
#include "format/journal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

#include "format/cursor.h"
#include "format/tables.h"
#include "io.h"

#define JOURNAL_MAGIC 0x4e414d45 /* as a number in the writer's byte order */
#define JOURNAL_VERSION 1

/* Offsets in the file's header, and in an entry. */
enum {
	JOURNAL_HEAD_SIZE = 8,

	ENTRY_SIZE = 0,	     /* u32, size of all after ENTRY_HASH */
	ENTRY_HASH = 4,	     /* u64, XXH3-64 of the same */
	ENTRY_END = 12,	     /* u64 */
	ENTRY_DATA = 20,     /* 16 bytes, XXH3-128, canonical */
	ENTRY_SAMPLES = 36,  /* u64 */
	ENTRY_THREADS = 44,  /* u32 */
	ENTRY_START = 48,    /* u64 */
	ENTRY_INTERVAL = 56, /* u64 */
	ENTRY_CONFIG = 64,   /* u32 */
	ENTRY_LAYOUT = 68,   /* u8; 0: early, 1: cpython */
	ENTRY_COMPRESSION = 69,
	ENTRY_PYTHON = 70,
	ENTRY_STRINGS = 73, /* u32 */
	ENTRY_FRAMES = 77,  /* u32 */
	ENTRY_TABLES = 81,
};

/* ---- writing ------------------------------------------------------------ */

static void
put_fixed(uint8_t *p, const struct head *h, uint64_t end,
    const uint8_t hash[16])
{
	store_u64(p + ENTRY_END, end);
	memcpy(p + ENTRY_DATA, hash, 16);
	store_u64(p + ENTRY_SAMPLES, h->samples);
	store_u32(p + ENTRY_THREADS, h->threads);
	store_u64(p + ENTRY_START, h->meta.start_us);
	store_u64(p + ENTRY_INTERVAL, h->meta.interval_us);
	store_u32(p + ENTRY_CONFIG, h->meta.config);
	p[ENTRY_LAYOUT] = h->layout == TACH_LAYOUT_CPYTHON;
	p[ENTRY_COMPRESSION] = (uint8_t)h->compression;
	memcpy(p + ENTRY_PYTHON, h->meta.python, sizeof(h->meta.python));
}

/* Makes a whole entry in the buffer. */
static bool
make_entry(struct journal_out *n, const struct tach_table *t,
    const struct head *h, uint64_t end, const uint8_t hash[16])
{
	uint32_t strings = tach_table_string_count(t),
		 frames = tach_table_frame_count(t);
	struct buf *b = &n->buf;
	uint8_t *p;

	b->len = 0;
	if (buf_reserve(b, ENTRY_TABLES) == NULL)
		return false;
	b->len = ENTRY_TABLES;
	for (uint32_t i = n->strings; i < strings; i++)
		string_put(b, tach_table_string(t, i));
	for (uint32_t i = n->frames; i < frames; i++)
		frame_put(b, tach_table_frame(t, i));
	if (b->failed || b->len - ENTRY_END > UINT32_MAX)
		return false;
	p = (uint8_t *)b->text;
	put_fixed(p, h, end, hash);
	store_u32(p + ENTRY_STRINGS, strings - n->strings);
	store_u32(p + ENTRY_FRAMES, frames - n->frames);
	store_u32(p + ENTRY_SIZE, (uint32_t)(b->len - ENTRY_END));
	store_u64(p + ENTRY_HASH, XXH3_64bits(p + ENTRY_END,
	    b->len - ENTRY_END));
	return true;
}

static int
journal_append(struct journal_out *n, int fd, const void *bytes, size_t len,
    struct error *e)
{
	if (!io_write_at(fd, bytes, len, n->at))
		return error_system(e, "cannot write the journal", errno);
	n->at += len;
	return TACH_OK;
}

int
journal_put(struct journal_out *n, int fd, const struct tach_table *t,
    const struct head *h, uint64_t end, const uint8_t hash[16],
    struct error *e)
{
	static const uint32_t magic[] = {JOURNAL_MAGIC, JOURNAL_VERSION};

	if (n->at == 0 && journal_append(n, fd, magic, sizeof(magic),
	    e) != TACH_OK)
		return TACH_FATAL;
	if (!make_entry(n, t, h, end, hash))
		return error_memory(e);
	if (journal_append(n, fd, n->buf.text, n->buf.len, e) != TACH_OK)
		return TACH_FATAL;
	n->strings = tach_table_string_count(t);
	n->frames = tach_table_frame_count(t);
	return TACH_OK;
}

/* ---- reading ------------------------------------------------------------ */

struct journal_block {
	struct journal_block *next;
	uint64_t at; /* in the journal */
	size_t size;
	uint8_t bytes[];
};

static int
read_failed(struct error *e)
{
	return error_system(e, "cannot read the journal", errno);
}

static int
get_magic(struct journal_in *n, struct error *e)
{
	uint8_t p[JOURNAL_HEAD_SIZE];
	ssize_t got = io_read_at(n->fd, p, sizeof(p), 0);
	uint32_t version;

	if (got < 0)
		return read_failed(e);
	if (got < JOURNAL_HEAD_SIZE)
		return TACH_END;
	n->swap = load_u32(p, false) != JOURNAL_MAGIC;
	if (load_u32(p, n->swap) != JOURNAL_MAGIC)
		return error_set(e, TACH_EDAMAGED, "its journal has a wrong "
		    "magic number at byte 0");
	version = load_u32(p + 4, n->swap);
	if (version != JOURNAL_VERSION)
		return error_set(e, TACH_EVERSION, "version %" PRIu32 " of its "
		    "journal is not known (%d is)", version, JOURNAL_VERSION);
	n->at = JOURNAL_HEAD_SIZE;
	return TACH_OK;
}

/* Whether the file has so many bytes from the next entry on. */
static bool
has_bytes(const struct journal_in *n, uint64_t bytes)
{
	struct stat st;

	return fstat(n->fd, &st) == 0 && (uint64_t)st.st_size >= n->at &&
	    (uint64_t)st.st_size - n->at >= bytes;
}

/* Reads the bytes of an entry.  Its size is trusted if the file has so many
 * bytes. */
static int
get_block(struct journal_in *n, struct journal_block **out, struct error *e)
{
	uint8_t p[ENTRY_END];
	ssize_t got = io_read_at(n->fd, p, sizeof(p), n->at);
	struct journal_block *b;
	uint32_t size;

	if (got < 0)
		return read_failed(e);
	if (got < ENTRY_END)
		return TACH_END;
	size = load_u32(p + ENTRY_SIZE, n->swap);
	if (size < ENTRY_TABLES - ENTRY_END || size > TABLES_SIZE_MAX ||
	    !has_bytes(n, ENTRY_END + (uint64_t)size))
		return TACH_END;
	if ((b = malloc(sizeof(*b) + ENTRY_END + size)) == NULL)
		return error_memory(e);
	*b = (struct journal_block){NULL, n->at, ENTRY_END + (size_t)size};
	got = io_read_at(n->fd, b->bytes, b->size, n->at);
	if (got == (ssize_t)b->size && XXH3_64bits(b->bytes + ENTRY_END,
		size) == load_u64(b->bytes + ENTRY_HASH, n->swap)) {
		*out = b;
		return TACH_OK;
	}
	free(b);
	return got < 0 ? read_failed(e) : TACH_END;
}

static void
get_fixed(struct journal_entry *entry, const uint8_t *p, bool swap)
{
	struct head *h = &entry->head;

	entry->end = load_u64(p + ENTRY_END, swap);
	memcpy(entry->hash, p + ENTRY_DATA, sizeof(entry->hash));
	h->big_endian = cursor_swaps(swap);
	h->samples = load_u64(p + ENTRY_SAMPLES, swap);
	h->threads = load_u32(p + ENTRY_THREADS, swap);
	h->meta.start_us = load_u64(p + ENTRY_START, swap);
	h->meta.interval_us = load_u64(p + ENTRY_INTERVAL, swap);
	h->meta.config = load_u32(p + ENTRY_CONFIG, swap);
	h->layout = p[ENTRY_LAYOUT] == 1 ? TACH_LAYOUT_CPYTHON :
					   TACH_LAYOUT_EARLY;
	h->compression = p[ENTRY_COMPRESSION] == TACH_ZSTD ? TACH_ZSTD :
							     TACH_PLAIN;
	memcpy(h->meta.python, p + ENTRY_PYTHON, sizeof(h->meta.python));
	h->strings = load_u32(p + ENTRY_STRINGS, swap);
	h->frames = load_u32(p + ENTRY_FRAMES, swap);
}

int
journal_next(struct journal_in *n, struct journal_entry *entry, struct error *e)
{
	int res = n->at == 0 ? get_magic(n, e) : TACH_OK;

	*entry = (struct journal_entry){0};
	if (res == TACH_OK)
		res = get_block(n, &entry->block, e);
	if (res == TACH_OK)
		get_fixed(entry, entry->block->bytes, n->swap);
	return res;
}

int
journal_take(struct journal_in *n, struct journal_entry *entry,
    struct tach_table *t, struct error *e)
{
	struct journal_block *b = entry->block;
	struct tables tables = {
	    .bytes = b->bytes + ENTRY_TABLES, .size = b->size - ENTRY_TABLES,
	    .at = b->at + ENTRY_TABLES, .strings = entry->head.strings,
	    .frames = entry->head.frames, .frames_from = SIZE_MAX};
	struct tables_left left;

	n->at = b->at + b->size;
	b->next = n->blocks;
	n->blocks = b;
	entry->block = NULL;
	return tables_get(t, &tables, &left, e);
}

void
journal_drop(struct journal_entry *entry)
{
	free(entry->block);
	entry->block = NULL;
}

void
journal_close(struct journal_in *n)
{
	while (n->blocks != NULL) {
		struct journal_block *next = n->blocks->next;
		free(n->blocks);
		n->blocks = next;
	}
	n->at = 0;
}
