/* SPDX-License-Identifier: ISC */
/*
 * lines.h: source files and lines of C, by libdw.
 *
 * libdw reads what compilers write.  It is not made for files of strangers, so these
 * calls are for a process that may end (lineworker.h): a file is mapped, and may be cut
 * meanwhile.
 */
#ifndef NATIVE_LINES_H
#define NATIVE_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "native/symbols.h"

struct native_line {
	const char *file; /* path as the compiler had it; until the next call */
	int line;
};

struct native_lines;

/* Finds the file that has a module's lines: its own or its debug file.  The headers alone
 * are read.  A descriptor, which is the caller's; -1 if there are no lines, or if this
 * build lacks libdw. */
int native_lines_file(const struct native_module *);

/* Opens the lines of such a file, whose descriptor the caller keeps.  NULL if they cannot
 * be read, if this build lacks libdw, or if memory is out.  The caller closes them. */
struct native_lines *native_lines_open(int fd);

/*
 * Finds the line of an address, as in the file: for a frame that called another one, of
 * the byte before its return address.  Code of an inlined function has the line of the
 * call in the function that it is in, so that a function is in one file.  Code that the
 * compiler gave no line has the one of the code before it.  Addresses in ascending order
 * are the quickest.  False if the line is not known.
 */
bool native_lines_find(struct native_lines *, uint64_t addr, struct native_line *);
/* Whether lines that were asked for could not be read. */
bool native_lines_damaged(const struct native_lines *);

void native_lines_close(struct native_lines *);

#endif
