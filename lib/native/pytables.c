/* SPDX-License-Identifier: ISC */
/* pytables.c: see pytables.h. */
#include "native/pytables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "ascii.h"

#define DATA_MAX (64 << 20)    /* bytes: of a module's data that are searched */
#define NAMES_MAX_FOUND (1 << 18)
#define TABLE_MAX 4096	       /* entries of one table */
#define NAME_SIZE 128	       /* bytes: names in tables are shorter */
#define WORK_MAX (1 << 21)     /* entries and names that are looked at: tables can lie in
				* each other, each one again and again */

/* The names of functions in slots, by the numbers of typeslots.h.  With a dot: a method
 * that Python knows by that name; else the function's work for the type. */
static const char *const slot_names[] = {
	[1] = ".__buffer__", [2] = ".__release_buffer__", [3] = ".__setitem__",
	[4] = ".__len__", [5] = ".__getitem__", [6] = ".__abs__", [7] = ".__add__",
	[8] = ".__and__", [9] = ".__bool__", [10] = ".__divmod__",
	[11] = ".__float__", [12] = ".__floordiv__", [13] = ".__index__",
	[14] = ".__iadd__", [15] = ".__iand__", [16] = ".__ifloordiv__",
	[17] = ".__ilshift__", [18] = ".__imul__", [19] = ".__ior__",
	[20] = ".__ipow__", [21] = ".__imod__", [22] = ".__irshift__",
	[23] = ".__isub__", [24] = ".__itruediv__", [25] = ".__ixor__",
	[26] = ".__int__", [27] = ".__invert__", [28] = ".__lshift__",
	[29] = ".__mul__", [30] = ".__neg__", [31] = ".__or__", [32] = ".__pos__",
	[33] = ".__pow__", [34] = ".__mod__", [35] = ".__rshift__",
	[36] = ".__sub__", [37] = ".__truediv__", [38] = ".__xor__",
	[39] = ".__setitem__", [40] = ".__add__", [41] = ".__contains__",
	[42] = ".__iadd__", [43] = ".__imul__", [44] = ".__getitem__",
	[45] = ".__len__", [46] = ".__mul__", [47] = "alloc", [50] = ".__call__",
	[51] = "clear", [52] = "dealloc", [53] = ".__del__", [54] = ".__get__",
	[55] = ".__set__", [57] = ".__getattribute__", [58] = ".__getattribute__",
	[59] = ".__hash__", [60] = ".__init__", [61] = "is_gc", [62] = ".__iter__",
	[63] = ".__next__", [65] = ".__new__", [66] = ".__repr__",
	[67] = "compare", [68] = ".__setattr__", [69] = ".__setattr__",
	[70] = ".__str__", [71] = "traverse", [74] = "free", [75] = ".__matmul__",
	[76] = ".__imatmul__", [77] = ".__await__", [78] = ".__aiter__",
	[79] = ".__anext__", [80] = ".__del__", [81] = ".send",
	[82] = "vectorcall", [84] = "create", [85] = "exec",
	/* Numbers since 3.15, which had been those of modules before. */
	[88] = ".__buffer__", [89] = ".__release_buffer__", [90] = ".__setitem__",
	[91] = ".__len__",
};
#define SLOTS_MAX 110 /* the last number */

/* NULL if no function is in the slot. */
static const char *
slot_name(uint32_t slot)
{
	return slot < sizeof(slot_names) / sizeof(*slot_names) ?
	    slot_names[slot] : NULL;
}

enum {
	SLOT_GETBUFFER = 1, SLOT_RELEASEBUFFER, SLOT_MP_ASS_SUBSCRIPT,
	SLOT_MP_LENGTH, SLOT_MP_SUBSCRIPT,
	SLOT_CLEAR = 51, SLOT_METHODS = 64, SLOT_TRAVERSE = 71, SLOT_GETSET = 73,
	SLOT_FREE = 74, SLOT_VECTORCALL = 82, SLOT_CREATE = 84, SLOT_EXEC = 85,
	/* Not in slots. */
	ROLE_METHOD = 128, ROLE_GETTER, ROLE_SETTER, ROLE_CALLER, ROLE_WRAPPER,
};

/* A function in a table.  Places are from the module's base on; 0: none. */
struct pyname {
	uint32_t start; /* of the function */
	uint32_t owner; /* a type's or a module's name */
	uint32_t name;
	uint32_t role;	/* its slot, or ROLE_* */
};

struct pytables {
	const struct elf_module *module;
	struct pyname *names; /* by start, each one once */
	size_t count, max;
};

/* A copy of a segment with data, in which pointers are as in the file. */
struct data_part {
	uint64_t addr;
	uint64_t *words;
	size_t count;
};

struct table_scan {
	struct pytables *tables;
	const struct elf_module *module;
	native_function *function_of;
	void *arg;
	struct data_part parts[ELF_SEGMENTS_MAX];
	size_t nparts;
	size_t work;
	bool failed; /* out of memory, or too much work */
};

/* ---- data ---------------------------------------------------------------- */

/* The words from an address on; NULL if the data do not have so many. */
static uint64_t *
words_at(const struct table_scan *s, uint64_t addr, size_t count)
{
	for (size_t i = 0; i < s->nparts; i++) {
		const struct data_part *p = &s->parts[i];
		uint64_t at = addr - p->addr;
		if (addr >= p->addr && at % 8 == 0 && at / 8 < p->count)
			return p->count - at / 8 >= count ?
			    p->words + at / 8 : NULL;
	}
	return NULL;
}

static bool
copy_part(struct table_scan *s, const struct elf_segment *segment)
{
	struct data_part *p = &s->parts[s->nparts];
	uint64_t skip = -segment->addr & 7; /* to a word */

	if (segment->size < skip + 8)
		return true;
	p->addr = segment->addr + skip;
	p->count = (size_t)((segment->size - skip) / 8);
	if ((p->words = malloc(p->count * 8)) == NULL)
		return false;
	if (elf_module_read(s->module, segment->offset + skip, p->words,
		p->count * 8))
		s->nparts++;
	else
		free(p->words);
	return true;
}

/* Copies the segments that can have tables.  A program that is not moved can have some
 * among its constants. */
static bool
copy_data(struct table_scan *s)
{
	uint64_t left = DATA_MAX;

	for (size_t i = 0; i < s->module->nsegments; i++) {
		const struct elf_segment *segment = &s->module->segments[i];
		if ((s->module->movable && !segment->writable) ||
		    segment->executable || segment->size > left)
			continue;
		left -= segment->size;
		if (!copy_part(s, segment))
			return false;
	}
	return true;
}

static void
relocate(void *arg, uint64_t at, uint64_t value)
{
	uint64_t *word = words_at(arg, at, 1);

	if (word != NULL)
		*word = value;
}

/* ---- words --------------------------------------------------------------- */

static bool
may_work(struct table_scan *s)
{
	if (s->work++ == WORK_MAX)
		s->failed = true;
	return !s->failed;
}

static bool
is_in_module(const struct table_scan *s, uint64_t addr)
{
	return addr >= s->module->base && addr < s->module->end;
}

static bool
is_function(const struct table_scan *s, uint64_t addr)
{
	uint64_t start, end;

	return addr != 0 && elf_module_is_code(s->module, addr) &&
	    s->function_of(s->arg, addr, &start, &end) && start == addr;
}

static bool
is_code_or_null(const struct table_scan *s, uint64_t addr)
{
	return addr == 0 || elf_module_is_code(s->module, addr);
}

static bool
is_text_or_null(const struct table_scan *s, uint64_t addr)
{
	return addr == 0 || is_in_module(s, addr);
}

/* Data that the file does not have are zero at first. */
static bool
is_data_or_null(const struct table_scan *s, uint64_t addr)
{
	return addr == 0 ||
	    (is_in_module(s, addr) && !elf_module_is_code(s->module, addr));
}

/* Reads a name, which has a letter, and else digits and the characters of `others`. */
static bool
read_name(const struct elf_module *m, uint64_t addr, const char *others,
    char name[NAME_SIZE])
{
	uint64_t offset, room;

	if (!elf_module_offset(m, addr, &offset, &room) ||
	    elf_module_string(m, offset, room, name, NAME_SIZE) <= 0 ||
	    (*name >= '0' && *name <= '9'))
		return false;
	for (const char *p = name; *p != '\0'; p++)
		if (!ascii_is_word(*p) && strchr(others, *p) == NULL)
			return false;
	return ascii_is_word(name[strspn(name, others)]);
}

static bool
is_name(struct table_scan *s, uint64_t addr, const char *others)
{
	char name[NAME_SIZE];

	return is_in_module(s, addr) && may_work(s) &&
	    read_name(s->module, addr, others, name);
}

/* ---- names --------------------------------------------------------------- */

/* A place in the module; 0 if it has none, or is too far from the base. */
static uint32_t
place_of(const struct table_scan *s, uint64_t addr)
{
	uint64_t at = addr - s->module->base;

	return addr > s->module->base && at <= UINT32_MAX ? (uint32_t)at : 0;
}

static void
add_name(struct table_scan *s, uint64_t function, uint64_t owner, uint64_t name,
    uint32_t role)
{
	struct pytables *t = s->tables;
	struct pyname n = {place_of(s, function), place_of(s, owner),
	    place_of(s, name), role}, *p;

	if (s->failed || n.start == 0 || !is_function(s, function))
		return;
	if (t->count == NAMES_MAX_FOUND || (p = array_grow(t->names, t->count,
		&t->max, sizeof(*p))) == NULL) {
		s->failed = true;
		return;
	}
	t->names = p;
	p[t->count++] = n;
}

static void
add_slot(struct table_scan *s, uint64_t function, uint64_t owner, uint32_t slot)
{
	if (function != 0 && slot_name(slot) != NULL)
		add_name(s, function, owner, 0, slot);
}

/* PyMethodDef: name, function, flags, text. */
static bool
is_method(struct table_scan *s, const uint64_t *w)
{
	return w[2] > 0 && w[2] < 0x400 && is_in_module(s, w[0]) &&
	    elf_module_is_code(s->module, w[1]) && is_text_or_null(s, w[3]) &&
	    is_function(s, w[1]) && is_name(s, w[0], "_");
}

static void
add_methods(struct table_scan *s, uint64_t addr, uint64_t owner)
{
	const uint64_t *w;

	for (int i = 0; i < TABLE_MAX && addr != 0 && may_work(s) &&
	     (w = words_at(s, addr, 4)) != NULL && w[0] != 0; i++, addr += 32)
		if (is_method(s, w))
			add_name(s, w[1], owner, w[0], ROLE_METHOD);
}

/* PyGetSetDef: name, getter, setter, text, anything. */
static bool
is_attribute(struct table_scan *s, const uint64_t *w)
{
	return is_code_or_null(s, w[1]) && is_code_or_null(s, w[2]) &&
	    is_text_or_null(s, w[3]) && is_name(s, w[0], "_");
}

static void
add_attribute(struct table_scan *s, const uint64_t *w, uint64_t owner)
{
	add_name(s, w[1], owner, w[0], ROLE_GETTER);
	add_name(s, w[2], owner, w[0], ROLE_SETTER);
}

static void
add_attributes(struct table_scan *s, uint64_t addr, uint64_t owner)
{
	const uint64_t *w;

	for (int i = 0; i < TABLE_MAX && addr != 0 && may_work(s) &&
	     (w = words_at(s, addr, 5)) != NULL && is_attribute(s, w);
	     i++, addr += 40)
		add_attribute(s, w, owner);
}

/* Whether this is an entry of a table that no type has, but a program gives to one: an
 * entry follows, or the end. */
static bool
is_lone_attribute(struct table_scan *s, const uint64_t *w)
{
	const uint64_t *next = w + 5;

	return w[1] != 0 && is_function(s, w[1]) && is_attribute(s, w) &&
	    ((next[0] == 0 && next[1] == 0 && next[2] == 0) ||
	     is_attribute(s, next));
}

/* ---- types --------------------------------------------------------------- */

/* The words of a PyTypeObject from tp_name on. */
enum {
	TYPE_NAME, TYPE_AS_ASYNC = 7, TYPE_AS_NUMBER = 9, TYPE_AS_SEQUENCE,
	TYPE_AS_MAPPING, TYPE_AS_BUFFER = 17, TYPE_METHODS = 26, TYPE_GETSET = 28,
	TYPE_FINALIZE = 46, TYPE_VECTORCALL, /* since 3.8 */
};

/* The kinds of these words: a size, a function, an offset, an offset or a function,
 * data, a number, text, anything. */
static const char type_shape[] =
    "Nssfoffdfd" "ddfffffdnt" "fffoffddd*" "*ffofffff*" "****fnf";
/* tp_vectorcall_offset had been tp_print. */
static const uint8_t type_slots[] = {
	[3] = 52, [5] = 57, [6] = 68, [8] = 66, [12] = 59, [13] = 50, [14] = 70,
	[15] = 58, [16] = 69, [20] = SLOT_TRAVERSE, [21] = SLOT_CLEAR, [22] = 67,
	[24] = 62, [25] = 63, [31] = 54, [32] = 55, [34] = 60, [35] = 47,
	[36] = 65, [37] = SLOT_FREE, [38] = 61, [44] = 53, [TYPE_FINALIZE] = 80,
	[TYPE_VECTORCALL] = SLOT_VECTORCALL,
};
#define TYPE_WORDS (TYPE_FINALIZE + 1)

static const uint8_t number_slots[] = {7, 36, 29, 34, 10, 33, 30, 32, 6, 9, 27, 28,
	35, 8, 38, 31, 26, 0, 11, 14, 23, 18, 21, 20, 17, 22, 15, 25, 19, 12, 37,
	16, 24, 13, 75, 76};
static const uint8_t sequence_slots[] = {45, 40, 46, 44, 0, 39, 0, 41, 42, 43};
static const uint8_t mapping_slots[] = {SLOT_MP_LENGTH, SLOT_MP_SUBSCRIPT,
	SLOT_MP_ASS_SUBSCRIPT};
static const uint8_t async_slots[] = {77, 78, 79, 81};
static const uint8_t buffer_slots[] = {SLOT_GETBUFFER, SLOT_RELEASEBUFFER};

static bool
has_shape(const struct table_scan *s, char kind, uint64_t w)
{
	switch (kind) {
	case 's': return w < 1 << 24;
	case 'n': return w <= UINT32_MAX;
	case 'f': return is_code_or_null(s, w);
	case 'o': return w + 0x8000 < 0x10000 || elf_module_is_code(s->module, w);
	case 'd': return is_data_or_null(s, w);
	case 't': return is_text_or_null(s, w);
	case 'N': return is_in_module(s, w);
	}
	return true;
}

/* Whether a type has nothing but functions, or nothing, at an address. */
static bool
is_suite(struct table_scan *s, uint64_t addr, size_t count)
{
	const uint64_t *w = words_at(s, addr, count);

	for (size_t i = 0; w != NULL && i < count; i++)
		if (!is_code_or_null(s, w[i]))
			return false;
	return true;
}

static void
add_suite(struct table_scan *s, uint64_t addr, uint64_t owner, const uint8_t *slots,
    size_t count)
{
	const uint64_t *w = words_at(s, addr, count);

	for (size_t i = 0; w != NULL && i < count; i++)
		add_slot(s, w[i], owner, slots[i]);
}
#define ADD_SUITE(s, addr, owner, slots) \
	add_suite(s, addr, owner, slots, sizeof(slots))
#define IS_SUITE(s, addr, slots) is_suite(s, addr, sizeof(slots))

static bool
has_suites(struct table_scan *s, const uint64_t *w)
{
	return IS_SUITE(s, w[TYPE_AS_ASYNC], async_slots) &&
	    IS_SUITE(s, w[TYPE_AS_NUMBER], number_slots) &&
	    IS_SUITE(s, w[TYPE_AS_SEQUENCE], sequence_slots) &&
	    IS_SUITE(s, w[TYPE_AS_MAPPING], mapping_slots) &&
	    IS_SUITE(s, w[TYPE_AS_BUFFER], buffer_slots);
}

/* Whether a PyTypeObject is there; the words are those from tp_name on. */
static bool
is_type(struct table_scan *s, const uint64_t *w)
{
	size_t functions = 0;

	for (size_t i = 0; i < TYPE_WORDS; i++) {
		if (!has_shape(s, type_shape[i], w[i]))
			return false;
		functions += i < sizeof(type_slots) && type_slots[i] != 0 &&
		    w[i] != 0;
	}
	return (functions > 0 || w[TYPE_METHODS] != 0 || w[TYPE_GETSET] != 0) &&
	    has_suites(s, w) && is_name(s, w[TYPE_NAME], "_.-");
}

static void
add_type(struct table_scan *s, const uint64_t *w, size_t count)
{
	uint64_t owner = w[TYPE_NAME];

	for (size_t i = 0; i < sizeof(type_slots) && i < count; i++)
		if (type_slots[i] != 0)
			add_slot(s, w[i], owner, type_slots[i]);
	ADD_SUITE(s, w[TYPE_AS_ASYNC], owner, async_slots);
	ADD_SUITE(s, w[TYPE_AS_NUMBER], owner, number_slots);
	ADD_SUITE(s, w[TYPE_AS_SEQUENCE], owner, sequence_slots);
	ADD_SUITE(s, w[TYPE_AS_MAPPING], owner, mapping_slots);
	ADD_SUITE(s, w[TYPE_AS_BUFFER], owner, buffer_slots);
	add_methods(s, w[TYPE_METHODS], owner);
	add_attributes(s, w[TYPE_GETSET], owner);
}

/* ---- slots --------------------------------------------------------------- */

/* The number of a slot; since 3.15 flags are behind it.  -1 if it is none. */
static int
slot_number(uint64_t word)
{
	return (word & 0xffff) <= SLOTS_MAX && word < 0x100000 ?
	    (int)(word & 0xffff) : -1;
}

/* The slots that an array has up to the number 0; 0 if it is none. */
static size_t
count_slots(struct table_scan *s, uint64_t addr)
{
	const uint64_t *w;

	for (size_t i = 0; i < TABLE_MAX && may_work(s); i++, addr += 16) {
		if ((w = words_at(s, addr, 2)) == NULL || slot_number(w[0]) < 0)
			return 0;
		if (slot_number(w[0]) == 0)
			return i;
	}
	return 0;
}

/* PyType_Spec: name, two sizes of 32 bits, flags, slots. */
static bool
is_spec(struct table_scan *s, const uint64_t *w)
{
	return (int32_t)w[1] > -0x10000 && (int32_t)w[1] < 1 << 24 &&
	    w[1] >> 32 < 1 << 16 && w[2] <= UINT32_MAX && w[3] != 0 &&
	    is_in_module(s, w[0]) && count_slots(s, w[3]) > 0 &&
	    is_name(s, w[0], "_.-");
}

static void
add_spec(struct table_scan *s, const uint64_t *spec)
{
	uint64_t addr = spec[3];

	for (size_t n = count_slots(s, addr); n > 0; n--, addr += 16) {
		const uint64_t *w = words_at(s, addr, 2);
		int slot = slot_number(w[0]);
		if (slot == SLOT_METHODS)
			add_methods(s, w[1], spec[0]);
		else if (slot == SLOT_GETSET)
			add_attributes(s, w[1], spec[0]);
		else
			add_slot(s, w[1], spec[0], (uint32_t)slot);
	}
}

/* PyModuleDef behind its head: name, text, size, methods, slots, three functions.
 * Three words of the head are zero. */
static bool
is_module(struct table_scan *s, const uint64_t *w)
{
	const uint64_t *method;

	if (w[0] != 0 || w[1] != 0 || w[2] != 0 || !is_in_module(s, w[3]) ||
	    !is_text_or_null(s, w[4]) || w[5] + 1 > 1 << 24 ||
	    !is_data_or_null(s, w[6]) || !is_data_or_null(s, w[7]) ||
	    !is_code_or_null(s, w[8]) || !is_code_or_null(s, w[9]) ||
	    !is_code_or_null(s, w[10]) || (w[6] == 0 && w[7] == 0))
		return false;
	if (w[6] != 0 && ((method = words_at(s, w[6], 4)) == NULL ||
		(method[0] != 0 && !is_method(s, method))))
		return false;
	return (w[7] == 0 || count_slots(s, w[7]) > 0) && is_name(s, w[3], "_.");
}

static void
add_module(struct table_scan *s, const uint64_t *w)
{
	uint64_t addr = w[7], owner = w[3];

	add_methods(s, w[6], owner);
	for (size_t n = addr != 0 ? count_slots(s, addr) : 0; n > 0; n--, addr += 16) {
		const uint64_t *slot = words_at(s, addr, 2);
		int number = slot_number(slot[0]);
		if (number == 1 || number == SLOT_CREATE)
			add_slot(s, slot[1], owner, SLOT_CREATE);
		else if (number == 2 || number == SLOT_EXEC)
			add_slot(s, slot[1], owner, SLOT_EXEC);
	}
	add_slot(s, w[8], owner, SLOT_TRAVERSE);
	add_slot(s, w[9], owner, SLOT_CLEAR);
	add_slot(s, w[10], owner, SLOT_FREE);
}

/* The interpreter's own list of slots: name, offset in a type, the function by which C
 * calls a method of that name, the function by which Python calls one of C, text, flags,
 * the name as an object. */
static bool
is_caller(struct table_scan *s, const uint64_t *w)
{
	return w[1] > 0 && w[1] < 0x10000 && w[5] < 0x10000 &&
	    is_in_module(s, w[0]) && is_text_or_null(s, w[4]) &&
	    is_text_or_null(s, w[6]) && is_code_or_null(s, w[3]) &&
	    is_function(s, w[2]) && is_name(s, w[0], "_");
}

static void
add_caller(struct table_scan *s, const uint64_t *w)
{
	add_name(s, w[2], 0, w[0], ROLE_CALLER);
	add_name(s, w[3], 0, w[0], ROLE_WRAPPER);
}

/* ---- the search ---------------------------------------------------------- */

static void
search_at(struct table_scan *s, const uint64_t *w, size_t left)
{
	if (left >= 11 && is_module(s, w))
		add_module(s, w);
	if (!is_in_module(s, w[0]))
		return;
	if (left >= 4 && is_method(s, w))
		add_name(s, w[1], 0, w[0], ROLE_METHOD);
	else if (left >= 4 && is_spec(s, w))
		add_spec(s, w);
	else if (left >= 7 && is_caller(s, w))
		add_caller(s, w);
	else if (left >= TYPE_WORDS && is_type(s, w))
		add_type(s, w, left);
	else if (left >= 10 && is_lone_attribute(s, w))
		add_attribute(s, w, 0);
}

static void
search(struct table_scan *s)
{
	for (size_t i = 0; i < s->nparts; i++)
		for (size_t at = 0; at < s->parts[i].count && !s->failed; at++)
			search_at(s, s->parts[i].words + at,
			    s->parts[i].count - at);
}

/* ---- one name a function ------------------------------------------------- */

/* Reads the name of a function without its owner, and the owner's. */
static void
read_parts(const struct elf_module *m, const struct pyname *n,
    char owner[NAME_SIZE], char name[NAME_SIZE])
{
	if (n->owner == 0 || !read_name(m, m->base + n->owner, "_.-", owner))
		*owner = '\0';
	if (slot_name(n->role) != NULL)
		snprintf(name, NAME_SIZE, "%s", slot_name(n->role));
	else if (n->role == ROLE_WRAPPER && n->name == 0)
		snprintf(name, NAME_SIZE, "slots");
	else if (!read_name(m, m->base + n->name, "_", name))
		*name = '\0';
}

/* What is known better stands first: with an owner; a method rather than a slot. */
static int
compare_pynames(const void *one, const void *other)
{
	const struct pyname *a = one, *b = other;
	uint32_t first = (a->owner == 0) * 512 + (a->role ^ ROLE_METHOD);
	uint32_t second = (b->owner == 0) * 512 + (b->role ^ ROLE_METHOD);

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (first != second)
		return first < second ? -1 : 1;
	if (a->owner != b->owner)
		return a->owner < b->owner ? -1 : 1;
	return a->name < b->name ? -1 : a->name > b->name;
}

/* Whether a name tells more than another one of the same function, as "copy" does more
 * than "__copy__". */
static bool
is_plainer_name(const char *a, const char *b)
{
	size_t under_a = strspn(a, "_"), under_b = strspn(b, "_");

	if (under_a != under_b)
		return under_a < under_b;
	if (strlen(a) != strlen(b))
		return strlen(a) < strlen(b);
	return strcmp(a, b) < 0;
}

/*
 * Makes one name of all that a function has.  Those without an owner are the same
 * tables, found once more.  If several owners share it, it has none; if they call it by
 * several names, the plainest one tells its work.  But a wrapper's work has no name.
 */
static struct pyname
settle_one(const struct elf_module *m, const struct pyname *names, size_t count)
{
	char owner[NAME_SIZE], name[NAME_SIZE], owners[NAME_SIZE], other[NAME_SIZE];
	struct pyname settled = names[0];
	bool shared = false;

	read_parts(m, &names[0], owner, name);
	for (size_t i = 1; i < count; i++) {
		if (settled.owner != 0 && names[i].owner == 0)
			break;
		read_parts(m, &names[i], owners, other);
		shared |= strcmp(owner, owners) != 0;
		if (names[i].role == settled.role && is_plainer_name(other, name)) {
			settled = names[i];
			memcpy(name, other, sizeof(name));
		}
	}
	if (shared)
		settled.owner = 0;
	if (settled.role == ROLE_WRAPPER && names[0].name != names[count - 1].name)
		settled.name = 0;
	return settled;
}

static void
settle_names(struct pytables *t)
{
	size_t kept = 0, n;

	if (t->count > 0)
		qsort(t->names, t->count, sizeof(*t->names), compare_pynames);
	for (size_t i = 0; i < t->count; i += n) {
		for (n = 1; i + n < t->count &&
		     t->names[i + n].start == t->names[i].start; n++)
			continue;
		t->names[kept++] = settle_one(t->module, t->names + i, n);
	}
	t->count = kept;
}

/* ---- all ----------------------------------------------------------------- */

/* Whether the module names a function of Python's, which each extension calls and each
 * interpreter has: PyModuleDef_Init, PyModule_Create2, PyModule_Type. */
static bool
uses_python(const struct elf_module *m)
{
	static const char sought[] = "\0PyModule";
	const size_t len = sizeof(sought) - 1;
	const struct elf_extent *names = &m->dynsym.names;
	char text[65536];

	for (uint64_t at = 0; names->size - at >= len;) {
		size_t n = names->size - at < sizeof(text) ?
		    (size_t)(names->size - at) : sizeof(text);
		if (!elf_module_read(m, names->offset + at, text, n))
			return false;
		if (memmem(text, n, sought, len) != NULL)
			return true;
		if (n < sizeof(text))
			return false;
		at += n - len;
	}
	return false;
}

static void
shrink_names(struct pytables *t)
{
	struct pyname *p = reallocarray(t->names, t->count, sizeof(*p));

	if (p != NULL) {
		t->names = p;
		t->max = t->count;
	}
}

struct pytables *
pytables_new(const struct elf_module *m, native_function *function_of, void *arg)
{
	struct table_scan s = {.module = m, .function_of = function_of, .arg = arg};

	if (!uses_python(m) || (s.tables = calloc(1, sizeof(*s.tables))) == NULL)
		return NULL;
	s.tables->module = m;
	s.failed = !copy_data(&s);
	elf_module_relocated(m, relocate, &s);
	search(&s);
	for (size_t i = 0; i < s.nparts; i++)
		free(s.parts[i].words);
	settle_names(s.tables);
	if (s.tables->count > 0) {
		shrink_names(s.tables);
		return s.tables;
	}
	pytables_free(s.tables);
	return NULL;
}

static const struct pyname *
pyname_at(const struct pytables *t, uint64_t start)
{
	uint64_t place = start - t->module->base;
	size_t low = 0, high = t->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (t->names[middle].start < place)
			low = middle + 1;
		else
			high = middle;
	}
	return low < t->count && t->names[low].start == place ?
	    &t->names[low] : NULL;
}

bool
pytables_find(const struct pytables *t, uint64_t start, char *name, size_t size)
{
	static const char *const before[] = {[ROLE_SETTER] = "set ",
		[ROLE_CALLER] = "slot ", [ROLE_WRAPPER] = "wrapper of "};
	const struct pyname *n = start > t->module->base ? pyname_at(t, start) : NULL;
	char owner[NAME_SIZE], part[NAME_SIZE];

	if (n == NULL)
		return false;
	read_parts(t->module, n, owner, part);
	if (n->role == ROLE_METHOD && strcmp(owner, "builtins") == 0)
		*owner = '\0';
	if (n->role < ROLE_METHOD && *part != '.')
		snprintf(name, size, "%s%s%s", part, *owner != '\0' ? " " : "", owner);
	else
		snprintf(name, size, "%s%s%s%s", n->role > ROLE_GETTER ?
		    before[n->role] : "", owner, *owner != '\0' ? "." : "",
		    part + (*part == '.'));
	return *part != '\0';
}

size_t
pytables_count(const struct pytables *t)
{
	return t->count;
}

size_t
pytables_memory(const struct pytables *t)
{
	return sizeof(*t) + t->max * sizeof(*t->names);
}

void
pytables_free(struct pytables *t)
{
	if (t == NULL)
		return;
	free(t->names);
	free(t);
}
