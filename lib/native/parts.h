/* SPDX-License-Identifier: ISC */
/* parts.h: the parts of a function that the compiler has put elsewhere, such as what is
 * seldom run.  A stripped file has no names for them. */
#ifndef NATIVE_PARTS_H
#define NATIVE_PARTS_H

#include "native/modules.h"

struct split_part {
	uint64_t start, end; /* as in the file */
};

/* Finds the parts of the function at `start` with these bytes of code: the functions of
 * its module that are entered in their midst, by jumps of this one.  Returns how many
 * of max were found. */
size_t parts_find(const struct module *, uint64_t start, const uint8_t *code, size_t len,
    struct split_part *, size_t max);

#endif
