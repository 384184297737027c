/* SPDX-License-Identifier: ISC */
/* opcodes.h: the names of opcodes, which differ from minor to minor. */
#ifndef OPCODES_OPCODES_H
#define OPCODES_OPCODES_H

#include <stddef.h>

#include "tach.h"

#define OPCODES 256

#define OPCODES_MINORS 64

/* By the minor version of Python 3, then by opcode; NULL where there is none.  Made
 * by mknames of the files that there are, which mkopcodes makes. */
extern const char *const *const opcodes_names[OPCODES_MINORS];

/* The opcode that a name stands for; -1: none. */
int opcodes_find(const struct tach_meta *, const char *name, size_t len);

#endif
