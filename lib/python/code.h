/* SPDX-License-Identifier: ISC */
/* code.h: a code object: its names, its lines, and a check whether it still
 * lies at its address. */
#ifndef PYTHON_CODE_H
#define PYTHON_CODE_H

#include "python/lines.h"
#include "python/memory.h"
#include "python/offsets.h"

/* UTF-8, not terminated. */
struct py_name {
	char *bytes;
	size_t len;
};

/* A code object is told from others by its struct and by the beginnings of its
 * parts. */
#define CODE_PART_MAX 96 /* bytes */
#define CODE_PARTS 3 /* name, file, lines */
#define CODE_PIECES (1 + CODE_PARTS)

/* A call instruction, or an operator. */
struct py_call {
	uint16_t place; /* of the callable or the first operand, from the top of the
			 * frame's evaluation stack; 0: it is neither */
	bool maybe;	/* if it has NULL, the callable lies one place nearer */
	uint8_t operator; /* enum py_operator; of a call PY_CALL */
	int16_t depth;	/* values on the stack before it; DEPTH_UNKNOWN */
};

/* A code object, read whole.  It owns its buffers; code_free frees them. */
struct py_code {
	uint64_t addr;
	uint64_t print; /* fingerprint, see code_check */
	uint32_t version; /* 0: it has none */
	bool held; /* it had references when the rest had been read; always
		    * true from 3.14 on */
	int32_t firstlineno;
	size_t frame_size; /* bytes of its frames on a data stack; 0: unknown */
	uint32_t locals; /* slots for variables, below the evaluation stack; from
			  * 3.11 on */
	struct py_name name; /* qualified from 3.11 on */
	struct py_name file;
	uint8_t *lines; /* table of lines, in the version's form */
	size_t lines_len;
	/* Arrays by code unit, which is an instruction or one of its caches;
	 * filled in for the first `known` units. */
	bool *leaves; /* the instruction that begins here ends or suspends its
		       * frame, or goes on to a handler */
	uint8_t *opcodes; /* at the time of the read; 0: a cache */
	int64_t units;
	int64_t known; /* units before the first hidden instruction */
	struct py_call *calls; /* by code unit; NULL: not read yet, see calls.h */
	/* The parts that the fingerprint covers besides the struct.  None from
	 * 3.12 on if the object was held: its version number is enough. */
	uint64_t part_addr[CODE_PARTS];
	size_t part_size[CODE_PARTS];
	size_t nparts;
};

/* The memory that a check of one code object reads. */
struct code_check {
	uint8_t head[PY_CODE_MAX];
	uint8_t parts[CODE_PARTS][CODE_PART_MAX];
};

/* Reads the code object at an address.  False if there is none, if it changed
 * meanwhile, or if memory ran out; then there is nothing to free. */
bool code_read(const struct py_offsets *, const struct py_memory *,
    uint64_t addr, struct py_code *);
void code_free(struct py_code *);

/*
 * The address of a freed code object is used again, so a cached code object is
 * checked before it is used.  code_pieces fills in the pieces to read, at most
 * CODE_PIECES, and returns their number; their buffers lie in the code_check.
 * After the caller has read them, code_check returns true if the object is
 * still the same.
 */
size_t code_pieces(const struct py_offsets *, const struct py_code *,
    struct code_check *, struct py_piece *);
bool code_check(const struct py_offsets *, const struct py_code *,
    const struct code_check *);

/* The code unit of the instruction at an instruction pointer, which may be at one of
 * its caches; -1: the function has not begun.  It may lie outside of the code. */
int64_t code_unit(const struct py_offsets *, const struct py_code *,
    uint64_t instr);

/* Returns the opcode of the instruction at an instruction pointer, in the form
 * that the interpreter has given it by now; NO_OPCODE if it is not known. */
#define NO_OPCODE 255
uint8_t code_opcode(const struct py_offsets *, const struct py_memory *,
    const struct py_code *, uint64_t instr);

/* Whether a frame of this code object can be at this instruction and, if it
 * `calls`, can have called another frame from there without leaving the loop.
 * A frame that was read while it was made or removed often cannot. */
bool code_allows(const struct py_offsets *, const struct py_code *,
    uint64_t instr, bool calls);

/* Finds the place in the source of an instruction pointer of this code object.
 * Returns false as lines_find does. */
bool code_locate(const struct py_offsets *, const struct py_code *,
    uint64_t instr, struct py_location *);

#endif
