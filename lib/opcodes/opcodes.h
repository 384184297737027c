/* SPDX-License-Identifier: ISC */
/* opcodes.h: the names of opcodes, which differ from minor to minor. */
#ifndef OPCODES_OPCODES_H
#define OPCODES_OPCODES_H

#include <stddef.h>

#include "tach.h"

#define OPCODES 256

/* By opcode, NULL where there is none: made by mkopcodes. */
extern const char *const opcodes_3_6[OPCODES];
extern const char *const opcodes_3_7[OPCODES];
extern const char *const opcodes_3_8[OPCODES];
extern const char *const opcodes_3_9[OPCODES];
extern const char *const opcodes_3_10[OPCODES];
extern const char *const opcodes_3_11[OPCODES];
extern const char *const opcodes_3_12[OPCODES];
extern const char *const opcodes_3_13[OPCODES];
extern const char *const opcodes_3_14[OPCODES];
extern const char *const opcodes_3_15[OPCODES];

/* The opcode that a name stands for; -1: none. */
int opcodes_find(const struct tach_meta *, const char *name, size_t len);

#endif
