/* SPDX-License-Identifier: ISC */
/* tables.c: the tables of strings and frames; see tables.h. */
#include "format/tables.h"

#include <inttypes.h>

#include "format/cursor.h"
#include "format/layout.h"
#include "format/metanotes.h"
#include "table.h"

/* A table that is being read. */
struct table_part {
	struct cursor cur;
	const uint8_t *bytes;
	uint64_t at; /* of the bytes in the file */
	struct tach_table *table;
	struct error *error;
	const char *what; /* "string" */
	uint32_t index, count;
};

static uint64_t
offset(const struct table_part *p)
{
	return p->at + (uint64_t)(p->cur.pos - p->bytes);
}

static int
bad_entry_number(struct table_part *p, const char *field,
    enum cursor_result res)
{
	return error_set(p->error, TACH_EDAMAGED, "byte %" PRIu64
	    ": %s of %s %" PRIu32 " of %" PRIu32 " %s", offset(p), field,
	    p->what, p->index, p->count, res == CURSOR_SHORT ?
		"does not end before the table does" : "is out of range");
}

static int
table_no_memory(struct table_part *p)
{
	return error_set(p->error, TACH_ENOMEM, "out of memory for %" PRIu32
	    " %ss", p->count, p->what);
}

static int
get_string(struct table_part *p)
{
	const uint8_t *start = p->cur.pos;
	uint64_t len, end = offset(p) + cursor_left(&p->cur);
	enum cursor_result res = cursor_varint(&p->cur, &len);

	if (res != CURSOR_OK)
		return bad_entry_number(p, "length", res);
	if (len > cursor_left(&p->cur)) {
		p->cur.pos = start;
		return error_set(p->error, TACH_EDAMAGED, "byte %" PRIu64
		    ": string %" PRIu32 " of %" PRIu32 " has %" PRIu64
		    " bytes, but its table ends at byte %" PRIu64, offset(p),
		    p->index, p->count, len, end);
	}
	if (!table_load_string(p->table, (const char *)p->cur.pos,
		(size_t)len))
		return table_no_memory(p);
	p->cur.pos += len;
	return TACH_OK;
}

/* Reads a frame's reference to a string. */
static int
get_reference(struct table_part *p, const char *field, uint32_t *index)
{
	const uint8_t *start = p->cur.pos;
	uint32_t strings = tach_table_string_count(p->table);
	enum cursor_result res = cursor_varint32(&p->cur, index);

	if (res != CURSOR_OK)
		return bad_entry_number(p, field, res);
	if (*index < strings)
		return TACH_OK;
	p->cur.pos = start;
	return error_set(p->error, TACH_EDAMAGED,
	    "byte %" PRIu64 ": %s of frame "
	    "%" PRIu32 " is string %" PRIu32 ", but there are %" PRIu32
	    " strings",
	    offset(p), field, p->index, *index, strings);
}

/* Reads a position and its end.  The end is relative to the position, unless
 * that is not known. */
static int
get_span(struct table_part *p, const char *field, int32_t *at,
    const char *end_field, int32_t *end)
{
	enum cursor_result res = cursor_zigzag32(&p->cur, 0, at);

	if (res != CURSOR_OK)
		return bad_entry_number(p, field, res);
	res = cursor_zigzag32(&p->cur, *at, end);
	if (res != CURSOR_OK)
		return bad_entry_number(p, end_field, res);
	if (*at == -1)
		*end = -1;
	return TACH_OK;
}

static int
get_table_frame(struct table_part *p)
{
	struct tach_frame f;

	if (get_reference(p, "file name", &f.file) != TACH_OK ||
	    get_reference(p, "function name", &f.func) != TACH_OK ||
	    get_span(p, "line", &f.line, "end line", &f.end_line) != TACH_OK ||
	    get_span(p, "column", &f.column, "end column",
		&f.end_column) != TACH_OK)
		return TACH_FATAL;
	if (!cursor_has(&p->cur, 1))
		return bad_entry_number(p, "opcode", CURSOR_SHORT);
	f.opcode = cursor_u8(&p->cur);
	return table_load_frame(p->table, &f) ? TACH_OK : table_no_memory(p);
}

/* Reads count entries of at least min bytes each. */
static int
get_part(struct table_part *p, size_t min, int (*get)(struct table_part *))
{
	if (p->count > cursor_left(&p->cur) / min)
		return error_set(p->error, TACH_EDAMAGED, "the footer counts "
		    "%" PRIu32 " %ss, more than the %zu bytes of their table "
		    "can hold", p->count, p->what, cursor_left(&p->cur));
	if (p->count > TABLE_ENTRIES_MAX)
		return error_set(p->error, TACH_ELIMIT, "the footer counts "
		    "%" PRIu32 " %ss; more than %" PRIu32 " are not read",
		    p->count, p->what, TABLE_ENTRIES_MAX);
	for (p->index = 0; p->index < p->count; p->index++)
		if (get(p) != TACH_OK)
			return TACH_FATAL;
	return TACH_OK;
}

int
tables_get(struct tach_table *t, const struct tables *tables,
    struct tables_left *left, struct error *e)
{
	const uint8_t *bytes = tables->bytes, *end = bytes + tables->size;
	bool apart = tables->frames_from != SIZE_MAX;
	struct table_part p = {
	    .cur = {bytes, apart ? bytes + tables->frames_from : end, false},
	    .bytes = bytes, .at = tables->at, .table = t, .error = e,
	    .what = "string", .count = tables->strings};

	if (get_part(&p, 1, get_string) != TACH_OK)
		return TACH_FATAL;
	left->strings = apart ? cursor_left(&p.cur) : 0;
	if (apart)
		p.cur.pos = p.cur.end;
	p.cur.end = end;
	p.what = "frame";
	p.count = tables->frames;
	if (get_part(&p, FRAME_ENTRY_MIN, get_table_frame) != TACH_OK)
		return TACH_FATAL;
	left->frames = cursor_left(&p.cur);
	return TACH_OK;
}

/* ---- writing ------------------------------------------------------------ */

static void
put_varint(struct buf *b, uint64_t v)
{
	char *p = buf_reserve(b, VARINT_MAX);

	if (p != NULL)
		b->len += (size_t)(varint_put((uint8_t *)p, v) -
		    (uint8_t *)p);
}

void
string_put(struct buf *b, struct tach_string s)
{
	put_varint(b, s.len);
	buf_add(b, s.bytes, s.len);
}

static void
put_span(struct buf *b, int32_t at, int32_t end)
{
	put_varint(b, zigzag_fold(at));
	put_varint(b, at == -1 ? 0 :
	    zigzag_fold((int64_t)end - (int64_t)at));
}

void
frame_put(struct buf *b, const struct tach_frame *f)
{
	put_varint(b, f->file);
	put_varint(b, f->func);
	put_span(b, f->line, f->end_line);
	put_span(b, f->column, f->end_column);
	buf_add_char(b, (char)f->opcode);
}

/* Writes an entry. */
static int
write_entry(struct zout *z, struct buf *b)
{
	int res = b->failed ?
	    error_memory(z->error) :
	    zout_write(z, b->text, b->len);

	b->len = 0;
	return res;
}

static int
put_table_strings(struct zout *z, struct buf *b, const struct tach_table *t,
    struct head *h)
{
	int res = TACH_OK;

	h->strings = tach_table_string_count(t);
	for (uint32_t i = 0; i < h->strings && res == TACH_OK; i++) {
		string_put(b, tach_table_string(t, i));
		res = write_entry(z, b);
	}
	if (res != TACH_OK || h->layout == TACH_LAYOUT_CPYTHON)
		return res;
	h->strings += metanotes_put(b, &h->meta);
	return write_entry(z, b);
}

int
tables_put(struct zout *z, const struct tach_table *t, struct head *h)
{
	struct buf b = {0};
	int res;

	h->strings_at = zout_offset(z);
	res = put_table_strings(z, &b, t, h);
	h->frames_at = zout_offset(z);
	h->frames = tach_table_frame_count(t);
	for (uint32_t i = 0; i < h->frames && res == TACH_OK; i++) {
		frame_put(&b, tach_table_frame(t, i));
		res = write_entry(z, &b);
	}
	buf_clear(&b);
	return res;
}
