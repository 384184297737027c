/* SPDX-License-Identifier: ISC */
/*
 * depths.h: how many values lie on a frame's evaluation stack before each instruction,
 * and where a call has its callable, or an operator its operands.
 *
 * To 3.13 a frame that runs does not have the end of its stack: it follows from the
 * bytecode.  From 3.14 on it has it while code of C runs.  The effects of the
 * opcodes are in one generated file a minor version, effects_3_*.c, made by mkdepths.
 */
#ifndef PYTHON_DEPTHS_H
#define PYTHON_DEPTHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The number that an operand adds py_effect.times of. */
enum py_operand {
	PY_OPERAND_NONE,
	PY_OPERAND_WHOLE,
	PY_OPERAND_LOW,	  /* bit 0 */
	PY_OPERAND_BIT_2,
	PY_OPERAND_FLAGS, /* how many of bits 0 to 3 are set */
	PY_OPERAND_BYTES, /* bits 0 to 7, and the number above them */
	PY_OPERAND_IS_3,
};

/* Bits of py_effect.flow. */
#define PY_FLOW_KNOWN 0x01	/* else it is written over another opcode, or is none */
#define PY_FLOW_GOES_ON 0x02	/* the next instruction may follow */
#define PY_FLOW_FORWARD 0x04	/* it may jump: forward, ... */
#define PY_FLOW_BACKWARD 0x08
#define PY_FLOW_ABSOLUTE 0x10	/* ... or to a place in the code */
#define PY_FLOW_EXTENDS 0x20	/* its operand belongs to the next instruction */
#define PY_FLOW_BEGINS 0x40	/* as the first, it finds one value */
/* To 3.8, of parts that are shared: see depths.c. */
#define PY_FLOW_SHARES 0x80	 /* one begins where it jumps to */
#define PY_FLOW_SHARES_NEXT 0x100 /* one begins behind it */
#define PY_FLOW_RAISES 0x200	 /* it is no way into a shared part */
#define PY_FLOW_EXIT 0x400	 /* a shared part that begins so pops a value below it */
#define PY_FLOW_ENDS 0x800	 /* a shared part ends; elsewhere, it raises */
#define PY_FLOW_POPS 0x1000	 /* a shared part is left */
/* 3.6: POP_EXCEPT; POP_BLOCK, which right behind it pops the iterator of an async for. */
#define PY_FLOW_HANDLED 0x2000
#define PY_FLOW_DROPS 0x4000

/* Where a call has its callable: a distance from the top of the stack, plus: */
#define PY_CALL_NEAR 0x07  /* the distance */
#define PY_CALL_WHOLE 0x08 /* the operand */
#define PY_CALL_LOW 0x10   /* its bit 0 */
#define PY_CALL_MAYBE 0x20 /* or, if that is NULL, one nearer */

/*
 * An instruction whose work is done by a type of C's: Python's operators, in the order of
 * BINARY_OP's and COMPARE_OP's operands, and other instructions that may take long.
 */
enum py_operator {
	PY_CALL, /* none: a call, or nothing of this kind */
	PY_ADD,
	PY_AND,
	PY_FLOOR_DIVIDE,
	PY_LSHIFT,
	PY_MATRIX_MULTIPLY,
	PY_MULTIPLY,
	PY_MODULO,
	PY_OR,
	PY_POWER,
	PY_RSHIFT,
	PY_SUBTRACT,
	PY_TRUE_DIVIDE,
	PY_XOR,
	PY_INPLACE_ADD, /* to PY_INPLACE_XOR likewise */
	PY_INPLACE_AND,
	PY_INPLACE_FLOOR_DIVIDE,
	PY_INPLACE_LSHIFT,
	PY_INPLACE_MATRIX_MULTIPLY,
	PY_INPLACE_MULTIPLY,
	PY_INPLACE_MODULO,
	PY_INPLACE_OR,
	PY_INPLACE_POWER,
	PY_INPLACE_RSHIFT,
	PY_INPLACE_SUBTRACT,
	PY_INPLACE_TRUE_DIVIDE,
	PY_INPLACE_XOR,
	PY_GETITEM,
	PY_LT,
	PY_LE,
	PY_EQ,
	PY_NE,
	PY_GT,
	PY_GE,
	PY_CONTAINS, /* the second operand has the first one, ... */
	PY_CONTAINS_NOT, /* ... or has not, to 3.8 */
	PY_NEGATIVE,
	PY_POSITIVE,
	PY_INVERT,
	PY_SETITEM,
	PY_DELITEM,
	PY_GETSLICE, /* of its bounds, the first one counts as an operand */
	PY_SETSLICE,
	PY_NEXT,  /* of an iterator */
	PY_DROP,  /* an object loses a reference */
	PY_ENTER, /* of a with */
	PY_OPERATORS,
};

/* An opcode, specialised ones as the opcodes that they were made from. */
struct py_effect {
	uint16_t flow;
	uint8_t base; /* the opcode that it was made from, or itself */
	uint8_t caches : 4; /* code units behind it that are no instructions */
	uint8_t operand : 4; /* enum py_operand */
	int8_t change; /* of the depth, if the next instruction follows */
	int8_t times; /* and so many times the operand */
	int8_t jump; /* change of the depth, if it jumps */
	uint8_t call; /* where its callable, or its first operand, lies; 0: it has none */
	uint8_t operator; /* enum py_operator, ... */
	uint8_t select; /* ... and the operand, from this bit minus 1 on, is added; 0: it
			 * is not */
};

struct py_effects {
	uint8_t minor;
	bool bytes;   /* jumps are in bytes, not in code units */
	bool shares;  /* it has parts that are shared */
	struct py_effect opcodes[256];
};

/* One of each minor version, up to a NULL: made by mklist of the files effects_3_*.c. */
extern const struct py_effects *const py_effects_lists[];

/* The effects of the opcodes of 3.minor, free-threaded or not; static.  NULL if the
 * version is not known. */
const struct py_effects *py_effects_find(unsigned minor);

/* No path leads to the code unit, it is reached at different depths, or it is a cache. */
#define DEPTH_UNKNOWN (-1)

/*
 * Fills in depths[n]: by code unit, how many values lie on the stack before the
 * instruction that begins there.  units is the bytecode as it was read from a process,
 * with specialised and instrumented opcodes; where one hides its base form, the path
 * that leads there ends.  table is the table of exceptions (3.11 and later), or NULL.
 * Nothing is trusted.  False if out of memory.
 */
bool depths_find(const struct py_effects *, const uint16_t *units, size_t n,
    const uint8_t *table, size_t table_len, int16_t *depths);

/* The opcode that a specialised or instrumented one was made from; other ones, and such
 * as hide it, are given back. */
uint8_t opcode_base(const struct py_effects *, uint8_t opcode);

/*
 * Where the callable or the first operand of the instruction at `unit` lies: fills in
 * how far from the top of the stack, 1 is its topmost value, so depths[unit] -
 * places[0] is its slot.  With a second place, the callable lies there if NULL lies in
 * the first one.  Returns the number of places; 0: the instruction has none, or its
 * operand is not known.
 */
int call_places(const struct py_effects *, const uint16_t *units, size_t n,
    int64_t unit, int places[2]);

/* The operator of the instruction at a unit that has such a place, which is then that of
 * its first operand; the second one is the next value nearer to the top.  PY_CALL if it
 * is a call.  PY_OPERATORS if its operand is no operator's. */
enum py_operator operator_at(const struct py_effects *, const uint16_t *units, size_t n,
    int64_t unit);

#endif
