/* SPDX-License-Identifier: ISC */
/*
 * file.c: a complete TACH file as a source.  Header, footer and tables are
 * checked and taken at once, the records one by one.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "format/decode.h"
#include "format/head.h"
#include "format/layout.h"
#include "format/metanotes.h"
#include "format/source.h"
#include "format/tables.h"
#include "io.h"

#define CHECK_SIZE (256 << 10) /* bytes hashed at once */

struct file {
	struct source source;
	struct source_input *input;
	const struct origin *from;
	uint64_t size;
	struct head head;
	uint8_t *tables; /* NULL: they are not in memory of their own */
	struct decoder *decoder;
	bool odd; /* as the input's warning says */
};

/* Reads so many bytes, all of which the file had when it was opened. */
static int
read_at(struct file *f, void *bytes, size_t n, uint64_t at)
{
	ssize_t got = origin_read_at(f->from, bytes, n, at);

	if (got == (ssize_t)n)
		return TACH_OK;
	if (got < 0)
		return error_set(&f->input->error, error_code(errno),
		    "byte %" PRIu64 ": cannot read: %s", at, strerror(errno));
	return error_set(&f->input->error, TACH_ETRUNCATED, "byte %" PRIu64
	    ": the file has become shorter", at + (uint64_t)got);
}

static int
load_head(struct file *f)
{
	uint8_t head[HEAD_SIZE], foot[FOOT_SIZE];
	size_t n = f->size < HEAD_SIZE ? (size_t)f->size : HEAD_SIZE;

	if (read_at(f, head, n, 0) != TACH_OK ||
	    head_get(&f->head, head, n, f->size, &f->input->error) !=
	    TACH_OK ||
	    read_at(f, foot, FOOT_SIZE, f->size - FOOT_SIZE) != TACH_OK)
		return TACH_FATAL;
	return foot_get(&f->head, foot, f->size, &f->input->error);
}

/* Bytes between a table's last entry and its end. */
static void
remark_left(struct file *f, const char *table, uint64_t end, size_t left)
{
	if (left == 0)
		return;
	f->odd = true;
	error_add(&f->input->warning, TACH_WARN, "byte %" PRIu64
	    ": %zu unknown bytes after the %s table are passed over",
	    end - left, left, table);
}

static int
read_tables(struct file *f, size_t size)
{
	if ((f->tables = malloc(size + 1)) == NULL)
		return error_memory(&f->input->error);
	return read_at(f, f->tables, size, f->head.strings_at);
}

/* The strings stay where they are read to, or lie in memory. */
static int
load_tables(struct file *f)
{
	const struct head *h = &f->head;
	struct error *e = &f->input->error;
	struct tach_meta *meta = &f->input->meta;
	struct tables_left left;
	size_t stat;
	struct tables tables = {.at = h->strings_at, .strings = h->strings,
	    .frames = h->frames,
	    .frames_from = (size_t)(h->frames_at - h->strings_at)};
	uint64_t end = f->size - FOOT_SIZE, size = end - h->strings_at;

	if (size > TABLES_SIZE_MAX)
		return error_set(e, TACH_ELIMIT, "the tables from byte %" PRIu64
		    " on have %" PRIu64 " bytes; more than %" PRIu64
		    " are not read", h->strings_at, size, TABLES_SIZE_MAX);
	tables.bytes = origin_view(f->from, (size_t)size, h->strings_at);
	if (tables.bytes == NULL && read_tables(f, (size_t)size) != TACH_OK)
		return TACH_FATAL;
	if (tables.bytes == NULL)
		tables.bytes = f->tables;
	tables.size = (size_t)size;
	if (tables_get(f->input->table, &tables, &left, e) != TACH_OK)
		return TACH_FATAL;
	stat = stat_get(&meta->quality, tables.bytes + (size - left.frames),
	    left.frames, h->big_endian);
	if (h->layout == TACH_LAYOUT_EARLY)
		metanotes_get(meta, f->input->table);
	remark_left(f, "string", h->frames_at, left.strings);
	remark_left(f, "frame", end - stat, left.frames - stat);
	return TACH_OK;
}

static void
fill_info(struct file *f)
{
	struct tach_file_info *info = &f->input->info;

	f->input->meta = f->head.meta;
	f->input->meta.size = sizeof(f->input->meta);
	*info = head_info(&f->head);
	info->file_size = f->size;
	info->data_size = f->head.strings_at - HEAD_SIZE;
}

static int
file_next(struct source *source, struct tach_run *run)
{
	return decoder_next(((struct file *)source)->decoder, run);
}

static int
hash_range(struct file *f, XXH3_state_t *state, uint64_t from, uint64_t to,
    uint8_t *buf)
{
	while (from < to) {
		size_t n = to - from < CHECK_SIZE ? (size_t)(to - from) :
						    CHECK_SIZE;
		if (read_at(f, buf, n, from) != TACH_OK)
			return TACH_FATAL;
		XXH3_128bits_update(state, buf, n);
		from += n;
	}
	return TACH_OK;
}

/* The header comes last, as it does when a file is written. */
static int
compare_hash(struct file *f, XXH3_state_t *state, uint8_t *buf)
{
	uint64_t check = f->size - FOOT_SIZE + FOOT_CHECK;
	XXH128_canonical_t got;

	XXH3_128bits_reset(state);
	if (hash_range(f, state, HEAD_SIZE, check, buf) != TACH_OK ||
	    hash_range(f, state, 0, HEAD_SIZE, buf) != TACH_OK)
		return TACH_FATAL;
	XXH128_canonicalFromHash(&got, XXH3_128bits_digest(state));
	if (memcmp(got.digest, f->head.check, sizeof(f->head.check)) == 0)
		return TACH_OK;
	return error_set(&f->input->error, TACH_EDAMAGED,
	    "damaged: its bytes do "
	    "not have the checksum at byte %" PRIu64,
	    check);
}

static int
check_hash(struct file *f)
{
	XXH3_state_t *state;
	uint8_t *buf;
	int res;

	if (!f->input->info.has_checksum)
		return TACH_OK;
	state = XXH3_createState();
	buf = malloc(CHECK_SIZE);
	res = state != NULL && buf != NULL ? compare_hash(f, state, buf) :
	    error_memory(&f->input->error);
	XXH3_freeState(state);
	free(buf);
	return res;
}

/* Whether it keeps the rules that reading does not depend on. */
static int
check_rules(struct file *f)
{
	if (f->odd)
		return error_warn(&f->input->error, TACH_EDAMAGED, "%s",
		    f->input->warning.text);
	if (f->head.reserved_at != 0)
		return error_warn(&f->input->error, TACH_EDAMAGED, "byte %u is "
		    "reserved, and not 0", f->head.reserved_at);
	return decoder_check(f->decoder);
}

static int
file_check(struct source *source)
{
	struct file *f = (struct file *)source;

	return check_hash(f) == TACH_OK ? check_rules(f) : TACH_FATAL;
}

static void
file_free(struct source *source)
{
	struct file *f = (struct file *)source;

	decoder_free(f->decoder);
	free(f->tables);
	free(f);
}

static int
load_file(struct file *f)
{
	if (load_head(f) != TACH_OK)
		return TACH_FATAL;
	fill_info(f);
	if (load_tables(f) != TACH_OK)
		return TACH_FATAL;
	f->decoder =
	    decoder_new(f->input, f->from, &f->head, f->head.strings_at, false);
	if (f->decoder == NULL)
		return error_memory(&f->input->error);
	return TACH_OK;
}

struct source *
file_source(struct source_input *input, const struct origin *from,
    uint64_t size)
{
	struct file *f = calloc(1, sizeof(*f));

	if (f == NULL) {
		error_memory(&input->error);
		return NULL;
	}
	f->source = (struct source){file_next, NULL, file_check, file_free};
	f->input = input;
	f->from = from;
	f->size = size;
	if (load_file(f) == TACH_OK)
		return &f->source;
	file_free(&f->source);
	return NULL;
}
