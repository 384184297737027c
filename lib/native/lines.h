/* SPDX-License-Identifier: ISC */
/*
 * lines.h: source files and lines of C, by libdw.
 *
 * libdw reads what compilers write; it is not made for files of strangers, so lines are
 * for those who ask for them.
 */
#ifndef NATIVE_LINES_H
#define NATIVE_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "native/symbols.h"

struct native_line {
	const char *file; /* path as the compiler had it; until native_lines_close */
	int line;
};

struct native_lines;

/* Opens the lines of a module or, if it has none, of its debug file.  NULL if there are
 * none, if this build lacks libdw, or if memory is out.  The caller closes it. */
struct native_lines *native_lines_open(const struct native_module *);

/* Finds the line of an address, as in the file: for a frame that called another one, of
 * the byte before its return address.  False if it is not known. */
bool native_lines_find(struct native_lines *, uint64_t addr, struct native_line *);

void native_lines_close(struct native_lines *);

#endif
