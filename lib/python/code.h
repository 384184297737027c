/* SPDX-License-Identifier: ISC */
/* code.h: a code object: its names, its lines, and whether it is still the
 * one that lay at its address before. */
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

/* What identifies a code object: itself, and the beginnings of its parts. */
#define CODE_PART_MAX 96
#define CODE_PARTS 3 /* name, file, lines */
#define CODE_PIECES (1 + CODE_PARTS)

/* A code object, read whole; it owns its parts. */
struct py_code {
	uint64_t addr;
	uint64_t print; /* the fingerprint, see code_check */
	uint32_t version; /* 0: it has none */
	bool held; /* it was not freed yet when the rest had been read, as far
		    * as that is told: to 3.13 */
	int32_t firstlineno;
	size_t frame_size; /* bytes of its frames on a data stack; 0: unknown */
	struct py_name name; /* qualified, where the version has that */
	struct py_name file;
	uint8_t *lines; /* table of lines, in the version's form */
	size_t lines_len;
	/* By code unit: whether the instruction that begins there ends or
	 * suspends its frame.  Units are instructions and their caches. */
	bool *leaves;
	uint8_t *opcodes; /* likewise, 0 for caches; as they were then */
	int64_t units;
	int64_t known; /* units before the first that is hidden */
	/* What else the fingerprint covers, where no version number does, or
	 * it was not held. */
	uint64_t part_addr[CODE_PARTS];
	size_t part_size[CODE_PARTS];
	size_t nparts;
};

/* What a check of one code object reads. */
struct code_check {
	uint8_t head[PY_CODE_MAX];
	uint8_t parts[CODE_PARTS][CODE_PART_MAX];
};

/* Reads the code object at an address.  False: there is none, or it changed
 * meanwhile, or memory ran out. */
bool code_read(const struct py_offsets *, const struct py_memory *,
    uint64_t addr, struct py_code *);
void code_free(struct py_code *);

/*
 * Addresses of freed code objects are used again, so a cached one must prove
 * itself: read the pieces (code_pieces fills in at most CODE_PIECES and says
 * how many), then code_check tells whether it is the same object.
 */
size_t code_pieces(const struct py_offsets *, const struct py_code *,
    struct code_check *, struct py_piece *);
bool code_check(const struct py_offsets *, const struct py_code *,
    const struct code_check *);

/* The opcode of the instruction that an instruction pointer is at, in the form
 * that the interpreter has made of it by now; NO_OPCODE: not known. */
#define NO_OPCODE 255
uint8_t code_opcode(const struct py_offsets *, const struct py_memory *,
    const struct py_code *, uint64_t instr);

/* Whether a frame of this code object can be at this instruction, and, if it
 * `calls`, have called another frame from there without leaving the loop.
 * What was read while a frame was made or unmade often cannot. */
bool code_allows(const struct py_offsets *, const struct py_code *,
    uint64_t instr, bool calls);

/* Where in the source an instruction pointer of this code object is. */
bool code_locate(const struct py_offsets *, const struct py_code *,
    uint64_t instr, struct py_location *);

#endif
