/* SPDX-License-Identifier: ISC */
/* tables.c: the tables of strings and frames; see tables.h. */
#include "format/tables.h"

#include <inttypes.h>

#include "format/cursor.h"
#include "format/layout.h"
#include "table.h"

/* One table while it is read. */
struct part {
	struct cursor cur;
	const uint8_t *file;
	const struct head *head;
	struct tach_table *table;
	struct error *error;
	const char *what; /* "string" */
	uint32_t index, count;
};

static uint64_t
offset(const struct part *p)
{
	return (uint64_t)(p->cur.pos - p->file);
}

static int
bad_number(struct part *p, const char *field, enum cursor_result res)
{
	return error_set(p->error, TACH_FATAL, "byte %" PRIu64
	    ": %s of %s %" PRIu32 " of %" PRIu32 " %s", offset(p), field,
	    p->what, p->index, p->count, res == CURSOR_SHORT ?
		"does not end before the table does" : "is out of range");
}

static int
no_memory(struct part *p)
{
	return error_set(p->error, TACH_FATAL, "out of memory for %" PRIu32
	    " %ss", p->count, p->what);
}

static int
get_string(struct part *p)
{
	const uint8_t *start = p->cur.pos;
	uint64_t len;
	enum cursor_result res = cursor_varint(&p->cur, &len);

	if (res != CURSOR_OK)
		return bad_number(p, "length", res);
	if (len > cursor_left(&p->cur)) {
		p->cur.pos = start;
		return error_set(p->error, TACH_FATAL, "byte %" PRIu64
		    ": string %" PRIu32 " of %" PRIu32 " has %" PRIu64
		    " bytes, but its table ends at byte %" PRIu64, offset(p),
		    p->index, p->count, len,
		    (uint64_t)(p->cur.end - p->file));
	}
	if (!table_load_string(p->table, (const char *)p->cur.pos,
		(size_t)len))
		return no_memory(p);
	p->cur.pos += len;
	return TACH_OK;
}

/* A frame's reference to a string. */
static int
get_reference(struct part *p, const char *field, uint32_t *index)
{
	const uint8_t *start = p->cur.pos;
	enum cursor_result res = cursor_varint32(&p->cur, index);

	if (res != CURSOR_OK)
		return bad_number(p, field, res);
	if (*index < p->head->strings)
		return TACH_OK;
	p->cur.pos = start;
	return error_set(p->error, TACH_FATAL, "byte %" PRIu64 ": %s of frame "
	    "%" PRIu32 " is string %" PRIu32 ", but there are %" PRIu32
	    " strings", offset(p), field, p->index, *index, p->head->strings);
}

/* A position and the end of what stands there: the latter is counted from
 * the former, unless that is not known. */
static int
get_span(struct part *p, const char *field, int32_t *at, const char *end_field,
    int32_t *end)
{
	enum cursor_result res = cursor_zigzag32(&p->cur, 0, at);

	if (res != CURSOR_OK)
		return bad_number(p, field, res);
	res = cursor_zigzag32(&p->cur, *at, end);
	if (res != CURSOR_OK)
		return bad_number(p, end_field, res);
	if (*at == -1)
		*end = -1;
	return TACH_OK;
}

static int
get_frame(struct part *p)
{
	struct tach_frame f;

	if (get_reference(p, "file name", &f.file) != TACH_OK ||
	    get_reference(p, "function name", &f.func) != TACH_OK ||
	    get_span(p, "line", &f.line, "end line", &f.end_line) != TACH_OK ||
	    get_span(p, "column", &f.column, "end column",
		&f.end_column) != TACH_OK)
		return TACH_FATAL;
	if (!cursor_has(&p->cur, 1))
		return bad_number(p, "opcode", CURSOR_SHORT);
	f.opcode = cursor_u8(&p->cur);
	return table_load_frame(p->table, &f) ? TACH_OK : no_memory(p);
}

/* Reads count entries of at least min bytes each, which must be all that
 * there is. */
static int
get_part(struct part *p, size_t min, int (*get)(struct part *))
{
	if (p->count > cursor_left(&p->cur) / min)
		return error_set(p->error, TACH_FATAL, "the footer counts "
		    "%" PRIu32 " %ss, more than the %zu bytes of their table "
		    "can hold", p->count, p->what, cursor_left(&p->cur));
	for (p->index = 0; p->index < p->count; p->index++)
		if (get(p) != TACH_OK)
			return TACH_FATAL;
	if (cursor_has(&p->cur, 1))
		return error_set(p->error, TACH_FATAL, "byte %" PRIu64
		    ": %zu bytes are left over after the last of %" PRIu32
		    " %ss", offset(p), cursor_left(&p->cur), p->count,
		    p->what);
	return TACH_OK;
}

int
tables_get(struct tach_table *t, const uint8_t *file, const struct head *h,
    struct error *e)
{
	struct part strings = {
	    .cur = {file + h->strings_at, file + h->frames_at, false},
	    .file = file, .head = h, .table = t, .error = e,
	    .what = "string", .count = h->strings};
	struct part frames = {
	    .cur = {file + h->frames_at, file + h->frames_end, false},
	    .file = file, .head = h, .table = t, .error = e,
	    .what = "frame", .count = h->frames};

	if (get_part(&strings, 1, get_string) != TACH_OK)
		return TACH_FATAL;
	return get_part(&frames, FRAME_ENTRY_MIN, get_frame);
}

static int
put_string(struct zout *z, struct tach_string s)
{
	uint8_t *p = zout_put(z, VARINT_MAX);

	if (p == NULL)
		return TACH_FATAL;
	zout_put_end(z, varint_put(p, s.len));
	return zout_write(z, s.bytes, s.len);
}

static uint8_t *
put_span(uint8_t *p, int32_t at, int32_t end)
{
	p = varint_put(p, zigzag_fold(at));
	return varint_put(p, at == -1 ? 0 :
	    zigzag_fold((int64_t)end - (int64_t)at));
}

static int
put_frame(struct zout *z, const struct tach_frame *f)
{
	uint8_t *p = zout_put(z, FRAME_ENTRY_MAX);

	if (p == NULL)
		return TACH_FATAL;
	p = varint_put(p, f->file);
	p = varint_put(p, f->func);
	p = put_span(p, f->line, f->end_line);
	p = put_span(p, f->column, f->end_column);
	*p++ = f->opcode;
	zout_put_end(z, p);
	return TACH_OK;
}

int
tables_put(struct zout *z, const struct tach_table *t, struct head *h)
{
	h->strings_at = zout_offset(z);
	h->strings = tach_table_strings(t);
	for (uint32_t i = 0; i < h->strings; i++)
		if (put_string(z, tach_table_string(t, i)) != TACH_OK)
			return TACH_FATAL;
	h->frames_at = zout_offset(z);
	h->frames = tach_table_frames(t);
	for (uint32_t i = 0; i < h->frames; i++)
		if (put_frame(z, tach_table_frame(t, i)) != TACH_OK)
			return TACH_FATAL;
	return TACH_OK;
}
