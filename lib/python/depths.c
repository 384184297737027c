/* SPDX-License-Identifier: ISC */
/*
 * depths.c: see depths.h.
 *
 * The paths through the bytecode are followed from its beginning and from its handlers;
 * each code unit has one depth, or becomes disputed, so it is visited twice at most.
 *
 * Up to 3.8, the body of a finally and the exit of a with are shared: an exception gets
 * there with six values on the stack, other ways with one or two that say how to go on.
 * In such a part no depth is known.  It is counted without these values, so that the
 * depth behind it is known again: END_FINALLY pops all of them.
 */
#include "python/depths.h"

#include <stdlib.h>

#include "array.h"

#define DISPUTED (-2) /* in depths: reached at different depths */
/* In within: a shared part begins here, inside of the one that the other bits tell.
 * Elsewhere: the first unit of the part, plus 1; 0: none. */
#define SHARED UINT32_C(0x80000000)

struct depth_walk {
	const struct py_effects *effects;
	const uint16_t *units;
	size_t n;
	int16_t *depths;
	uint32_t *within; /* by code unit; NULL: the version shares no parts */
	uint32_t *pending; /* units to go on from */
	size_t count, room;
	bool failed; /* out of memory */
};

/* The state of a path: values on the stack, and the shared part that it is in. */
struct spot {
	int64_t depth;
	uint32_t within;
};

const struct py_effects *
py_effects_find(unsigned minor)
{
	for (const struct py_effects *const *e = py_effects_lists; *e != NULL; e++)
		if ((*e)->minor == minor)
			return *e;
	return NULL;
}

uint8_t
opcode_base(const struct py_effects *e, uint8_t opcode)
{
	const struct py_effect *o = &e->opcodes[opcode];

	return o->flow & PY_FLOW_KNOWN ? o->base : opcode;
}

static const struct py_effect *
effect_at(const struct py_effects *e, const uint16_t *units, size_t unit)
{
	return &e->opcodes[units[unit] & 0xff];
}

static int64_t
operand_number(const struct py_effect *e, uint32_t operand)
{
	switch ((enum py_operand)e->operand) {
	case PY_OPERAND_WHOLE:
		return operand;
	case PY_OPERAND_LOW:
		return operand & 1;
	case PY_OPERAND_BIT_2:
		return operand >> 2 & 1;
	case PY_OPERAND_FLAGS:
		return __builtin_popcount(operand & 15);
	case PY_OPERAND_BYTES:
		return (operand & 0xff) + (operand >> 8);
	case PY_OPERAND_IS_3:
		return operand == 3;
	case PY_OPERAND_NONE:
		break;
	}
	return 0;
}

/* ---- states -------------------------------------------------------------------- */

static bool
begins_shared(const struct depth_walk *w, size_t unit)
{
	return w->within != NULL && (w->within[unit] & SHARED) != 0;
}

static struct spot
spot_at(const struct depth_walk *w, size_t unit)
{
	struct spot s = {w->depths[unit], 0};

	if (begins_shared(w, unit))
		s.within = (uint32_t)unit + 1;
	else if (w->within != NULL)
		s.within = w->within[unit];
	return s;
}

static struct spot
moved(struct spot s, int64_t change)
{
	if (s.depth != DISPUTED)
		s.depth += change;
	if (s.depth < 0 || s.depth > INT16_MAX)
		s.depth = DISPUTED;
	return s;
}

/* A path leads to a unit.  True if that is new, so the path has to be followed, and *s
 * becomes the state there. */
static bool
reach(struct depth_walk *w, size_t unit, struct spot *s)
{
	bool shared = begins_shared(w, unit);
	uint32_t within = s->within | (shared ? SHARED : 0);

	/* Without the value that says how to go on. */
	if (shared)
		*s = (struct spot){moved(*s, -1).depth, (uint32_t)unit + 1};
	if (w->depths[unit] == DISPUTED)
		return false;
	if (w->depths[unit] != DEPTH_UNKNOWN) {
		if (w->depths[unit] == s->depth &&
		    (w->within == NULL || w->within[unit] == within))
			return false;
		s->depth = DISPUTED;
	}
	w->depths[unit] = (int16_t)s->depth;
	if (w->within != NULL)
		w->within[unit] = within;
	return true;
}

static void
reach_later(struct depth_walk *w, size_t unit, struct spot s)
{
	void *p;

	if (unit >= w->n || !reach(w, unit, &s))
		return;
	p = array_grow(w->pending, w->count, &w->room, sizeof(*w->pending));
	if (p == NULL) {
		w->failed = true;
		return;
	}
	w->pending = p;
	w->pending[w->count++] = (uint32_t)unit;
}

/* ---- paths --------------------------------------------------------------------- */

/* The unit that an instruction jumps to, n or more if that is none.  next: the unit
 * behind the instruction and its caches. */
static size_t
target_of(const struct depth_walk *w, const struct py_effect *e, size_t next,
    uint32_t operand)
{
	size_t distance = w->effects->bytes ? operand / 2 : operand;

	if (e->flow & PY_FLOW_ABSOLUTE)
		return distance;
	if (e->flow & PY_FLOW_FORWARD)
		return next + distance;
	return distance <= next ? next - distance : w->n;
}

static void
follow_jump(struct depth_walk *w, const struct py_effect *e, size_t next,
    uint32_t operand, struct spot s)
{
	size_t target = target_of(w, e, next, operand);

	if (target < w->n &&
	    !((e->flow & PY_FLOW_RAISES) && begins_shared(w, target)))
		reach_later(w, target, moved(s, e->jump));
}

/* The state behind a shared part.  False if the path is not at its end. */
static bool
leave_shared(const struct depth_walk *w, int64_t depth, struct spot *s)
{
	size_t first = (size_t)s->within - 1;
	int64_t before;

	if (s->within == 0 || s->depth == DISPUTED ||
	    w->depths[first] == DISPUTED)
		return false;
	before = w->depths[first];
	if (effect_at(w->effects, w->units, first)->flow & PY_FLOW_EXIT)
		before--;
	if (depth != before)
		return false;
	s->within = w->within[first] & ~SHARED;
	return true;
}

/* Whether an instruction ends an async for, and pops its iterator. */
static bool
drops_iterator(const struct depth_walk *w, const struct py_effect *e,
    size_t unit)
{
	return (e->flow & PY_FLOW_DROPS) && unit > 0 &&
	    (effect_at(w->effects, w->units, unit - 1)->flow & PY_FLOW_HANDLED);
}

/* The state behind an instruction.  False if none follows it. */
static bool
step(const struct depth_walk *w, const struct py_effect *e, size_t unit,
    uint32_t operand, struct spot *s)
{
	int64_t change = e->change - drops_iterator(w, e, unit);

	if (e->times != 0)
		change += e->times * operand_number(e, operand);
	if (e->flow & PY_FLOW_ENDS)
		return leave_shared(w, s->depth, s) || s->depth == DISPUTED;
	/* It may keep the topmost value, which is to be returned. */
	if ((e->flow & PY_FLOW_POPS) &&
	    leave_shared(w, s->depth - (operand != 0), s))
		change = 0;
	*s = moved(*s, change);
	return (e->flow & PY_FLOW_GOES_ON) != 0;
}

/* Follows a path from a unit whose state is new, up to one whose state is not. */
static void
follow(struct depth_walk *w, size_t unit)
{
	struct spot s = spot_at(w, unit);
	uint32_t operand = 0;

	for (;;) {
		const struct py_effect *e = effect_at(w->effects, w->units, unit);
		size_t next = unit + 1 + e->caches;

		operand = operand << 8 | w->units[unit] >> 8;
		if (e->flow & (PY_FLOW_FORWARD | PY_FLOW_BACKWARD |
		    PY_FLOW_ABSOLUTE))
			follow_jump(w, e, next, operand, s);
		if (!(e->flow & PY_FLOW_KNOWN) ||
		    !step(w, e, unit, operand, &s) || next >= w->n ||
		    !reach(w, next, &s))
			return;
		if (!(e->flow & PY_FLOW_EXTENDS))
			operand = 0;
		unit = next;
	}
}

/* ---- beginnings ---------------------------------------------------------------- */

struct table_cursor {
	const uint8_t *p, *end;
	bool bad; /* ran over the end */
};

/* Six bits a byte, most significant first; bit 6: more follow. */
static uint32_t
next_number(struct table_cursor *c)
{
	uint32_t v = 0;
	uint8_t b;

	do {
		if (c->p == c->end) {
			c->bad = true;
			return 0;
		}
		b = *c->p++;
		v = v << 6 | (b & 63);
	} while (b & 64);
	return v;
}

/* An entry has the first unit of a range, its length, its handler, and twice the depth
 * there, plus 1 if the instruction that raised is pushed before the exception. */
static void
reach_handlers(struct depth_walk *w, const uint8_t *table, size_t len)
{
	struct table_cursor c = {table, table + len, false};

	while (c.p < c.end) {
		uint32_t handler, depth;
		next_number(&c);
		next_number(&c);
		handler = next_number(&c);
		depth = next_number(&c);
		if (c.bad)
			return;
		reach_later(w, handler,
		    moved((struct spot){0}, (int64_t)(depth >> 1) + (depth & 1) + 1));
	}
}

/* Marks the units where shared parts begin. */
static void
mark_shared(struct depth_walk *w)
{
	uint32_t operand = 0;

	for (size_t unit = 0; unit < w->n; unit++) {
		const struct py_effect *e = effect_at(w->effects, w->units, unit);
		size_t first = w->n;

		operand = operand << 8 | w->units[unit] >> 8;
		if (e->flow & PY_FLOW_SHARES)
			first = target_of(w, e, unit + 1, operand);
		else if (e->flow & PY_FLOW_SHARES_NEXT)
			first = unit + 1;
		if (first < w->n)
			w->within[first] = SHARED;
		if (!(e->flow & PY_FLOW_EXTENDS))
			operand = 0;
	}
}

/* Unknown what no path or more than one depth leads to, or a shared part. */
static void
settle(struct depth_walk *w)
{
	for (size_t unit = 0; unit < w->n; unit++)
		if (w->depths[unit] < 0 || (w->within != NULL &&
		    w->within[unit] != 0))
			w->depths[unit] = DEPTH_UNKNOWN;
}

static void
follow_all(struct depth_walk *w, const uint8_t *table, size_t table_len)
{
	struct spot begin = {0};

	if (w->within != NULL)
		mark_shared(w);
	begin.depth = (effect_at(w->effects, w->units, 0)->flow &
	    PY_FLOW_BEGINS) != 0;
	reach_later(w, 0, begin);
	if (table != NULL)
		reach_handlers(w, table, table_len);
	while (w->count > 0 && !w->failed)
		follow(w, w->pending[--w->count]);
}

bool
depths_find(const struct py_effects *effects, const uint16_t *units, size_t n,
    const uint8_t *table, size_t table_len, int16_t *depths)
{
	struct depth_walk w = {effects, units, n, depths, NULL, NULL, 0, 0, false};

	for (size_t unit = 0; unit < n; unit++)
		depths[unit] = DEPTH_UNKNOWN;
	if (n == 0 || n >= SHARED - 1)
		return true;
	if (effects->shares &&
	    (w.within = calloc(n, sizeof(*w.within))) == NULL)
		return false;
	follow_all(&w, table, table_len);
	settle(&w);
	free(w.within);
	free(w.pending);
	return !w.failed;
}

/* ---- calls --------------------------------------------------------------------- */

/* The operand of the instruction at a unit.  A cache before it can look like an
 * EXTENDED_ARG: then the instructions are counted from the beginning.  False if one
 * on the way hides how long it is. */
static bool
find_operand(const struct py_effects *effects, const uint16_t *units,
    size_t unit, uint32_t *operand)
{
	size_t i = 0;

	*operand = units[unit] >> 8;
	if (unit == 0 || !(effect_at(effects, units, unit - 1)->flow &
	    PY_FLOW_EXTENDS))
		return true;
	for (uint32_t before = 0; i < unit;) {
		const struct py_effect *e = effect_at(effects, units, i);
		if (!(e->flow & PY_FLOW_KNOWN))
			return false;
		before = e->flow & PY_FLOW_EXTENDS ?
		    before << 8 | units[i] >> 8 : 0;
		*operand = before << 8 | units[unit] >> 8;
		i += 1 + e->caches;
	}
	return i == unit;
}

int
call_places(const struct py_effects *effects, const uint16_t *units, size_t n,
    int64_t unit, int places[2])
{
	const struct py_effect *e;
	uint32_t operand;
	uint8_t call;

	if (unit < 0 || (uint64_t)unit >= n)
		return 0;
	e = effect_at(effects, units, (size_t)unit);
	call = e->call;
	if (call == 0 ||
	    !find_operand(effects, units, (size_t)unit, &operand) ||
	    operand > INT16_MAX)
		return 0;
	places[0] = call & PY_CALL_NEAR;
	if (call & PY_CALL_WHOLE)
		places[0] += (int)operand;
	if (call & PY_CALL_LOW)
		places[0] += (int)(operand & 1);
	places[1] = places[0] - 1;
	return call & PY_CALL_MAYBE ? 2 : 1;
}

enum py_operator
operator_at(const struct py_effects *effects, const uint16_t *units, size_t n,
    int64_t unit)
{
	const struct py_effect *e;
	uint32_t operand;

	if (unit < 0 || (uint64_t)unit >= n)
		return PY_OPERATORS;
	e = effect_at(effects, units, (size_t)unit);
	if (e->select == 0)
		return (enum py_operator)e->operator;
	if (!find_operand(effects, units, (size_t)unit, &operand))
		return PY_OPERATORS;
	operand >>= e->select - 1;
	return operand < PY_NEGATIVE - (unsigned)e->operator ?
	    (enum py_operator)(e->operator + operand) : PY_OPERATORS;
}
