/* SPDX-License-Identifier: ISC */
/* intern.h: names that were read from a program, in a table. */
#ifndef INTERN_H
#define INTERN_H

#include "tach.h"

/*
 * Adds a name.  One that begins with NUL, which would make it a note, gets U+FFFD
 * in place of that.  TACH_NONE: out of memory.
 */
uint32_t intern_name(struct tach_table *, const char *, size_t);

#endif
