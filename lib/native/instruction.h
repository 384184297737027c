/* SPDX-License-Identifier: ISC */
/* instruction.h: an instruction of x86-64: its length, and its operands as far as they tell
 * where a frame is. */
#ifndef NATIVE_INSTRUCTION_H
#define NATIVE_INSTRUCTION_H

#include <stdbool.h>
#include <stdint.h>

#define INSTRUCTION_MAX 15 /* bytes */

/* Registers have the numbers that instructions have for them. */
enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, REGISTERS = 16 };

/* The tables of opcodes. */
enum { ONE_BYTE, WITH_0F, WITH_0F38, WITH_0F3A };

struct instruction {
	unsigned len; /* bytes */
	uint8_t table, op;
	bool vector; /* of AVX: it does not move the stack pointer */
	bool wide;   /* of 64 bits */
	uint8_t reg; /* the other operand, or a part of the opcode */
	bool is_register; /* rm is a register; else the memory at rm + disp */
	uint8_t rm;	  /* REGISTERS: the memory is elsewhere */
	int64_t disp, number;
};

/* Takes the instruction at an address, where INSTRUCTION_MAX bytes are, and as many behind
 * them.  False if it is none. */
bool instruction_take(struct instruction *, const uint8_t *);

#endif
