/* SPDX-License-Identifier: ISC */
/*
 * cfi.c: see cfi.h.  The section is a list of entries.  A CIE has what many functions
 * have in common; an FDE has a function's range, and instructions which make its rows
 * one after the other.
 */
#include "native/cfi.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"

#define STATES_MAX 8	/* that instructions remember at once */
#define COMMON_MAX 256	/* bytes of a CIE's instructions: each FDE runs them */
#define LETTERS_MAX 16	/* bytes of a CIE's augmentation */
#define LENGTHS_SIZE 12 /* bytes: of an entry's length, in both forms */
#define EXPRESSION_MAX 256 /* bytes */
#define RULES_MAX (1u << 16)
#define SAVED_MAX (1u << 19)
#define EXPRESSIONS_MAX (1u << 22) /* bytes */
#define ALIKE 16	/* of the last rules, one may be like the new one */
#define SPAN_MAX UINT32_MAX /* bytes from the first function to the last */
#define INDEX_SHIFT 9	/* of 512 bytes a block; larger if they are mostly empty */
#define ALIGNMENT 16	/* bytes: functions begin at multiples of it, or close together */

#define ENCODING_OMITTED 0xff
#define ENCODING_INDIRECT 0x80
#define ENCODING_FORM 0x0f
#define ENCODING_FROM 0x70
#define ENCODING_FROM_HERE 0x10

const struct cfi_machine cfi_x86_64 = {.sp = 7, .fp = 6, .ra = 16,
    .ra_in_frame = true, .kept = UINT64_C(0xf0c8) /* rbx, rbp, rsp, r12 to r15 */,
    .pc_mask = UINT64_MAX};
/* Addresses of programs have 48 bits, unless they ask for more. */
const struct cfi_machine cfi_aarch64 = {.sp = 31, .fp = 29, .ra = 30,
    .kept = UINT64_C(0xbff80000) /* x19 to x29, sp */,
    .pc_mask = UINT64_C(0x0000ffffffffffff)};

const struct cfi_machine *
cfi_our_machine(void)
{
#ifdef __aarch64__
	return &cfi_aarch64;
#else
	return &cfi_x86_64;
#endif
}

/* ---- bytes ------------------------------------------------------------- */

/* Bytes that are read one after the other.  Behind the end all values are 0, and
 * `bad` is set. */
struct cfi_cursor {
	const uint8_t *at, *end;
	bool bad;
};

static const uint8_t *
take(struct cfi_cursor *c, uint64_t n)
{
	const uint8_t *p = c->at;

	if (c->bad || n > (uint64_t)(c->end - c->at)) {
		c->bad = true;
		return NULL;
	}
	c->at += n;
	return p;
}

uint64_t
cfi_number(const uint8_t *p, size_t size)
{
	uint16_t two;
	uint32_t four;
	uint64_t eight;

	switch (size) {
	case 1:
		return *p;
	case 2:
		memcpy(&two, p, size);
		return two;
	case 4:
		memcpy(&four, p, size);
		return four;
	default:
		memcpy(&eight, p, sizeof(eight));
		return eight;
	}
}

static uint64_t
take_fixed(struct cfi_cursor *c, size_t size)
{
	const uint8_t *p = take(c, size);

	return p != NULL ? cfi_number(p, size) : 0;
}

static uint8_t
take_byte(struct cfi_cursor *c)
{
	return (uint8_t)take_fixed(c, 1);
}

static uint64_t
extend_sign(uint64_t v, unsigned bits)
{
	return bits < 64 && (v >> (bits - 1) & 1) != 0 ? v | ~UINT64_C(0) << bits : v;
}

uint64_t
cfi_leb(const uint8_t **at, const uint8_t *end, bool has_sign)
{
	unsigned shift = 0;
	uint64_t v = 0;

	for (const uint8_t *p = *at; p < end; p++) {
		if (shift < 64)
			v |= (uint64_t)(*p & 0x7f) << shift;
		shift += 7;
		if ((*p & 0x80) == 0) {
			*at = p + 1;
			return has_sign ? extend_sign(v, shift) : v;
		}
	}
	*at = NULL;
	return 0;
}

static uint64_t
take_leb(struct cfi_cursor *c, bool has_sign)
{
	const uint8_t *at = c->at;
	uint64_t v = c->bad ? 0 : cfi_leb(&at, c->end, has_sign);

	if (at == NULL)
		c->bad = true;
	else
		c->at = at;
	return v;
}

/* ---- pointers ---------------------------------------------------------- */

static uint64_t
take_form(struct cfi_cursor *c, uint8_t form)
{
	switch (form) {
	case 0x00: /* a pointer */
	case 0x04:
	case 0x0c:
		return take_fixed(c, 8);
	case 0x01:
		return take_leb(c, false);
	case 0x09:
		return take_leb(c, true);
	case 0x02:
		return take_fixed(c, 2);
	case 0x0a:
		return extend_sign(take_fixed(c, 2), 16);
	case 0x03:
		return take_fixed(c, 4);
	case 0x0b:
		return extend_sign(take_fixed(c, 4), 32);
	default:
		c->bad = true;
		return 0;
	}
}

/* The address that a pointer leads to; the cursor is bad if it cannot be known. */
static uint64_t
take_pointer(struct cfi_cursor *c, const struct cfi_section *s, uint8_t encoding)
{
	uint64_t here = s->addr + (uint64_t)(c->at - s->bytes);
	uint8_t from = encoding & ENCODING_FROM;
	uint64_t v = take_form(c, encoding & ENCODING_FORM);

	c->bad = c->bad || (encoding & ENCODING_INDIRECT) != 0 ||
	    (from != 0 && from != ENCODING_FROM_HERE);
	return from == ENCODING_FROM_HERE ? here + v : v;
}

/* ---- entries ----------------------------------------------------------- */

struct cfi_common { /* a CIE */
	size_t at; /* its offset in the section; SIZE_MAX: none was read */
	bool good;
	uint64_t code_unit;
	int64_t data_unit;
	uint8_t encoding; /* of pointers to code */
	bool has_lengths; /* each FDE has a length before what it adds itself */
	bool signal;
	struct cfi_cursor code;
};

struct cfi_entry { /* a CIE or an FDE */
	struct cfi_cursor rest; /* behind the id */
	size_t at;		/* offset in the section */
	size_t common;		/* the offset of its CIE; SIZE_MAX: it is one */
	uint64_t id_at;
};

/* Whether the next bytes of a section, up to so many, are there. */
static bool
have(const struct cfi_cursor *c, const struct cfi_section *s, uint64_t len)
{
	uint64_t left = (uint64_t)(c->end - c->at);

	return s->need == NULL || s->need(s, (size_t)(c->at - s->bytes),
	    (size_t)(len < left ? len : left));
}

/* Takes the next entry.  False at the end of the section, or of what makes sense. */
static bool
next_entry(struct cfi_cursor *c, const struct cfi_section *s, struct cfi_entry *e)
{
	uint64_t len, id, here;
	const uint8_t *p;

	e->at = (size_t)(c->at - s->bytes);
	if (!have(c, s, LENGTHS_SIZE))
		return false;
	if ((len = take_fixed(c, 4)) == UINT32_MAX)
		len = take_fixed(c, 8);
	here = (uint64_t)(c->at - s->bytes);
	if (len == 0 || !have(c, s, len) || (p = take(c, len)) == NULL)
		return false;
	e->rest = (struct cfi_cursor){p, p + len, false};
	id = take_fixed(&e->rest, 4);
	e->common = id == 0 ? SIZE_MAX : id <= here ? (size_t)(here - id) : s->len;
	return !e->rest.bad;
}

/* Takes the part of a CIE that the letters of its augmentation name. */
static void
take_letters(struct cfi_common *m, const struct cfi_section *s, const char *letters,
    struct cfi_cursor *c)
{
	for (; *letters != '\0'; letters++)
		switch (*letters) {
		case 'z':
			m->has_lengths = true;
			take_leb(c, false);
			break;
		case 'L':
			take_byte(c);
			break;
		case 'R':
			m->encoding = take_byte(c);
			break;
		case 'P':
			take_pointer(c, s, take_byte(c) & ENCODING_FORM);
			break;
		case 'S':
			m->signal = true;
			break;
		case 'B': /* arm64: return addresses are signed by the other key */
		case 'G':
			break;
		default:
			c->bad = true;
		}
}

static struct cfi_common
take_common(const struct cfi_section *s, struct cfi_entry *e, uint8_t ra)
{
	struct cfi_common m = {.at = e->at};
	struct cfi_cursor *c = &e->rest;
	uint8_t version = take_byte(c);
	const char *letters = (const char *)c->at;
	size_t room = (size_t)(c->end - c->at);
	const uint8_t *end = c->bad ? NULL :
	    memchr(c->at, '\0', room < LETTERS_MAX ? room : LETTERS_MAX);

	if (end == NULL || version == 0 || version > 4 || version == 2)
		return m;
	c->at = end + 1;
	if (version == 4)
		take(c, 2); /* sizes of an address and of a segment's number */
	m.code_unit = take_leb(c, false);
	m.data_unit = (int64_t)take_leb(c, true);
	c->bad = (version == 1 ? take_byte(c) : take_leb(c, false)) != ra ||
	    c->bad || (*letters != '\0' && *letters != 'z');
	take_letters(&m, s, letters, c);
	m.code = *c;
	m.good = !c->bad && c->end - c->at <= COMMON_MAX;
	return m;
}

/* Finds the CIE at an offset, unless it was the last one, too. */
static void
find_common(struct cfi_common *m, const struct cfi_section *s, size_t at, uint8_t ra)
{
	struct cfi_cursor c = {s->bytes + (at < s->len ? at : s->len),
	    s->bytes + s->len, false};
	struct cfi_entry e;

	if (m->at == at)
		return;
	*m = (struct cfi_common){.at = at};
	if (next_entry(&c, s, &e) && e.common == SIZE_MAX)
		*m = take_common(s, &e, ra);
}

/* ---- functions --------------------------------------------------------- */

struct cfi_range {
	uint64_t start, end;
	size_t common;	   /* offset of the CIE */
	size_t code, len;  /* offset of the instructions, and their bytes */
};

struct cfi_ranges {
	struct cfi_range *list;
	size_t count, max;
};

/* Takes an FDE's range.  False if out of memory. */
static bool
take_range(struct cfi_ranges *r, const struct cfi_section *s,
    const struct cfi_common *m, struct cfi_entry *e)
{
	struct cfi_cursor *c = &e->rest;
	struct cfi_range *p, f = {.common = e->common};
	uint64_t len;

	f.start = take_pointer(c, s, m->encoding);
	len = take_form(c, m->encoding & ENCODING_FORM);
	if (m->has_lengths)
		take(c, take_leb(c, false));
	f.end = f.start + len;
	f.code = (size_t)(c->at - s->bytes);
	f.len = (size_t)(c->end - c->at);
	if (c->bad || len == 0 || f.end < f.start)
		return true;
	if ((p = array_grow(r->list, r->count, &r->max, sizeof(*p))) == NULL)
		return false;
	r->list = p;
	p[r->count++] = f;
	return true;
}

static int
in_order_of_start(const void *a, const void *b)
{
	const struct cfi_range *x = a, *y = b;

	return x->start != y->start ? (x->start < y->start ? -1 : 1) :
	    (x->code > y->code) - (x->code < y->code);
}

static void
sort_ranges(struct cfi_ranges *r)
{
	bool sorted = true;

	for (size_t i = 1; i < r->count; i++)
		sorted = sorted && r->list[i - 1].start <= r->list[i].start;
	if (!sorted)
		qsort(r->list, r->count, sizeof(*r->list), in_order_of_start);
}

/* Lists the functions in the order of their addresses; linkers need not do so. */
static bool
list_ranges(struct cfi_ranges *r, const struct cfi_section *s, uint8_t ra)
{
	struct cfi_cursor c = {s->bytes, s->bytes + s->len, false};
	struct cfi_common m = {.at = SIZE_MAX};
	struct cfi_entry e;

	while (next_entry(&c, s, &e)) {
		if (e.common == SIZE_MAX)
			continue;
		find_common(&m, s, e.common, ra);
		if (m.good && !take_range(r, s, &m, &e))
			return false;
	}
	sort_ranges(r);
	return true;
}

/* Lists the functions whose entries are at some offsets. */
static bool
list_some(struct cfi_ranges *r, const struct cfi_section *s, uint8_t ra,
    const size_t *offsets, size_t n)
{
	struct cfi_common m = {.at = SIZE_MAX};
	struct cfi_entry e;

	for (size_t i = 0; i < n; i++) {
		size_t at = offsets[i] < s->len ? offsets[i] : s->len;
		struct cfi_cursor c = {s->bytes + at, s->bytes + s->len, false};
		if (!next_entry(&c, s, &e) || e.common == SIZE_MAX)
			continue;
		find_common(&m, s, e.common, ra);
		if (m.good && !take_range(r, s, &m, &e))
			return false;
	}
	sort_ranges(r);
	return true;
}

/* ---- rows -------------------------------------------------------------- */

/* Where a register is: enum cfi_how, and its offset or its expression. */
struct cfi_place {
	uint8_t how;
	int64_t offset; /* or a register */
	struct cfi_cursor expression;
};

/* What instructions have said so far. */
struct cfi_state {
	struct cfi_place cfa; /* ->offset is that from the register */
	uint8_t cfa_reg;
	struct cfi_place regs[CFI_REGISTERS];
};

struct cfi_maker {
	struct cfi *t;
	const struct cfi_section *s;
	struct cfi_common common;
	struct cfi_state now, first, kept[STATES_MAX];
	size_t nkept;
	uint64_t at, end; /* the row's address; where the function ends */
	bool begins;	  /* the next row is the function's first one */
	bool nomem;
};

static void
put_cfi_row(struct cfi_maker *k, uint64_t at, uint32_t value)
{
	struct cfi *t = k->t;
	struct cfi_row *p = array_grow(t->rows, t->count, &t->rows_max, sizeof(*p));

	if ((k->nomem = k->nomem || p == NULL))
		return;
	t->rows = p;
	p[t->count++] = (struct cfi_row){(uint32_t)(at - t->base), value};
}

/* Whether a word at a small distance below the frame's end has a register; *slot:
 * number of words. */
static bool
is_in_slot(const struct cfi_place *p, uint32_t *slot)
{
	if (p->how != CFI_AT || p->offset >= 0 || p->offset % 8 != 0 ||
	    p->offset < -0x1ff * 8)
		return false;
	*slot = (uint32_t)(-p->offset / 8);
	return true;
}

/* Whether the return address is where a simple row has it. */
static bool
has_usual_return(const struct cfi_maker *k, uint32_t slot)
{
	const struct cfi_machine *m = k->t->machine;
	const struct cfi_place *ra = &k->now.regs[m->ra];
	uint32_t at;

	if (m->ra_in_frame)
		return is_in_slot(ra, &at) && at == 1;
	return slot == 0 ? ra->how == CFI_SAME : is_in_slot(ra, &at) && at == slot - 1;
}

/* Makes a row of eight bytes of the state.  False if it does not fit. */
static bool
pack(const struct cfi_maker *k, uint32_t *value)
{
	const struct cfi_machine *m = k->t->machine;
	const struct cfi_place *cfa = &k->now.cfa, *fp = &k->now.regs[m->fp];
	uint32_t slot = 0, kind;

	if (k->now.regs[m->ra].how == CFI_LOST) {
		*value = CFI_LAST;
		return true;
	}
	if (k->common.signal || cfa->how != CFI_IN || cfa->offset % 8 != 0 ||
	    cfa->offset / 8 < -(1 << 18) || cfa->offset / 8 >= 1 << 18 ||
	    (k->now.cfa_reg != m->sp && k->now.cfa_reg != m->fp) ||
	    (fp->how != CFI_SAME && !is_in_slot(fp, &slot)) ||
	    !has_usual_return(k, slot))
		return false;
	kind = k->now.cfa_reg == m->sp ? CFI_SP : CFI_FP;
	*value = kind | slot << 4 | (uint32_t)(cfa->offset / 8) << 13;
	return true;
}

/* ---- rules ------------------------------------------------------------- */

/* Copies an expression.  -1 if there is no room. */
static int32_t
add_expression(struct cfi_maker *k, const struct cfi_cursor *x)
{
	struct cfi *t = k->t;
	size_t len = (size_t)(x->end - x->at), at = t->expressions_len;
	uint8_t *p;

	if (len > EXPRESSION_MAX || at + len + 2 > EXPRESSIONS_MAX)
		return -1;
	p = array_reserve(t->expressions, &t->expressions_max, at + len + 2, 1);
	if ((k->nomem = k->nomem || p == NULL))
		return -1;
	t->expressions = p;
	p[at] = (uint8_t)len;
	p[at + 1] = (uint8_t)(len >> 8);
	memcpy(p + at + 2, x->at, len);
	t->expressions_len += len + 2;
	return (int32_t)at;
}

static bool
is_expression(uint8_t how)
{
	return how == CFI_AT_RESULT || how == CFI_IS_RESULT;
}

/* The value of a register in a rule.  False if it cannot be one. */
static bool
value_of(struct cfi_maker *k, const struct cfi_place *p, int32_t *value)
{
	if (is_expression(p->how))
		return (*value = add_expression(k, &p->expression)) >= 0;
	*value = (int32_t)p->offset;
	return *value == p->offset;
}

static bool
add_saved(struct cfi_maker *k, uint8_t reg, const struct cfi_place *p)
{
	struct cfi_saved *list, one = {.reg = reg, .how = p->how};
	struct cfi *t = k->t;

	if (t->nsaved >= SAVED_MAX || !value_of(k, p, &one.value))
		return false;
	list = array_grow(t->saved, t->nsaved, &t->saved_max, sizeof(*list));
	if ((k->nomem = k->nomem || list == NULL))
		return false;
	t->saved = list;
	list[t->nsaved++] = one;
	return true;
}

static bool
same_expression(const struct cfi *t, int32_t a, int32_t b)
{
	size_t n = 0, m = 0;
	const uint8_t *x = cfi_expression(t, a, &n), *y = cfi_expression(t, b, &m);

	return x != NULL && y != NULL && n == m && memcmp(x, y, n) == 0;
}

static bool
same_value(const struct cfi *t, uint8_t how, int32_t a, int32_t b)
{
	return a == b || (is_expression(how) && same_expression(t, a, b));
}

static bool
same_rule(const struct cfi *t, const struct cfi_rule *a, const struct cfi_rule *b)
{
	if (a->cfa_how != b->cfa_how || a->cfa_reg != b->cfa_reg ||
	    a->count != b->count || a->signal != b->signal ||
	    !same_value(t, a->cfa_how, a->cfa, b->cfa))
		return false;
	for (size_t i = 0; i < a->count; i++) {
		const struct cfi_saved *x = &t->saved[a->first + i];
		const struct cfi_saved *y = &t->saved[b->first + i];
		if (x->reg != y->reg || x->how != y->how ||
		    !same_value(t, x->how, x->value, y->value))
			return false;
	}
	return true;
}

/* Adds a rule of the state.  False if there is no room, or if it makes no sense. */
static bool
add_rule(struct cfi_maker *k, struct cfi_rule *r)
{
	struct cfi *t = k->t;
	struct cfi_rule *list;

	*r = (struct cfi_rule){.cfa_how = k->now.cfa.how, .cfa_reg = k->now.cfa_reg,
	    .signal = k->common.signal, .first = (uint32_t)t->nsaved};
	if (t->nrules >= RULES_MAX || (r->cfa_how != CFI_IN &&
		r->cfa_how != CFI_IS_RESULT) || !value_of(k, &k->now.cfa, &r->cfa))
		return false;
	for (uint8_t i = 0; i < CFI_REGISTERS; i++)
		if (k->now.regs[i].how != CFI_SAME) {
			if (!add_saved(k, i, &k->now.regs[i]))
				return false;
			r->count++;
		}
	list = array_grow(t->rules, t->nrules, &t->rules_max, sizeof(*list));
	if ((k->nomem = k->nomem || list == NULL))
		return false;
	t->rules = list;
	list[t->nrules++] = *r;
	return true;
}

/* The row of the state, as a rule.  A rule like one of the last ones is that one. */
static uint32_t
rule_row(struct cfi_maker *k)
{
	struct cfi *t = k->t;
	size_t saved = t->nsaved, expressions = t->expressions_len;
	size_t n = t->nrules;
	struct cfi_rule r;

	if (!add_rule(k, &r)) {
		t->nsaved = saved;
		t->expressions_len = expressions;
		return CFI_NONE;
	}
	for (size_t i = 1; i <= ALIKE && i <= n; i++)
		if (same_rule(t, &t->rules[n - i], &r)) {
			t->nrules = n;
			t->nsaved = saved;
			t->expressions_len = expressions;
			return CFI_RULE | (uint32_t)(n - i) << 13;
		}
	return CFI_RULE | (uint32_t)n << 13;
}

/* Makes a row of the state at the address, if it is another one than the last. */
static void
make_row(struct cfi_maker *k)
{
	const struct cfi *t = k->t;
	uint32_t value;

	if (k->nomem)
		return;
	if (!pack(k, &value))
		value = rule_row(k);
	if (k->begins)
		put_cfi_row(k, k->at, value | 1u << 3);
	else if ((t->rows[t->count - 1].value & ~(1u << 3)) != value)
		put_cfi_row(k, k->at, value);
	k->begins = false;
}

/* ---- instructions ------------------------------------------------------ */

static void
advance(struct cfi_maker *k, uint64_t units)
{
	uint64_t n = units * k->common.code_unit;

	if (n == 0)
		return;
	make_row(k);
	k->at = n < k->end - k->at ? k->at + n : k->end;
}

static void
set_place(struct cfi_maker *k, uint64_t reg, uint8_t how, int64_t offset)
{
	if (reg < CFI_REGISTERS)
		k->now.regs[reg] = (struct cfi_place){how, offset, {0}};
}

static void
set_expression(struct cfi_cursor *c, struct cfi_place *p, uint8_t how)
{
	uint64_t len = take_leb(c, false);
	const uint8_t *x = take(c, len);

	if (x != NULL && p != NULL)
		*p = (struct cfi_place){how, 0, {x, x + len, false}};
}

static struct cfi_place *
place_of(struct cfi_maker *k, uint64_t reg)
{
	return reg < CFI_REGISTERS ? &k->now.regs[reg] : NULL;
}

static int64_t
take_offset(struct cfi_maker *k, struct cfi_cursor *c, bool has_sign)
{
	uint64_t v = take_leb(c, has_sign);

	return (int64_t)(v * (uint64_t)k->common.data_unit);
}

static void
set_cfa(struct cfi_maker *k, struct cfi_cursor *c, uint64_t reg, int64_t offset)
{
	c->bad = c->bad || reg >= CFI_REGISTERS;
	k->now.cfa = (struct cfi_place){CFI_IN, offset, {0}};
	k->now.cfa_reg = (uint8_t)reg;
}

static void
restore(struct cfi_maker *k, uint64_t reg)
{
	if (reg < CFI_REGISTERS)
		k->now.regs[reg] = k->first.regs[reg];
}

static void
remember(struct cfi_maker *k, struct cfi_cursor *c)
{
	if (k->nkept == STATES_MAX)
		c->bad = true;
	else
		k->kept[k->nkept++] = k->now;
}

static void
recall(struct cfi_maker *k, struct cfi_cursor *c)
{
	if (k->nkept == 0)
		c->bad = true;
	else
		k->now = k->kept[--k->nkept];
}

/* The names of the operations are DWARF's, without DW_CFA_. */
enum {
	SET_LOC = 0x01,
	ADVANCE_LOC1 = 0x02,
	ADVANCE_LOC2 = 0x03,
	ADVANCE_LOC4 = 0x04,
	OFFSET_EXTENDED = 0x05,
	RESTORE_EXTENDED = 0x06,
	UNDEFINED = 0x07,
	SAME_VALUE = 0x08,
	REGISTER = 0x09,
	REMEMBER_STATE = 0x0a,
	RESTORE_STATE = 0x0b,
	DEF_CFA = 0x0c,
	DEF_CFA_REGISTER = 0x0d,
	DEF_CFA_OFFSET = 0x0e,
	DEF_CFA_EXPRESSION = 0x0f,
	EXPRESSION = 0x10,
	OFFSET_EXTENDED_SF = 0x11,
	DEF_CFA_SF = 0x12,
	DEF_CFA_OFFSET_SF = 0x13,
	VAL_OFFSET = 0x14,
	VAL_OFFSET_SF = 0x15,
	VAL_EXPRESSION = 0x16,
	NEGATE_RA_STATE = 0x2d, /* arm64: the return address is signed, or not */
	GNU_ARGS_SIZE = 0x2e,
	GNU_NEGATIVE_OFFSET = 0x2f,
	ADVANCE_LOC = 1, /* in the two highest bits, with a number below them */
	OFFSET = 2,
	RESTORE = 3,
};

/* Runs an instruction that is about the frame's end. */
static bool
run_cfa(struct cfi_maker *k, struct cfi_cursor *c, uint8_t op)
{
	uint64_t reg = k->now.cfa_reg;

	switch (op) {
	case DEF_CFA:
		reg = take_leb(c, false);
		set_cfa(k, c, reg, (int64_t)take_leb(c, false));
		break;
	case DEF_CFA_SF:
		reg = take_leb(c, false);
		set_cfa(k, c, reg, take_offset(k, c, true));
		break;
	case DEF_CFA_REGISTER:
		set_cfa(k, c, take_leb(c, false), k->now.cfa.offset);
		break;
	case DEF_CFA_OFFSET:
		set_cfa(k, c, reg, (int64_t)take_leb(c, false));
		break;
	case DEF_CFA_OFFSET_SF:
		set_cfa(k, c, reg, take_offset(k, c, true));
		break;
	case DEF_CFA_EXPRESSION:
		set_expression(c, &k->now.cfa, CFI_IS_RESULT);
		break;
	default:
		return false;
	}
	return true;
}

/* Runs an instruction that is about one register. */
static bool
run_register(struct cfi_maker *k, struct cfi_cursor *c, uint8_t op)
{
	uint64_t reg = take_leb(c, false);

	switch (op) {
	case OFFSET_EXTENDED:
		set_place(k, reg, CFI_AT, take_offset(k, c, false));
		break;
	case OFFSET_EXTENDED_SF:
		set_place(k, reg, CFI_AT, take_offset(k, c, true));
		break;
	case GNU_NEGATIVE_OFFSET:
		set_place(k, reg, CFI_AT, -take_offset(k, c, false));
		break;
	case VAL_OFFSET:
		set_place(k, reg, CFI_IS, take_offset(k, c, false));
		break;
	case VAL_OFFSET_SF:
		set_place(k, reg, CFI_IS, take_offset(k, c, true));
		break;
	case RESTORE_EXTENDED:
		restore(k, reg);
		break;
	case UNDEFINED:
		set_place(k, reg, CFI_LOST, 0);
		break;
	case SAME_VALUE:
		set_place(k, reg, CFI_SAME, 0);
		break;
	case REGISTER:
		set_place(k, reg, CFI_IN, (int64_t)take_leb(c, false));
		break;
	case EXPRESSION:
		set_expression(c, place_of(k, reg), CFI_AT_RESULT);
		break;
	case VAL_EXPRESSION:
		set_expression(c, place_of(k, reg), CFI_IS_RESULT);
		break;
	case GNU_ARGS_SIZE: /* its operand was taken for a register */
		break;
	default:
		return false;
	}
	return true;
}

/* Runs an instruction without an operand in its first byte. */
static void
run_plain(struct cfi_maker *k, struct cfi_cursor *c, uint8_t op)
{
	switch (op) {
	case 0: /* nothing */
	case NEGATE_RA_STATE:
		break;
	case ADVANCE_LOC1:
		advance(k, take_fixed(c, 1));
		break;
	case ADVANCE_LOC2:
		advance(k, take_fixed(c, 2));
		break;
	case ADVANCE_LOC4:
		advance(k, take_fixed(c, 4));
		break;
	case REMEMBER_STATE:
		remember(k, c);
		break;
	case RESTORE_STATE:
		recall(k, c);
		break;
	case SET_LOC: /* no compiler writes it */
		c->bad = true;
		break;
	default:
		if (!run_cfa(k, c, op) && !run_register(k, c, op))
			c->bad = true;
	}
}

/* Runs instructions until they end or make no sense, or until they have come to the
 * end of the function. */
static void
run(struct cfi_maker *k, struct cfi_cursor *c)
{
	while (c->at < c->end && !c->bad && !k->nomem && k->at < k->end) {
		uint8_t op = take_byte(c);
		switch (op >> 6) {
		case ADVANCE_LOC:
			advance(k, op & 0x3f);
			break;
		case OFFSET:
			set_place(k, op & 0x3f, CFI_AT, take_offset(k, c, false));
			break;
		case RESTORE:
			restore(k, op & 0x3f);
			break;
		default:
			run_plain(k, c, op);
		}
	}
}

/* Makes the state that a CIE has its functions begin with. */
static void
begin_state(struct cfi_maker *k)
{
	struct cfi_cursor c = k->common.code;
	uint64_t unit = k->common.code_unit;

	k->now = (struct cfi_state){.cfa = {.how = CFI_LOST}};
	k->nkept = 0;
	k->common.code_unit = 0; /* a CIE makes no rows */
	run(k, &c);
	k->common.code_unit = unit;
	k->common.good = !c.bad;
	k->first = k->now;
}

static void
make_function_rows(struct cfi_maker *k, const struct cfi_range *f)
{
	struct cfi_cursor c = {k->s->bytes + f->code,
	    k->s->bytes + f->code + f->len, false};
	size_t common = k->common.at;
	const uint8_t ra = k->t->machine->ra;

	k->at = f->start;
	k->end = f->end;
	k->begins = true;
	find_common(&k->common, k->s, f->common, ra);
	if (k->common.at != common && k->common.good)
		begin_state(k);
	k->now = k->first;
	k->nkept = 0;
	if (k->common.good)
		run(k, &c);
	if (k->at < k->end && k->common.good && !c.bad)
		make_row(k);
	else if (k->at < k->end) {
		put_cfi_row(k, k->at, (k->begins ? 1u << 3 : 0) | CFI_NONE);
		k->begins = false;
	}
}

/* ---- the table --------------------------------------------------------- */

/* Whether a gap before a function only brings it to a multiple of ALIGNMENT.  It takes no
 * row: its addresses count as the function's before it. */
static bool
is_padding(uint64_t gap, uint64_t start)
{
	return start % ALIGNMENT == 0 && start - gap < ALIGNMENT;
}

/* Makes the rows of all functions.  A function in another one is left out.  next: where
 * the one behind them begins; 0: there is none. */
static bool
make_all(struct cfi *t, const struct cfi_section *s, const struct cfi_ranges *r,
    uint64_t next)
{
	struct cfi_maker *k = calloc(1, sizeof(*k));
	uint64_t end = 0;
	bool ok;

	if (k == NULL)
		return false;
	k->t = t;
	k->s = s;
	k->common.at = SIZE_MAX;
	t->base = r->count > 0 ? r->list[0].start : 0;
	for (size_t i = 0; i < r->count && !k->nomem; i++) {
		const struct cfi_range *f = &r->list[i];
		if (f->start < end || f->end - t->base > SPAN_MAX)
			continue;
		if (f->start > end && t->count > 0 && !is_padding(end, f->start))
			put_cfi_row(k, end, CFI_NONE);
		make_function_rows(k, f);
		end = f->end;
	}
	if (t->count > 0)
		put_cfi_row(k, next > end && is_padding(end, next) ? next : end,
		    CFI_NONE);
	ok = !k->nomem;
	free(k);
	return ok;
}

static bool
make_index(struct cfi *t)
{
	uint64_t span = t->count > 0 ? t->rows[t->count - 1].start : 0;
	size_t row = 0;

	t->shift = INDEX_SHIFT;
	while (span >> t->shift > 4 * t->count)
		t->shift++;
	t->blocks = (size_t)(span >> t->shift) + 1;
	if ((t->index = calloc(t->blocks + 1, sizeof(*t->index))) == NULL)
		return false;
	for (size_t b = 0; b < t->blocks; b++) {
		while (row + 1 < t->count &&
		    t->rows[row + 1].start <= (uint64_t)b << t->shift)
			row++;
		t->index[b] = (uint32_t)row;
	}
	t->index[t->blocks] = t->count > 0 ? (uint32_t)t->count - 1 : 0;
	return true;
}

/* Gives back the memory that no row has come to. */
static void
trim_rows(struct cfi *t)
{
	void *p = t->count > 0 ?
	    reallocarray(t->rows, t->count, sizeof(*t->rows)) : NULL;

	if (p == NULL)
		return;
	t->rows = p;
	t->rows_max = t->count;
}

/* Makes the table of functions that were listed, if they were; frees the list. */
static bool
build_of_ranges(struct cfi *t, const struct cfi_section *s, struct cfi_ranges *r,
    bool listed, uint64_t next)
{
	bool ok = listed && make_all(t, s, r, next);

	free(r->list);
	if (!ok)
		return false;
	trim_rows(t);
	return make_index(t);
}

bool
cfi_build(struct cfi *t, const struct cfi_machine *machine,
    const struct cfi_section *s)
{
	struct cfi_ranges r = {0};
	bool listed = s->len <= CFI_SECTION_MAX && list_ranges(&r, s, machine->ra);

	*t = (struct cfi){.machine = machine};
	return build_of_ranges(t, s, &r, listed, 0);
}

bool
cfi_build_some(struct cfi *t, const struct cfi_machine *machine,
    const struct cfi_section *s, const size_t *offsets, size_t n, uint64_t next)
{
	struct cfi_ranges r = {0};
	bool listed = list_some(&r, s, machine->ra, offsets, n);

	*t = (struct cfi){.machine = machine};
	return build_of_ranges(t, s, &r, listed, next);
}

void
cfi_free(struct cfi *t)
{
	free(t->rows);
	free(t->index);
	free(t->rules);
	free(t->saved);
	free(t->expressions);
	*t = (struct cfi){0};
}

/* ---- questions --------------------------------------------------------- */

/* The number of the row that an address is in; t->count if there is none. */
static size_t
find_row(const struct cfi *t, uint64_t addr)
{
	uint64_t off = addr - t->base;
	size_t low, high;

	if (t->count == 0 || addr < t->base || off >> t->shift >= t->blocks)
		return t->count;
	low = t->index[off >> t->shift];
	high = t->index[(off >> t->shift) + 1];
	while (low < high) {
		size_t mid = high - (high - low) / 2;
		if (t->rows[mid].start <= off)
			low = mid;
		else
			high = mid - 1;
	}
	return low;
}

uint32_t
cfi_row(const struct cfi *t, uint64_t addr)
{
	size_t row = find_row(t, addr);

	return row < t->count ? t->rows[row].value : CFI_NONE;
}

static bool
begins_function(const struct cfi *t, size_t row)
{
	return ROW_BEGINS(t->rows[row].value);
}

/* Whether no function is at a row: the space between two functions, which is the first
 * row behind the end of one.  A function without rules may also have such a row. */
static bool
is_between(const struct cfi *t, size_t row)
{
	return t->rows[row].value == CFI_NONE &&
	    (row + 1 == t->count || begins_function(t, row + 1));
}

bool
cfi_function(const struct cfi *t, uint64_t addr, uint64_t *start, uint64_t *end)
{
	size_t row = find_row(t, addr), next = row + 1;

	if (row >= t->count || is_between(t, row))
		return false;
	while (row > 0 && !begins_function(t, row))
		row--;
	while (next < t->count && !begins_function(t, next) && !is_between(t, next))
		next++;
	*start = t->base + t->rows[row].start;
	*end = next < t->count ? t->base + t->rows[next].start : *start;
	return true;
}

bool
cfi_is_part(const struct cfi *t, uint64_t start)
{
	uint32_t value = cfi_row(t, start);

	/* At its start, a function has nothing on the stack but the return address,
	 * if that is there. */
	return ROW_KIND(value) != CFI_SP || ROW_SLOT(value) != 0 ||
	    ROW_CFA(value) != (t->machine->ra_in_frame ? 1 : 0);
}

const uint8_t *
cfi_expression(const struct cfi *t, int32_t value, size_t *len)
{
	size_t at = (size_t)value;

	if (value < 0 || at + 2 > t->expressions_len)
		return NULL;
	*len = (size_t)t->expressions[at] | (size_t)t->expressions[at + 1] << 8;
	return *len <= t->expressions_len - at - 2 ? t->expressions + at + 2 : NULL;
}

size_t
cfi_size(const struct cfi *t)
{
	return t->rows_max * sizeof(*t->rows) +
	    (t->blocks + 1) * sizeof(*t->index) +
	    t->rules_max * sizeof(*t->rules) + t->saved_max * sizeof(*t->saved) +
	    t->expressions_max;
}
