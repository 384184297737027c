/* SPDX-License-Identifier: ISC */
/* calls.c: see calls.h. */
#include "python/calls.h"

#include <stdlib.h>

#include "python/copies.h"
#include "python/traits.h"

#define LOOK_FRAMES 64
#define HANDLERS_MAX (1u << 20) /* bytes: a longer table is not believed */

/* ---- the calls of a code object ------------------------------------------ */

/* The bytecode of a code object, and the table of its handlers (from 3.11 on). */
struct bytecode {
	uint16_t *units;
	bool *traced; /* by code unit: another opcode stood there; or NULL */
	uint8_t *handlers;
	size_t handlers_len;
};

static void
bytecode_free(struct bytecode *b)
{
	free(b->units);
	free(b->traced);
	free(b->handlers);
}

/* ---- opcodes behind those of tracers ------------------------------------------ */

/* Sizes of a line's entry, in bytes.  To 3.13.1 it is the one, and the table has nothing
 * else; later it is one from the one to the other, and the first byte of the table. */
#define ENTRY_MIN 2
#define ENTRY_MAX 5

/* Whether the unit is no instruction of its own: it has a tracer or a monitor told of a
 * line or of itself first, or belongs to the instruction before. */
static bool
is_covered(const struct py_effects *e, uint16_t unit)
{
	return (e->opcodes[unit & 0xff].flow & PY_FLOW_KNOWN) == 0;
}

/* Reads bytes of a table that a code object's monitoring has: those at a multiple of
 * `size`, one for each code unit.  NULL if memory is lacking or ran out. */
static uint8_t *
read_table(const struct py_memory *m, uint64_t addr, size_t n, size_t size)
{
	uint8_t *table = malloc(n * size + 1);

	if (table == NULL || !py_read(m, addr, table, n * size)) {
		free(table);
		return NULL;
	}
	for (size_t i = 0; i < n; i++)
		table[i] = table[i * size];
	return table;
}

/* The opcodes of the instructions that begin lines.  In a table without a size, the first
 * byte is the opcode of a code object's first instruction, which is none of these numbers,
 * or 0.  NULL likewise. */
static uint8_t *
read_lines(const struct py_memory *m, uint64_t lines, size_t n)
{
	uint8_t size;

	if (!py_read(m, lines, &size, sizeof(size)))
		return NULL;
	return size >= ENTRY_MIN && size <= ENTRY_MAX ?
	    read_table(m, lines + sizeof(size), n, size) :
	    read_table(m, lines, n, ENTRY_MIN);
}

/* Puts the opcodes of a table in the places of those that cover them. */
static void
uncover(const struct py_effects *e, const uint8_t *opcodes, size_t n,
    struct bytecode *b)
{
	for (size_t i = 0; i < n; i++)
		if (is_covered(e, b->units[i]) && opcodes[i] != 0) {
			b->units[i] = (uint16_t)((b->units[i] & 0xff00) | opcodes[i]);
			b->traced[i] = true;
		}
}

/* From 3.12 on: another opcode covers that of an instruction of which a tracer or a
 * monitor is told, or at which a line begins.  False if memory is lacking or ran out. */
static bool
uncover_all(const struct py_calls *p, uint64_t code, size_t n, struct bytecode *b)
{
	const struct py_offsets *o = p->offsets;
	const struct py_memory *m = p->memory;
	uint64_t data, lines, opcodes;
	uint8_t *table = NULL;

	if (!py_has(o->code_monitoring))
		return true;
	if (!py_read(m, code + o->code_monitoring, &data, sizeof(data)))
		return false;
	if (data == 0)
		return true;
	if (!py_read(m, data + o->monitoring_lines, &lines, sizeof(lines)) ||
	    !py_read(m, data + o->monitoring_opcodes, &opcodes, sizeof(opcodes)) ||
	    (b->traced = calloc(n + 1, sizeof(*b->traced))) == NULL ||
	    (lines != 0 && (table = read_lines(m, lines, n)) == NULL))
		return false;
	if (table != NULL)
		uncover(p->effects, table, n, b);
	free(table);
	if (opcodes == 0)
		return true;
	if ((table = read_table(m, opcodes, n, 1)) == NULL)
		return false;
	uncover(p->effects, table, n, b);
	free(table);
	return true;
}

/* ---- bytecode ------------------------------------------------------------------ */

static bool
read_handlers(const struct py_offsets *o, const struct py_memory *m, uint64_t code,
    struct bytecode *b)
{
	uint64_t object, len;

	if (!py_has(o->code_exceptions))
		return true;
	if (!py_read(m, code + o->code_exceptions, &object, sizeof(object)) ||
	    !py_read(m, object + o->bytes_length, &len, sizeof(len)) ||
	    len > HANDLERS_MAX || (b->handlers = malloc(len + 1)) == NULL)
		return false;
	b->handlers_len = len;
	return len == 0 || py_read(m, object + o->bytes_data, b->handlers, len);
}

/* The address of the first code unit.  0 if it cannot be read. */
static uint64_t
first_unit_at(const struct py_offsets *o, const struct py_memory *m, uint64_t code)
{
	uint64_t bytes;

	if (!py_has(o->code_code))
		return code + o->code_bytecode;
	return py_read(m, code + o->code_code, &bytes, sizeof(bytes)) ?
	    bytes + o->bytes_data : 0;
}

static bool
bytecode_read(const struct py_calls *p, const struct py_code *c, struct bytecode *b)
{
	const struct py_offsets *o = p->offsets;
	const struct py_memory *m = p->memory;
	size_t size = (size_t)c->units * sizeof(*b->units);
	uint64_t at = first_unit_at(o, m, c->addr);

	*b = (struct bytecode){.units = malloc(size + 1)};
	if (b->units != NULL && at != 0 && py_read(m, at, b->units, size) &&
	    uncover_all(p, c->addr, (size_t)c->units, b) &&
	    read_handlers(o, m, c->addr, b))
		return true;
	bytecode_free(b);
	return false;
}

/* Notes the places of the callables of all calls, and of the operands of operators.  At an
 * instruction of which a tracer is told it may be the tracer that runs. */
static void
note_calls(const struct py_effects *e, const struct bytecode *b,
    const int16_t *depths, struct py_code *c)
{
	int places[2];

	for (int64_t i = 0; i < c->units; i++) {
		int n = call_places(e, b->units, (size_t)c->units, i, places);
		enum py_operator o = operator_at(e, b->units, (size_t)c->units, i);
		if (n > 0 && places[0] > 0 && o != PY_OPERATORS &&
		    (b->traced == NULL || !b->traced[i]))
			c->calls[i] = (struct py_call){(uint16_t)places[0],
			    n > 1, (uint8_t)o, depths[i]};
	}
}

/* Whether the code object at an address is still the same: then the bytecode that was
 * read is its own. */
static bool
is_still(const struct py_calls *p, const struct py_code *c)
{
	struct code_check check;
	struct py_piece pieces[CODE_PIECES];

	return p->memory->read(p->memory, pieces,
	    code_pieces(p->offsets, c, &check, pieces)) &&
	    code_check(p->offsets, c, &check);
}

static bool
calls_read(const struct py_calls *p, struct py_code *c)
{
	size_t n = (size_t)c->units;
	int16_t *depths = calloc(n + 1, sizeof(*depths));
	struct bytecode b;

	if (depths != NULL && p->effects != NULL &&
	    bytecode_read(p, c, &b)) {
		if (is_still(p, c) && depths_find(p->effects, b.units, n,
			b.handlers, b.handlers_len, depths))
			c->calls = calloc(n + 1, sizeof(*c->calls));
		if (c->calls != NULL)
			note_calls(p->effects, &b, depths, c);
		bytecode_free(&b);
	}
	free(depths);
	return c->calls != NULL;
}

/* How many values an instruction leaves on the stack while its work is done, from 3.14 on
 * as the frame has it; -1: it may not have it. */
static int64_t
values_during(const struct py_call *c)
{
	switch (c->operator) {
	case PY_CALL:
	case PY_ENTER:
		return c->depth;
	case PY_DROP:
		return c->depth - c->place;
	default:
		return -1;
	}
}

bool
call_place(const struct py_calls *by, struct py_code *c, int64_t unit,
    struct py_call_place *p)
{
	const struct py_offsets *o = by->offsets;
	const struct py_call *call;
	int64_t values;
	uint32_t bottom = py_frames_are_objects(o) ? 0 : o->slots_first +
	    (uint32_t)sizeof(uint64_t) * c->locals;

	if (unit < 0 || unit >= c->units || (c->calls == NULL && !calls_read(by, c)))
		return false;
	call = &c->calls[unit];
	if (call->place == 0 || call->depth < call->place)
		return false;
	p->at = bottom + (uint32_t)sizeof(uint64_t) *
	    ((uint32_t)call->depth - call->place);
	values = values_during(call);
	p->top = values < 0 ? 0 : bottom + (uint32_t)(sizeof(uint64_t) *
	    (uint64_t)values);
	p->maybe = call->maybe;
	p->operator = (enum py_operator)call->operator;
	return true;
}

/* ---- a call -------------------------------------------------------------- */

/* The words of a frame that tell whether it has gone on. */
enum { CODE, INSTR, STACK, COPY };

static size_t
word_pieces(const struct py_offsets *o, uint64_t frame, uint64_t words[SITE_WORDS],
    struct py_piece pieces[SITE_WORDS])
{
	bool object = py_frames_are_objects(o);
	const struct {
		uint32_t at;
		size_t size;
	} fields[SITE_WORDS] = {
		[CODE] = {o->frame_code, sizeof(uint64_t)},
		[INSTR] = {object ? o->frame_lasti : o->frame_instr,
		    object ? sizeof(uint32_t) : sizeof(uint64_t)},
		[STACK] = {object ? o->frame_values : o->frame_stack,
		    sizeof(uint64_t)},
		[COPY] = {o->frame_copy, sizeof(uint32_t)},
	};
	size_t n = 0;

	for (size_t i = 0; i < SITE_WORDS; i++) {
		words[i] = 0;
		if (py_has(fields[i].at))
			pieces[n++] = (struct py_piece){frame + fields[i].at,
			    fields[i].size, &words[i]};
	}
	return n;
}

/* The instruction pointer of a frame at a place, if it runs this copy of the bytecode.
 * 0 if that cannot be read. */
static uint64_t
pointer_at(const struct py_calls *by, const struct py_place *p, uint32_t number)
{
	uint64_t copy;

	if (number == 0)
		return p->instr;
	return code_copy(by->offsets, by->memory, p->code, number, &copy) ?
	    p->instr - (p->code + by->offsets->code_bytecode) + copy : 0;
}

/* Whether the words that were read are of the place: the frame has not gone on. */
static bool
is_at(const struct py_calls *by, const struct py_place *p,
    const uint64_t words[SITE_WORDS])
{
	const struct py_offsets *o = by->offsets;

	if (frame_untag(o, words[CODE]) != p->code)
		return false;
	if (py_frames_are_objects(o))
		return p->instr == p->code + o->code_bytecode +
		    (uint64_t)(uint32_t)words[INSTR] * o->lasti_unit;
	return words[INSTR] == pointer_at(by, p, (uint32_t)words[COPY]);
}

/* Reads the slots of a site.  False if one of them has no object. */
static bool
read_slots(const struct py_offsets *o, const struct py_memory *m, uint64_t addr,
    struct py_site *s)
{
	size_t n = called_objects(s->operator);

	s->slot_addr = addr;
	if (!py_read(m, addr, s->slots, n * sizeof(*s->slots)))
		return false;
	for (size_t i = 0; i < n; i++)
		if ((s->objects[i] = frame_untag(o, s->slots[i])) == 0)
			return false;
	return true;
}

/* Where the place of a call is counted from. */
static uint64_t
base_of(const struct py_offsets *o, const struct py_site *s)
{
	return py_frames_are_objects(o) ? s->words[STACK] : s->frame;
}

/* Whether the frame's own top of its stack is where the bytecode says, from 3.14 on.  It
 * is an old one while no code of C runs. */
static bool
is_in_c(const struct py_offsets *o, const struct py_site *s,
    const struct py_call_place *p)
{
	return !py_has(o->frame_stack) || p->top == 0 ||
	    s->words[STACK] == base_of(o, s) + p->top;
}

bool
site_open(const struct py_calls *by, const struct py_memory *then, struct py_code *c,
    const struct py_place *p, struct py_site *s)
{
	const struct py_offsets *o = by->offsets;
	struct py_piece pieces[SITE_WORDS];
	struct py_call_place place;

	*s = (struct py_site){.frame = p->frame};
	if (!call_place(by, c, code_unit(o, c, p->instr), &place) ||
	    !then->read(then, pieces, word_pieces(o, p->frame, s->words, pieces)) ||
	    !is_at(by, p, s->words) || !is_in_c(o, s, &place))
		return false;
	s->place = base_of(o, s) + place.at;
	s->operator = place.operator;
	return read_slots(o, then, s->place, s) ||
	    (place.maybe && frame_untag(o, s->slots[0]) == 0 &&
	    read_slots(o, then, s->place + sizeof(uint64_t), s));
}

bool
site_may_be_over(const struct py_calls *by, const struct py_site *s)
{
	return called_is_callable(s->operator) && !py_has(by->offsets->frame_stack) &&
	    s->slot_addr == s->place;
}

uint64_t
site_instr(const struct py_calls *by, const struct py_site *s)
{
	return py_frames_are_objects(by->offsets) ?
	    frame_untag(by->offsets, s->words[CODE]) + s->words[INSTR] :
	    s->words[INSTR];
}

/* A later look at a site and the frames of its chain. */
struct look {
	uint64_t words[SITE_WORDS], slots[CALLED_OBJECTS];
	uint8_t frames[LOOK_FRAMES][PY_FRAME_MAX];
};

static size_t
look_frames(const struct py_chain *c)
{
	return c->depth < LOOK_FRAMES ? c->depth : LOOK_FRAMES;
}

static bool
read_look(const struct py_calls *by, const struct py_site *s, const struct py_chain *c,
    struct look *l)
{
	struct py_piece pieces[SITE_WORDS + 1 + LOOK_FRAMES];
	size_t n = word_pieces(by->offsets, s->frame, l->words, pieces);

	pieces[n++] = (struct py_piece){s->slot_addr,
	    called_objects(s->operator) * sizeof(*l->slots), l->slots};
	for (size_t i = 0; i < look_frames(c); i++)
		if (!place_is_mark(&c->places[i]))
			pieces[n++] = (struct py_piece){c->places[i].frame,
			    by->offsets->frame_size, l->frames[i]};
	return by->memory->read(by->memory, pieces, n);
}

bool
place_stays(const struct py_calls *by, const struct py_place *p, const uint8_t *copy)
{
	struct py_place now = frame_place(by->offsets, copy, p->frame);

	return now.code == p->code && now.instr == pointer_at(by, p, now.copy);
}

bool
site_goes_on(const struct py_calls *by, const struct py_site *s,
    const struct py_chain *c)
{
	struct look l;

	l.slots[CALLED_OBJECTS - 1] = 0;
	if (!read_look(by, s, c, &l) ||
	    memcmp(l.slots, s->slots, sizeof(l.slots)) != 0 ||
	    memcmp(l.words, s->words, sizeof(l.words)) != 0)
		return false;
	for (size_t i = 0; i < look_frames(c); i++)
		if (!place_is_mark(&c->places[i]) &&
		    !place_stays(by, &c->places[i], l.frames[i]))
			return false;
	return true;
}
