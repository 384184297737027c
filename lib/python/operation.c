/* SPDX-License-Identifier: ISC */
/* operation.c: see operation.h. */
#include "python/operation.h"

#include <stdio.h>

#include "python/same.h"

#define BASES_MAX 64   /* a longer chain of types runs in a circle */
#define LONG_DIGITS 8  /* an int of more is long */
#define LONG_LENGTH 64 /* so is a sequence or a table of more items */

/* ---- types --------------------------------------------------------------- */

struct slotted {
	uint64_t addr;
	uint64_t words[PY_TYPE_WORDS]; /* from tp_name on */
	char name[OBJECT_NAME_MAX];
};

/* A function of a type: the word of the type that leads to it, and its number in the
 * table there. */
struct slot {
	uint8_t word; /* 0: there is no such function */
	uint8_t number;
};

#define DIRECT 255 /* a slot's number: the word is the function */
#define NUMBER(n) {PY_TYPE_NUMBER, n}
#define SEQUENCE(n) {PY_TYPE_SEQUENCE, n}
#define MAPPING(n) {PY_TYPE_MAPPING, n}

static bool
read_words(const struct py_objects *p, uint64_t addr, struct slotted *t)
{
	t->addr = addr;
	return addr != 0 && py_read(p->memory, addr + p->offsets->type_name, t->words,
	    sizeof(t->words));
}

static bool
read_name(const struct py_objects *p, struct slotted *t)
{
	struct py_object o;

	return object_read(p, t->addr, &o) && o.kind == OBJECT_TYPE &&
	    text_read(p, t->words[0], t->name);
}

/* Whether no code of Python can have made the type, so its functions are C's. */
static bool
is_of_c(const struct slotted *t)
{
	uint64_t flags = t->words[PY_TYPE_FLAGS];

	return (flags & PY_FLAG_HEAP) == 0 || (flags & PY_FLAG_IMMUTABLE) != 0;
}

/* Gets the function of a type; 0: it has none. */
static bool
read_slot(const struct py_objects *p, const struct slotted *t, struct slot s,
    uint64_t *function)
{
	uint64_t table = t->words[s.word];

	*function = s.number == DIRECT ? table : 0;
	return s.number == DIRECT || table == 0 || py_read(p->memory,
	    table + s.number * sizeof(*function), function, sizeof(*function));
}

/* ---- functions and their owners ------------------------------------------- */

/* A function that may do an operation. */
struct doer {
	uint64_t function; /* 0: the type has none */
	struct slotted owner; /* the outermost base that has the same one */
	bool plain; /* it is of int, float or complex: it knows no other types */
};

static bool
is_plain_number(const struct slotted *t)
{
	return (t->words[PY_TYPE_FLAGS] & PY_FLAG_HEAP) == 0 &&
	    (strcmp(t->name, "int") == 0 || strcmp(t->name, "bool") == 0 ||
	    strcmp(t->name, "float") == 0 || strcmp(t->name, "complex") == 0);
}

/* Finds the function of a type, and the base that it is inherited from.  False if it may
 * be a method of Python's. */
static bool
find_doer(const struct py_objects *p, const struct slotted *t, struct slot s,
    struct doer *d)
{
	struct slotted base;
	uint64_t function;

	*d = (struct doer){.owner = *t};
	if (s.word == 0)
		return true;
	if (!read_slot(p, t, s, &d->function))
		return false;
	if (d->function == 0)
		return true;
	for (int i = 0; i < BASES_MAX; i++) {
		if (d->owner.words[PY_TYPE_BASE] == 0)
			break;
		if (!read_words(p, d->owner.words[PY_TYPE_BASE], &base) ||
		    !read_slot(p, &base, s, &function))
			return false;
		if (function != d->function)
			break;
		d->owner = base;
	}
	if (!is_of_c(&d->owner) || !read_name(p, &d->owner))
		return false;
	d->plain = is_plain_number(&d->owner);
	return true;
}

/* ---- operators ------------------------------------------------------------ */

static const struct arithmetic {
	const char *name;
	struct slot number, number_in_place;
	struct slot sequence, sequence_in_place;
} arithmetic[] = {
	[PY_ADD] = {"add", NUMBER(0), NUMBER(19), SEQUENCE(1), SEQUENCE(8)},
	[PY_AND] = {"and", NUMBER(13), NUMBER(26), {0}, {0}},
	[PY_FLOOR_DIVIDE] = {"floordiv", NUMBER(29), NUMBER(31), {0}, {0}},
	[PY_LSHIFT] = {"lshift", NUMBER(11), NUMBER(24), {0}, {0}},
	[PY_MATRIX_MULTIPLY] = {"matmul", NUMBER(34), NUMBER(35), {0}, {0}},
	[PY_MULTIPLY] = {"mul", NUMBER(2), NUMBER(21), SEQUENCE(2), SEQUENCE(9)},
	[PY_MODULO] = {"mod", NUMBER(3), NUMBER(22), {0}, {0}},
	[PY_OR] = {"or", NUMBER(15), NUMBER(28), {0}, {0}},
	[PY_POWER] = {"pow", NUMBER(5), NUMBER(23), {0}, {0}},
	[PY_RSHIFT] = {"rshift", NUMBER(12), NUMBER(25), {0}, {0}},
	[PY_SUBTRACT] = {"sub", NUMBER(1), NUMBER(20), {0}, {0}},
	[PY_TRUE_DIVIDE] = {"truediv", NUMBER(30), NUMBER(32), {0}, {0}},
	[PY_XOR] = {"xor", NUMBER(14), NUMBER(27), {0}, {0}},
};

/* Operators that one operand's type is asked for. */
static const struct single {
	const char *name;
	struct slot slot;
	uint8_t operand; /* its number */
} singles[PY_OPERATORS] = {
	[PY_GETITEM] = {"getitem", MAPPING(1), 0},
	[PY_CONTAINS] = {"contains", SEQUENCE(7), 1},
	[PY_CONTAINS_NOT] = {"contains", SEQUENCE(7), 1},
	[PY_NEGATIVE] = {"neg", NUMBER(6), 0},
	[PY_POSITIVE] = {"pos", NUMBER(7), 0},
	[PY_INVERT] = {"invert", NUMBER(10), 0},
	[PY_SETITEM] = {"setitem", MAPPING(2), 0},
	[PY_DELITEM] = {"delitem", MAPPING(2), 0},
	[PY_GETSLICE] = {"getitem", MAPPING(1), 0},
	[PY_SETSLICE] = {"setitem", MAPPING(2), 0},
	[PY_NEXT] = {"next", {PY_TYPE_NEXT, DIRECT}, 0},
};

static const char *const comparisons[] = {"lt", "le", "eq", "ne", "gt", "ge"};

static bool
is_named(const char *name, const char *const *names)
{
	while (*names != NULL && strcmp(*names, name) != 0)
		names++;
	return *names != NULL;
}

/* Whether the type is one of CPython's whose functions take some nanoseconds. */
static bool
is_short(const char *name)
{
	static const char *const names[] = {"float", "complex", "bool", "NoneType",
	    "object", "type", "range", "slice", "enumerate", "zip", "reversed",
	    "ellipsis", "builtin_function_or_method", "method", NULL};
	static const char iterator[] = "iterator";
	size_t n = strlen(name);

	return is_named(name, names) || (n >= sizeof(iterator) - 1 &&
	    strcmp(name + n - (sizeof(iterator) - 1), iterator) == 0 &&
	    strcmp(name, "callable_iterator") != 0);
}

/* The measure for the functions of a type. */
static enum py_measure
measure_of(const char *name)
{
	static const char *const sequences[] = {"str", "bytes", "bytearray", "list",
	    "tuple", NULL};
	static const char *const tables[] = {"dict", "set", "frozenset", NULL};

	if (strcmp(name, "int") == 0)
		return MEASURE_DIGITS;
	return is_named(name, sequences) ? MEASURE_LENGTH :
	    is_named(name, tables) ? MEASURE_TABLE :
	    is_short(name) ? MEASURE_SHORT : MEASURE_LONG;
}

struct operation {
	const struct py_objects *objects;
	struct slotted types[CALLED_OBJECTS]; /* of the operands */
	bool one_type; /* both have the same */
	char *name;
	struct py_operation *to;
};

enum found { FOUND, FOUND_NONE, FOUND_UNSURE };

static enum found
give_name(const struct operation *o, const struct doer *d, const char *prefix,
    const char *name)
{
	snprintf(o->name, CALLEE_NAME_MAX, "%s.__%s%s__", d->owner.name, prefix, name);
	o->to->measure = (uint8_t)measure_of(d->owner.name);
	return FOUND;
}

/* Chooses the one that does an operation of two, both of which may be asked.  NULL: none,
 * unless it is not certain. */
static const struct doer *
choose(const struct operation *o, const struct doer d[2], bool *unsure)
{
	bool first = d[0].function != 0, second = d[1].function != 0 && !o->one_type &&
	    d[1].function != d[0].function;

	if (first && d[0].plain && !d[1].plain && !o->one_type)
		first = false;
	if (second && d[1].plain && !d[0].plain)
		second = false;
	*unsure = first && second;
	return *unsure ? NULL : first ? &d[0] : second ? &d[1] : NULL;
}

static enum found
find_two(const struct operation *o, struct slot s, const char *prefix, const char *name)
{
	const struct doer *by;
	struct doer d[2];
	bool unsure;

	if (!find_doer(o->objects, &o->types[0], s, &d[0]) ||
	    !find_doer(o->objects, &o->types[1], s, &d[1]))
		return FOUND_UNSURE;
	/* All types have object's, which compares nothing. */
	for (int i = 0; i < 2; i++)
		if (s.word == PY_TYPE_COMPARE && d[i].owner.words[PY_TYPE_BASE] == 0)
			d[i].function = 0;
	by = choose(o, d, &unsure);
	if (by == NULL)
		return unsure ? FOUND_UNSURE : FOUND_NONE;
	return give_name(o, by, prefix, name);
}

static enum found
find_one(const struct operation *o, int operand, struct slot s, const char *prefix,
    const char *name)
{
	struct doer d;

	if (!find_doer(o->objects, &o->types[operand], s, &d))
		return FOUND_UNSURE;
	return d.function != 0 ? give_name(o, &d, prefix, name) : FOUND_NONE;
}

/* The first operand's function for an operation in place counts if the second one has no
 * other function for it, or is a plain number. */
static enum found
find_in_place(const struct operation *o, const struct arithmetic *a)
{
	struct doer in_place, other;

	if (!find_doer(o->objects, &o->types[0], a->number_in_place, &in_place))
		return FOUND_UNSURE;
	if (in_place.function == 0)
		return FOUND_NONE;
	if (!find_doer(o->objects, &o->types[1], a->number, &other) ||
	    (!o->one_type && other.function != 0 && !other.plain))
		return FOUND_UNSURE;
	return give_name(o, &in_place, "i", a->name);
}

/* A number's functions are tried first, and know no sequences. */
static enum found
find_arithmetic(const struct operation *o, const struct arithmetic *a, bool in_place)
{
	enum found f = in_place ? find_in_place(o, a) : FOUND_NONE;

	if (f == FOUND_NONE)
		f = find_two(o, a->number, "", a->name);
	if (f == FOUND_NONE && in_place)
		f = find_one(o, 0, a->sequence_in_place, "i", a->name);
	if (f == FOUND_NONE)
		f = find_one(o, 0, a->sequence, "", a->name);
	if (f == FOUND_NONE && a->sequence.number == arithmetic[PY_MULTIPLY].sequence.number)
		f = find_one(o, 1, a->sequence, "", a->name);
	return f;
}

static enum found
find_name(const struct operation *o, enum py_operator op)
{
	const struct single *s = &singles[op];

	if (op >= PY_INPLACE_ADD && op <= PY_INPLACE_XOR)
		return find_arithmetic(o, &arithmetic[op - PY_INPLACE_ADD + PY_ADD], true);
	if (op >= PY_ADD && op <= PY_XOR)
		return find_arithmetic(o, &arithmetic[op], false);
	if (op >= PY_LT && op <= PY_GE)
		return find_two(o, (struct slot){PY_TYPE_COMPARE, DIRECT}, "",
		    comparisons[op - PY_LT]);
	if (s->name != NULL)
		return find_one(o, s->operand, s->slot, "", s->name);
	if (op != PY_DROP)
		return FOUND_NONE;
	snprintf(o->name, CALLEE_NAME_MAX, CALLEE_DEALLOC "%s", o->types[0].name);
	o->to->measure = (uint8_t)measure_of(o->types[0].name);
	return FOUND;
}

/* ---- how long it takes ----------------------------------------------------- */

static enum py_size
size_kind(const struct slotted *t)
{
	uint64_t flags = t->words[PY_TYPE_FLAGS];

	if (flags & PY_FLAG_INT)
		return SIZE_DIGITS;
	if (flags & (PY_FLAG_LIST | PY_FLAG_TUPLE | PY_FLAG_BYTES | PY_FLAG_STR |
	    PY_FLAG_DICT))
		return SIZE_LENGTH;
	switch (measure_of(t->name)) {
	case MEASURE_LENGTH:
	case MEASURE_TABLE:
		return SIZE_LENGTH;
	default:
		return SIZE_UNKNOWN;
	}
}

static uint64_t
digits(const struct py_offsets *o, const struct py_operand_object *x)
{
	int64_t n = (int64_t)x->words[0];

	if (py_has(o->int_tag))
		return x->words[0] >> PY_INT_SHIFT;
	return n < 0 ? -(uint64_t)n : (uint64_t)n;
}

/* The value of an int; UINT32_MAX: it has more than one digit. */
static uint64_t
small_value(const struct py_offsets *o, const struct py_operand_object *x)
{
	uint64_t n = digits(o, x);

	return n > 1 ? UINT32_MAX : n == 0 ? 0 : (uint32_t)x->words[1];
}

static bool
has_many_digits(const struct py_offsets *o, enum py_operator op,
    const struct py_operand_object x[2])
{
	uint64_t n = digits(o, &x[0]), more = called_objects(op) > 1 ? digits(o, &x[1]) : 0;

	switch (op) {
	case PY_POWER:
	case PY_INPLACE_POWER:
		return n <= UINT32_MAX && n * small_value(o, &x[1]) > LONG_DIGITS;
	case PY_LSHIFT:
	case PY_INPLACE_LSHIFT:
		return n + small_value(o, &x[1]) / PY_DIGIT_BITS > LONG_DIGITS;
	default:
		return n > LONG_DIGITS || more > LONG_DIGITS;
	}
}

/* How many items an operand has; many if that is not known. */
static uint64_t
length(const struct py_operation *p, const struct py_operand_object *x, int i)
{
	return p->sizes[i] == SIZE_LENGTH ? x[i].words[0] : UINT32_MAX;
}

static bool
has_many_items(const struct py_offsets *o, const struct py_operation *p,
    enum py_operator op, const struct py_operand_object x[2])
{
	uint64_t a = length(p, x, 0), b = called_objects(op) > 1 ? length(p, x, 1) : 0;
	int number = p->sizes[0] == SIZE_DIGITS ? 0 : 1;

	switch (op) {
	case PY_MULTIPLY:
	case PY_INPLACE_MULTIPLY:
		if (p->sizes[number] != SIZE_DIGITS)
			return false; /* it was done: the result lies there */
		a = length(p, x, 1 - number);
		return a > UINT32_MAX || a * small_value(o, &x[number]) > LONG_LENGTH;
	case PY_MODULO:
	case PY_INPLACE_MODULO:
		return true;
	case PY_CONTAINS:
	case PY_CONTAINS_NOT:
		return b > LONG_LENGTH;
	case PY_GETITEM:
	case PY_SETITEM:
	case PY_DELITEM:
		return a > LONG_LENGTH && (p->measure == MEASURE_TABLE ||
		    p->sizes[1] != SIZE_DIGITS);
	case PY_GETSLICE:
	case PY_SETSLICE:
	case PY_DROP:
		return a > LONG_LENGTH;
	default:
		if (op >= PY_LT && op <= PY_GE)
			return p->sizes[0] == p->sizes[1] && a > LONG_LENGTH &&
			    b > LONG_LENGTH;
		return a > LONG_LENGTH || b > LONG_LENGTH;
	}
}

bool
operation_is_long(const struct py_offsets *o, const struct py_operation *p,
    const struct py_called *c)
{
	switch ((enum py_measure)p->measure) {
	case MEASURE_SHORT:
		return false;
	case MEASURE_DIGITS:
		return has_many_digits(o, (enum py_operator)c->operator, c->operands);
	case MEASURE_LENGTH:
	case MEASURE_TABLE:
		return has_many_items(o, p, (enum py_operator)c->operator,
		    c->operands);
	case MEASURE_LONG:
		break;
	}
	return true;
}

/* ---- an operation ----------------------------------------------------------- */

bool
operation_name(const struct py_objects *p, const struct py_called *c,
    char name[CALLEE_NAME_MAX], struct py_operation *to)
{
	struct operation o = {.objects = p, .name = name, .to = to};

	if (c->operator >= PY_OPERATORS)
		return false;
	*to = (struct py_operation){.lasts = true};
	for (size_t i = 0; i < called_objects((enum py_operator)c->operator); i++) {
		struct slotted *t = &o.types[i];
		if (!read_words(p, c->operands[i].type, t) || !read_name(p, t))
			return false;
		to->lasts &= (t->words[PY_TYPE_FLAGS] & PY_FLAG_HEAP) == 0;
		to->sizes[i] = (uint8_t)size_kind(t);
	}
	o.one_type = o.types[0].addr == o.types[1].addr;
	return find_name(&o, (enum py_operator)c->operator) == FOUND &&
	    callee_is_visible(name);
}

const struct py_operand_object *
operation_freed(const struct py_called *c)
{
	const struct py_operand_object *freed = NULL;

	for (size_t i = 0; i < called_objects((enum py_operator)c->operator); i++) {
		if (c->operands[i].held)
			continue;
		if (freed != NULL)
			return NULL;
		freed = &c->operands[i];
	}
	return freed;
}
