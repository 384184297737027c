/* SPDX-License-Identifier: ISC */
/* opcodes.h: the names of opcodes, which differ from minor to minor. */
#ifndef OPCODES_OPCODES_H
#define OPCODES_OPCODES_H

#include <stddef.h>
#include <stdint.h>

#include "tach.h"

#define OPCODES 256

struct opcode_names {
	uint8_t minor; /* of Python 3 */
	const char *names[OPCODES]; /* by opcode; NULL where there is none */
};

/* One of each minor version, up to a NULL: made by mklist of the files names_3_*.c. */
extern const struct opcode_names *const opcodes_lists[];

/* The opcode that a name stands for; -1: none. */
int opcodes_find(const struct tach_meta *, const char *name, size_t len);

#endif
