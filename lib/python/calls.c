/* SPDX-License-Identifier: ISC */
/* calls.c: see calls.h. */
#include "python/calls.h"

#include <stdlib.h>

#include "python/copies.h"
#include "python/traits.h"

#define HANDLERS_MAX (1u << 20) /* bytes: a longer table is not believed */

/* ---- the calls of a code object ------------------------------------------ */

/* The bytecode of a code object, and the table of its handlers (from 3.11 on). */
struct bytecode {
	uint16_t *units;
	uint8_t *handlers;
	size_t handlers_len;
};

static void
bytecode_free(struct bytecode *b)
{
	free(b->units);
	free(b->handlers);
}

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
bytecode_read(const struct py_offsets *o, const struct py_memory *m,
    const struct py_code *c, struct bytecode *b)
{
	size_t size = (size_t)c->units * sizeof(*b->units);
	uint64_t at = first_unit_at(o, m, c->addr);

	*b = (struct bytecode){.units = malloc(size + 1)};
	if (b->units != NULL && at != 0 && py_read(m, at, b->units, size) &&
	    read_handlers(o, m, c->addr, b))
		return true;
	bytecode_free(b);
	return false;
}

/* Notes the places of the callables of all calls. */
static void
note_calls(const struct py_effects *e, const struct bytecode *b,
    const int16_t *depths, struct py_code *c)
{
	int places[2];

	for (int64_t i = 0; i < c->units; i++) {
		int n = call_places(e, b->units, (size_t)c->units, i, places);
		if (n > 0 && places[0] > 0)
			c->calls[i] = (struct py_call){(uint16_t)places[0],
			    n > 1, depths[i]};
	}
}

static bool
calls_read(const struct py_calls *p, struct py_code *c)
{
	size_t n = (size_t)c->units;
	int16_t *depths = calloc(n + 1, sizeof(*depths));
	struct bytecode b;

	if (depths != NULL && p->effects != NULL &&
	    bytecode_read(p->offsets, p->memory, c, &b)) {
		if (depths_find(p->effects, b.units, n, b.handlers,
			b.handlers_len, depths))
			c->calls = calloc(n + 1, sizeof(*c->calls));
		if (c->calls != NULL)
			note_calls(p->effects, &b, depths, c);
		bytecode_free(&b);
	}
	free(depths);
	return c->calls != NULL;
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

/* The slots of a frame's evaluation stack. */
struct slots {
	uint64_t bottom, top; /* addresses: the first, and behind the last */
};

/* The stack at a call.  From 3.14 on the frame has its top, which is an old one while no
 * code of C runs: it must be where the bytecode says.  False if that is not known. */
static bool
stack_at(const struct py_offsets *o, const struct py_code *c,
    const struct py_call *call, const struct py_place *p,
    const uint64_t words[SITE_WORDS], struct slots *s)
{
	if (call->depth < call->place)
		return false;
	s->bottom = py_frames_are_objects(o) ? words[STACK] :
	    p->frame + o->slots_first + sizeof(uint64_t) * c->locals;
	s->top = s->bottom + sizeof(uint64_t) * (uint64_t)call->depth;
	return !py_has(o->frame_stack) || s->top == words[STACK];
}

static bool
read_slot(const struct py_offsets *o, const struct py_memory *m, uint64_t addr,
    struct py_site *s)
{
	s->slot_addr = addr;
	if (!py_read(m, addr, &s->slot, sizeof(s->slot)))
		return false;
	s->callable = frame_untag(o, s->slot);
	return true;
}

bool
site_open(const struct py_calls *by, struct py_code *c, const struct py_place *p,
    struct py_site *s)
{
	const struct py_offsets *o = by->offsets;
	const struct py_memory *m = by->memory;
	struct py_piece pieces[SITE_WORDS];
	const struct py_call *call;
	struct slots stack;
	uint64_t addr;
	int64_t unit = code_unit(o, c, p->instr);

	if (unit < 0 || unit >= c->units ||
	    (c->calls == NULL && !calls_read(by, c)))
		return false;
	call = &c->calls[unit];
	s->frame = p->frame;
	if (call->place == 0 || !m->read(m, pieces,
	    word_pieces(o, p->frame, s->words, pieces)) ||
	    !is_at(by, p, s->words) || !stack_at(o, c, call, p, s->words, &stack))
		return false;
	addr = stack.top - sizeof(uint64_t) * call->place;
	return read_slot(o, m, addr, s) && (s->callable != 0 || (call->maybe &&
	    read_slot(o, m, addr + sizeof(uint64_t), s) && s->callable != 0));
}

bool
site_goes_on(const struct py_calls *by, const struct py_site *s)
{
	const struct py_memory *m = by->memory;
	struct py_piece pieces[SITE_WORDS + 1];
	uint64_t words[SITE_WORDS], slot;
	size_t n = word_pieces(by->offsets, s->frame, words, pieces);

	pieces[n++] = (struct py_piece){s->slot_addr, sizeof(slot), &slot};
	return m->read(m, pieces, n) && slot == s->slot &&
	    memcmp(words, s->words, sizeof(words)) == 0;
}
