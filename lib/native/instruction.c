/* SPDX-License-Identifier: ISC */
/* instruction.c: see instruction.h. */
#include "native/instruction.h"

#include <stddef.h>

/* A bit for each opcode of one byte: those with an operand in memory or a register ... */
static const uint32_t with_operand[8] = {0x0f0f0f0f, 0x0f0f0f0f, 0, 0x00000a08, 0x0000fffb,
    0, 0xff0f00c3, 0xc0c00000};
/* ... and those that are no instructions. */
static const uint32_t no_instruction[8] = {0xc0c040c0, 0x80808080, 0, 0x00000003,
    0x04000004, 0, 0x00704000, 0x00000400};

static bool
is_in(const uint32_t bits[8], uint8_t op)
{
	return (bits[op / 32] >> op % 32 & 1) != 0;
}

static bool
has_operand(const struct instruction *x)
{
	uint8_t op = x->op;

	if (x->vector)
		return x->table != WITH_0F || op != 0x77;
	switch (x->table) {
	case ONE_BYTE:
		return is_in(with_operand, op);
	case WITH_0F:
		return !((op >= 0x04 && op <= 0x0c) || op == 0x0e || op == 0x77 ||
		    (op >= 0x30 && op <= 0x37) || (op >= 0x80 && op <= 0x8f) ||
		    (op >= 0xa0 && op <= 0xa2) || (op >= 0xa8 && op <= 0xaa) ||
		    (op >= 0xc8 && op <= 0xcf));
	default:
		return true;
	}
}

/* Bytes of the number at an instruction's end.  half: its operands have 16 bits. */
static unsigned
number_size_of_one(const struct instruction *x, bool half)
{
	uint8_t op = x->op;
	unsigned full = half ? 2 : 4;

	if (op < 0x40)
		return (op & 7) == 4 ? 1 : (op & 7) == 5 ? full : 0;
	if ((op >= 0x70 && op <= 0x7f) || (op >= 0xb0 && op <= 0xb7) ||
	    (op >= 0xe0 && op <= 0xe7))
		return 1;
	if (op >= 0xb8 && op <= 0xbf)
		return x->wide ? 8 : full;
	switch (op) {
	case 0x6a: case 0x6b: case 0x80: case 0x83: case 0xa8: case 0xc0: case 0xc1:
	case 0xc6: case 0xcd: case 0xeb:
		return 1;
	case 0x68: case 0x69: case 0x81: case 0xa9: case 0xc7:
		return full;
	case 0xe8: case 0xe9:
		return 4;
	case 0xa0: case 0xa1: case 0xa2: case 0xa3:
		return 8;
	case 0xc2:
		return 2;
	case 0xc8:
		return 3;
	case 0xf6:
		return (x->reg & 7) < 2 ? 1 : 0;
	case 0xf7:
		return (x->reg & 7) < 2 ? full : 0;
	default:
		return 0;
	}
}

static unsigned
number_size(const struct instruction *x, bool half)
{
	uint8_t op = x->op;

	switch (x->table) {
	case ONE_BYTE:
		return number_size_of_one(x, half);
	case WITH_0F:
		if (op >= 0x80 && op <= 0x8f && !x->vector)
			return 4;
		return (op >= 0x70 && op <= 0x73) || op == 0xa4 || op == 0xac ||
		    op == 0xba || op == 0xc2 || (op >= 0xc4 && op <= 0xc6);
	case WITH_0F3A:
		return 1;
	default:
		return 0;
	}
}

static int64_t
signed_number(const uint8_t *p, unsigned size)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < size; i++)
		v |= (uint64_t)p[i] << 8 * i;
	if (size > 0 && size < 8 && (v >> (8 * size - 1) & 1) != 0)
		v |= ~UINT64_C(0) << 8 * size;
	return (int64_t)v;
}

/* Takes the operand in memory or a register.  Returns the address behind it.  A frame is
 * only reached by a register and a distance. */
static const uint8_t *
take_operand(struct instruction *x, const uint8_t *p, uint8_t rex, bool scaled)
{
	uint8_t mod = *p >> 6, low = *p & 7;
	unsigned size = mod == 1 ? 1 : mod == 2 ? 4 : 0;

	x->reg = (*p++ >> 3 & 7) | (rex & 4) << 1;
	x->is_register = mod == 3;
	x->rm = low | (rex & 1) << 3;
	if (mod == 3)
		return p;
	if (low == RSP) { /* another byte, with an index */
		uint8_t index = (*p >> 3 & 7) | (rex & 2) << 2;
		x->rm = index == RSP ? (*p & 7) | (rex & 1) << 3 : REGISTERS;
		low = *p++ & 7;
	}
	if (mod == 0 && low == RBP) { /* no register */
		x->rm = REGISTERS;
		size = 4;
	}
	x->disp = signed_number(p, size);
	if (scaled && size == 1)
		x->rm = REGISTERS;
	return p + size;
}

/* Takes a prefix of AVX and its opcode.  NULL if it is none. */
static const uint8_t *
take_vector(struct instruction *x, const uint8_t *p, uint8_t *rex)
{
	uint8_t first = *p, bits = p[1];
	uint8_t table = first == 0xc5 ? 1 : first == 0xc4 ? bits & 31 : bits & 7;

	x->vector = true;
	/* The bits are those of REX, inverted. */
	*rex = first == 0xc5 ? (~bits >> 7 & 1) << 2 : ~bits >> 5 & 7;
	p += first == 0xc5 ? 2 : first == 0xc4 ? 3 : 4;
	x->op = *p++;
	x->table = table > WITH_0F3A ? WITH_0F38 : table; /* those have no number */
	return table == 0 || table == 4 || table > 6 ? NULL : p;
}

/* Takes prefixes.  Returns the address behind them. */
static const uint8_t *
take_prefixes(const uint8_t *p, const uint8_t *end, uint8_t *rex, bool *half)
{
	for (; p < end; p++)
		switch (*p) {
		case 0x66:
			*half = true;
			break;
		case 0x26: case 0x2e: case 0x36: case 0x3e: case 0x64: case 0x65:
		case 0x67: case 0xf0: case 0xf2: case 0xf3:
			break;
		default:
			if (*p >> 4 != 4)
				return p;
			*rex = *p;
			return p + 1;
		}
	return p;
}

bool
instruction_take(struct instruction *x, const uint8_t *p)
{
	const uint8_t *begin = p;
	uint8_t rex = 0;
	bool half = false;
	unsigned size;

	*x = (struct instruction){0};
	p = take_prefixes(p, p + INSTRUCTION_MAX, &rex, &half);
	x->wide = (rex & 8) != 0;
	if (*p == 0xc4 || *p == 0xc5 || *p == 0x62) {
		bool scaled = *p == 0x62;
		if ((p = take_vector(x, p, &rex)) == NULL)
			return false;
		if (has_operand(x))
			p = take_operand(x, p, rex, scaled);
	} else {
		x->op = *p++;
		if (x->op == 0x0f) {
			x->table = *p == 0x38 ? WITH_0F38 : *p == 0x3a ? WITH_0F3A :
			    WITH_0F;
			p += x->table != WITH_0F;
			x->op = *p++;
		}
		if (x->table == ONE_BYTE && is_in(no_instruction, x->op))
			return false;
		x->rm = (x->op & 7) | (rex & 1) << 3;
		if (has_operand(x))
			p = take_operand(x, p, rex, false);
	}
	size = number_size(x, half);
	x->number = signed_number(p, size);
	x->len = (unsigned)(p - begin) + size;
	return x->len <= INSTRUCTION_MAX;
}
