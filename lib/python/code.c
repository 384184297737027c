/* SPDX-License-Identifier: ISC */
/* code.c: see code.h. */
#include "python/code.h"

#include <stdlib.h>
#include <xxhash.h>

#include "python/held.h"
#include "python/traits.h"
#include "python/unicode.h"

/* Longer names and bytes objects are not believed. */
#define NAME_MAX_UNITS 65536
#define BYTES_MAX (64u << 20)

/* One part of a code object: a str or bytes object. */
struct code_part {
	uint64_t addr; /* of the object */
	struct py_text text;
	uint8_t *bytes; /* text.length units, read */
};

enum { NAME, FILENAME, LINES, BYTECODE, NPARTS };

/* From 3.11 on the code object itself holds its bytecode: one part less. */
static size_t
part_count(const struct py_offsets *o)
{
	return py_has(o->code_code) ? NPARTS : BYTECODE;
}

/* The address of the qualified name, or to 3.10 of the name. */
static uint64_t
name_of(const struct py_offsets *o, const uint8_t *head)
{
	return load_u64(head +
	    (py_has(o->code_qualname) ? o->code_qualname : o->code_name));
}

/* ---- fingerprint --------------------------------------------------------- */

static uint64_t
print_of(const struct py_offsets *o, const struct py_code *c,
    const struct code_check *k)
{
	const uint8_t *h = k->head;
	uint64_t words[] = {
		load_u64(h + o->object_type),
		load_u64(h + o->code_filename),
		load_u64(h + o->code_name),
		name_of(o, h),
		load_u64(h + o->code_linetable),
		load_u32(h + o->code_firstlineno),
		py_has(o->code_version) ? load_u32(h + o->code_version) : 0,
		py_has(o->code_code) ? load_u64(h + o->code_code) : 0,
	};
	uint64_t hash = XXH3_64bits(words, sizeof(words));

	for (size_t i = 0; i < c->nparts; i++)
		hash = XXH3_64bits_withSeed(k->parts[i], c->part_size[i], hash);
	return hash;
}

size_t
code_pieces(const struct py_offsets *o, const struct py_code *c,
    struct code_check *k, struct py_piece *pieces)
{
	pieces[0] = (struct py_piece){c->addr, o->code_size, k->head};
	for (size_t i = 0; i < c->nparts; i++)
		pieces[1 + i] = (struct py_piece){c->part_addr[i],
		    c->part_size[i], k->parts[i]};
	return 1 + c->nparts;
}

bool
code_check(const struct py_offsets *o, const struct py_code *c,
    const struct code_check *k)
{
	return print_of(o, c, k) == c->print;
}

/* Has the fingerprint cover the beginnings of the parts' contents: a code object
 * that is freed and made again often has the same addresses in it. */
static void
choose_parts(struct py_code *c, const struct code_part *parts)
{
	for (size_t i = 0; i < CODE_PARTS; i++) {
		size_t size = parts[i].text.length * parts[i].text.kind;
		c->part_addr[i] = parts[i].text.addr;
		c->part_size[i] = size < CODE_PART_MAX ? size : CODE_PART_MAX;
	}
	c->nparts = CODE_PARTS;
}

/* ---- reading ----------------------------------------------------------- */

static bool
find_text(const struct py_offsets *o, const struct py_memory *m,
    const uint8_t *head, struct code_part *p)
{
	struct py_text *t = &p->text;

	if (!unicode_text(o, p->addr, head, t) || t->length > NAME_MAX_UNITS)
		return false;
	return !t->indirect || py_read(m, t->addr, &t->addr, sizeof(t->addr));
}

static bool
find_bytes(const struct py_offsets *o, const uint8_t *head, struct code_part *p)
{
	p->text = (struct py_text){p->addr + o->bytes_data,
	    load_u64(head + o->bytes_length), 1, false};
	return p->text.length <= BYTES_MAX;
}

/* Finds where the texts of the parts lie, by their objects' heads. */
static bool
find_parts(const struct py_offsets *o, const struct py_memory *m,
    struct code_part *parts)
{
	uint8_t heads[NPARTS][PY_HEAD_MAX];
	struct py_piece pieces[NPARTS];
	size_t n = part_count(o);

	for (size_t i = 0; i < n; i++)
		pieces[i] = (struct py_piece){parts[i].addr,
		    i <= FILENAME ? o->unicode_ascii_size : o->bytes_data,
		    heads[i]};
	if (!m->read(m, pieces, n))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!(i <= FILENAME ? find_text(o, m, heads[i], &parts[i]) :
			find_bytes(o, heads[i], &parts[i])))
			return false;
	return true;
}

static bool
read_parts(const struct py_memory *m, struct code_part *parts, size_t n)
{
	struct py_piece pieces[NPARTS];

	for (size_t i = 0; i < n; i++) {
		size_t size = parts[i].text.length * parts[i].text.kind;
		if ((parts[i].bytes = malloc(size + 1)) == NULL)
			return false;
		pieces[i] = (struct py_piece){parts[i].text.addr, size,
		    parts[i].bytes};
	}
	return m->read(m, pieces, n);
}

static bool
make_name(const struct code_part *p, struct py_name *n)
{
	size_t length = p->text.length;

	if ((n->bytes = malloc(length * UTF8_MAX + 1)) == NULL)
		return false;
	n->len = unicode_utf8(p->bytes, length, p->text.kind, n->bytes);
	return true;
}

/* The bytes of a frame with its variables and its stack; 0: not known. */
static size_t
frame_size(const struct py_offsets *o, const uint8_t *head)
{
	if (!py_has(o->code_locals) || !py_has(o->code_stack_size))
		return 0;
	return o->slots_first + sizeof(uint64_t) *
	    ((size_t)load_u32(head + o->code_locals) +
		load_u32(head + o->code_stack_size));
}

static bool
make_code(const struct py_offsets *o, struct code_part *parts,
    const struct code_check *k, struct py_code *c)
{
	c->firstlineno = (int32_t)load_u32(k->head + o->code_firstlineno);
	c->frame_size = frame_size(o, k->head);
	if (py_has(o->code_locals))
		c->locals = load_u32(k->head + o->code_locals);
	c->lines_len = parts[LINES].text.length;
	c->lines = parts[LINES].bytes;
	c->units = py_has(o->code_code) ?
	    (int64_t)(parts[BYTECODE].text.length / 2) :
	    lines_units(c->lines, c->lines_len);
	parts[LINES].bytes = NULL;
	choose_parts(c, parts);
	return make_name(&parts[NAME], &c->name) &&
	    make_name(&parts[FILENAME], &c->file);
}

/* Goes from instruction to instruction, up to the first that is hidden by
 * another opcode: from there on nothing is known. */
static void
find_instructions(const struct py_offsets *o, const uint16_t *units,
    struct py_code *c)
{
	int64_t i;

	for (i = 0; i < c->units; i++) {
		uint8_t opcode = o->opcodes[units[i] & 0xff];
		if (opcode & PY_OPCODE_HIDES)
			break;
		c->leaves[i] = (opcode & PY_OPCODE_LEAVES) != 0;
		c->opcodes[i] = units[i] & 0xff;
		i += opcode & PY_OPCODE_CACHES;
	}
	c->known = i;
}

static bool
read_units(const struct py_offsets *o, const struct py_memory *m,
    const struct code_part *bytecode, struct py_code *c)
{
	size_t n = (size_t)c->units, size = n * sizeof(uint16_t);
	uint16_t *units = calloc(n + 1, sizeof(*units));
	bool ok = units != NULL &&
	    (c->leaves = calloc(n + 1, sizeof(*c->leaves))) != NULL &&
	    (c->opcodes = calloc(n + 1, sizeof(*c->opcodes))) != NULL;

	if (ok && bytecode->bytes != NULL)
		memcpy(units, bytecode->bytes, size);
	else if (ok)
		ok = py_read(m, c->addr + o->code_bytecode, units, size);

	if (ok)
		find_instructions(o, units, c);
	free(units);
	return ok;
}

/* Whether a code object has references; from 3.14 on the interpreter counts the ones that
 * it frees. */
static bool
is_held(const struct py_offsets *o, const uint8_t *head)
{
	return py_counts_codes(o) ||
	    held_by(o, head + o->object_type - held_size(o));
}

/* Makes the fingerprint of the memory that was read first, and checks it at the
 * end.  If the object is still held then, its version number tells as much as
 * its parts. */
static bool
still_same(const struct py_offsets *o, const struct py_memory *m,
    struct py_code *c, struct code_check *k, const struct code_part *parts)
{
	struct py_piece pieces[CODE_PIECES];
	struct code_check now;
	size_t n = code_pieces(o, c, &now, pieces);

	for (size_t i = 0; i < c->nparts; i++)
		memcpy(k->parts[i],
		    i == LINES ? c->lines : parts[i].bytes, c->part_size[i]);
	c->print = print_of(o, c, k);
	if (!m->read(m, pieces, n) || !code_check(o, c, &now))
		return false;
	c->held = is_held(o, now.head);
	c->version = py_has(o->code_version) ?
	    load_u32(now.head + o->code_version) : 0;
	if (c->held && c->version != 0) {
		c->nparts = 0;
		c->print = print_of(o, c, k);
	}
	return true;
}

static bool
is_code(const struct py_offsets *o, const struct py_memory *m,
    const uint8_t *head)
{
	uint64_t type = load_u64(head + o->object_type), name;
	char text[sizeof("code")];

	return py_read(m, type + o->type_name, &name, sizeof(name)) &&
	    py_read(m, name, text, sizeof(text)) &&
	    memcmp(text, "code", sizeof(text)) == 0;
}

bool
code_read(const struct py_offsets *o, const struct py_memory *m, uint64_t addr,
    struct py_code *c)
{
	struct code_part parts[NPARTS] = {0};
	struct code_check k;
	bool ok = false;

	*c = (struct py_code){.addr = addr};
	if (!py_read(m, addr, k.head, o->code_size) || !is_code(o, m, k.head))
		return false;
	parts[NAME].addr = name_of(o, k.head);
	parts[FILENAME].addr = load_u64(k.head + o->code_filename);
	parts[LINES].addr = load_u64(k.head + o->code_linetable);
	if (py_has(o->code_code))
		parts[BYTECODE].addr = load_u64(k.head + o->code_code);
	if (find_parts(o, m, parts) && read_parts(m, parts, part_count(o)))
		ok = make_code(o, parts, &k, c) &&
		    read_units(o, m, &parts[BYTECODE], c) &&
		    still_same(o, m, c, &k, parts);
	for (size_t i = 0; i < NPARTS; i++)
		free(parts[i].bytes);
	if (!ok)
		code_free(c);
	return ok;
}

void
code_free(struct py_code *c)
{
	free(c->name.bytes);
	free(c->file.bytes);
	free(c->lines);
	free(c->leaves);
	free(c->opcodes);
	free(c->calls);
	*c = (struct py_code){0};
}

/* The code unit of an instruction pointer.  -1, before the first unit: the
 * function has not begun. */
static int64_t
unit_of(const struct py_offsets *o, const struct py_code *c, uint64_t instr)
{
	int64_t off = (int64_t)(instr - (c->addr + o->code_bytecode));

	return off < 0 ? off / 2 - (off % 2 != 0) : off / 2;
}

bool
code_allows(const struct py_offsets *o, const struct py_code *c,
    uint64_t instr, bool calls)
{
	int64_t unit = unit_of(o, c, instr);

	if (unit < (calls ? 0 : -1) || unit >= c->units)
		return false;
	return !calls || !c->leaves[unit];
}

/* The first unit of the instruction that has this unit, which may be a cache:
 * to 3.12 a frame that calls is at the last cache. */
static int64_t
first_unit(const struct py_code *c, int64_t unit)
{
	int64_t first = unit;

	while (first > 0 && first < c->known && c->opcodes[first] == 0 &&
	    unit - first < PY_OPCODE_CACHES)
		first--;
	return first;
}

int64_t
code_unit(const struct py_offsets *o, const struct py_code *c, uint64_t instr)
{
	int64_t unit = unit_of(o, c, instr);

	return unit > 0 && unit < c->units ? first_unit(c, unit) : unit;
}

uint8_t
code_opcode(const struct py_offsets *o, const struct py_memory *m,
    const struct py_code *c, uint64_t instr)
{
	int64_t unit = unit_of(o, c, instr);
	uint8_t was, now;

	if (unit < 0 || unit >= c->units)
		return NO_OPCODE;
	unit = first_unit(c, unit);
	was = unit < c->known ? c->opcodes[unit] : NO_OPCODE;
	if (!py_changes_opcodes(o))
		return was;
	if (!py_read(m, c->addr + o->code_bytecode + 2 * (uint64_t)unit, &now,
		sizeof(now)))
		return was;
	/* Another number of caches: another code object is here by now. */
	return was == NO_OPCODE || (o->opcodes[now] & PY_OPCODE_HIDES) ||
	    o->opcodes[now] == o->opcodes[was] ? now : was;
}

bool
code_locate(const struct py_offsets *o, const struct py_code *c,
    uint64_t instr, struct py_location *l)
{
	return lines_find(o->lines, c->lines, c->lines_len,
	    c->firstlineno, unit_of(o, c, instr), l);
}
