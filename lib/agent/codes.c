/* SPDX-License-Identifier: ISC */
/* codes.c: see codes.h. */
#include "agent/codes.h"

#include "agent/print.h"
#include "agent/ring.h"
#include "python/code.h"
#include "python/frames.h"
#include "python/unicode.h"

#define BYTES_MAX (UINT64_C(16) << 20) /* more bytes are not believed */

/* Where a part of a code object lies. */
struct code_bytes {
	const uint8_t *bytes;
	size_t size;
};

void
codes_clear(struct code_table *c)
{
	memset(c->index, 0, sizeof(c->index));
	c->count = 0;
	c->changed = true;
}

static uint32_t
slot_of(uint64_t addr)
{
	return (uint32_t)(addr * UINT64_C(0x9e3779b97f4a7c15) >> 32) %
	    CODES_INDEX;
}

/* The entry of an address, a new one if there was none.  NULL if all are
 * taken. */
static struct code_entry *
find(struct code_table *c, uint64_t addr)
{
	uint32_t i = slot_of(addr);

	for (; c->index[i] != 0; i = (i + 1) % CODES_INDEX)
		if (c->entries[c->index[i] - 1].addr == addr)
			return &c->entries[c->index[i] - 1];
	if (c->count == WIRE_CODES)
		return NULL;
	c->index[i] = (uint16_t)(c->count + 1);
	c->entries[c->count] = (struct code_entry){.addr = addr};
	return &c->entries[c->count++];
}

/* ---- records --------------------------------------------------------------- */

static bool
find_text(const struct py_offsets *o, struct self_view *v, uint64_t addr,
    struct wire_text *text, struct code_bytes *part)
{
	const uint8_t *p = view_at(&v->view, addr, o->unicode_ascii_size);
	struct py_text t;

	if (p == NULL || !unicode_text(o, addr, p, &t))
		return false;
	if (t.indirect) {
		if ((p = view_at(&v->view, t.addr, sizeof(t.addr))) == NULL)
			return false;
		t.addr = load_u64(p);
	}
	text->cut = t.length > WIRE_TEXT_MAX;
	text->length = (uint32_t)(text->cut ? WIRE_TEXT_MAX : t.length);
	text->kind = (uint8_t)t.kind;
	part->size = text->length * (size_t)t.kind;
	if (part->size == 0)
		return true;
	part->bytes = view_at(&v->view, t.addr, part->size);
	if (part->bytes == NULL)
		return false;
	text->ascii = 1;
	for (size_t i = 0; i < part->size && text->ascii; i++)
		text->ascii = part->bytes[i] < 0x80;
	return true;
}

static bool
find_bytes(const struct py_offsets *o, struct self_view *v, uint64_t addr,
    struct code_bytes *part)
{
	const uint8_t *p = view_at(&v->view, addr, o->bytes_data);

	if (p == NULL)
		return false;
	part->size = load_u64(p + o->bytes_length);
	if (part->size > BYTES_MAX)
		return false;
	if (part->size == 0)
		return true;
	part->bytes = view_at(&v->view, addr + o->bytes_data, part->size);
	return part->bytes != NULL;
}

/* Counts the code units of a code object.  False if the bytecode cannot be
 * read. */
static bool
find_units(const struct py_offsets *o, struct self_view *v,
    const uint8_t *code, const struct code_bytes *lines, uint32_t *units)
{
	struct code_bytes bytecode = {0};

	if (!py_has(o->code_code))
		*units = (uint32_t)lines_units(lines->bytes, lines->size);
	else if (find_bytes(o, v, load_u64(code + o->code_code), &bytecode))
		*units = (uint32_t)(bytecode.size / 2);
	else
		return false;
	return true;
}

static bool
put(struct wire_area *area, struct wire_code *r, const struct code_bytes *name,
    const struct code_bytes *file, const struct code_bytes *lines)
{
	static const uint8_t zeros[8];
	size_t size = sizeof(*r) + name->size + file->size + r->lines;
	struct ring_piece pieces[] = {{r, sizeof(*r)},
	    {name->bytes, name->size}, {file->bytes, file->size},
	    {lines->bytes, r->lines}, {zeros, -size % 8}};

	r->record = (struct wire_record){(uint32_t)(size + -size % 8),
	    WIRE_CODE};
	return ring_put(area, pieces, sizeof(pieces) / sizeof(*pieces));
}

/* Fills in an entry by the code object at its address, and puts its record into
 * the ring.  code: the bytes of the code object. */
static enum codes_result
send(const struct py_offsets *o, struct self_view *v, struct wire_area *area,
    const uint8_t *code, uint32_t number, struct code_entry *e)
{
	struct wire_code r = {.addr = e->addr, .print = e->print,
	    .number = number,
	    .firstlineno = (int32_t)load_u32(code + o->code_firstlineno)};
	struct code_bytes name = {0}, file = {0}, lines = {0};

	if (!find_text(o, v, load_u64(code + (py_has(o->code_qualname) ?
		o->code_qualname : o->code_name)), &r.name, &name) ||
	    !find_text(o, v, load_u64(code + o->code_filename), &r.file,
		&file) ||
	    !find_bytes(o, v, load_u64(code + o->code_linetable), &lines) ||
	    !find_units(o, v, code, &lines, &e->units))
		return CODES_BAD;
	e->shim = frame_is_shim(o, (const char *)name.bytes, name.size,
	    (const char *)file.bytes, file.size);
	r.lines = lines.size <= WIRE_LINES_MAX ? (uint32_t)lines.size : 0;
	r.units = e->units * 2;
	e->sent = put(area, &r, &name, &file, &lines);
	return e->sent ? CODES_OK : CODES_NO_ROOM;
}

/* ---- numbers --------------------------------------------------------------- */

static bool
is_type_of_code(const struct py_offsets *o, struct self_view *v, uint64_t type)
{
	static const char name[] = "code";
	const uint8_t *p = view_at(&v->view, type + o->type_name, 8);

	p = p != NULL ? view_at(&v->view, load_u64(p), sizeof(name)) : NULL;
	return p != NULL && memcmp(p, name, sizeof(name)) == 0;
}

static bool
is_code(struct code_table *c, const struct py_offsets *o, struct self_view *v,
    const uint8_t *code)
{
	uint64_t type = load_u64(code + o->object_type);

	if (c->type == 0 && is_type_of_code(o, v, type))
		c->type = type;
	return type != 0 && type == c->type;
}

enum codes_result
codes_number(struct code_table *c, const struct py_offsets *o,
    struct self_view *v, struct wire_area *area, uint64_t addr,
    uint32_t *number)
{
	const uint8_t *code = view_at(&v->view, addr, o->code_size);
	struct code_entry *e;
	uint64_t print;

	if (code == NULL || addr % sizeof(void *) != 0 ||
	    !is_code(c, o, v, code) || !print_code(o, &v->view, addr, &print))
		return CODES_BAD;
	if ((e = find(c, addr)) == NULL)
		return CODES_FULL;
	*number = (uint32_t)(e - c->entries);
	if (e->sent && e->print == print)
		return CODES_OK;
	c->changed |= e->print != 0;
	e->print = print;
	e->sent = false;
	return send(o, v, area, code, *number, e);
}
