/* SPDX-License-Identifier: ISC */
/* lines.h: from an instruction to its place in the source. */
#ifndef PYTHON_LINES_H
#define PYTHON_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Lines from 1, columns in UTF-8 bytes from 0; -1: the table has none. */
struct py_location {
	int32_t line, end_line;
	int32_t column, end_column;
};

/* The form of a code object's table of lines. */
enum lines_form {
	LINES_LNOTAB,	 /* to 3.9: co_lnotab */
	LINES_RANGES,	 /* 3.10: PEP 626 */
	LINES_LOCATIONS, /* from 3.11 on: Objects/locations.md in its source */
};

/* Returns how many code units a table of locations covers: all that the code
 * object has.  The older forms do not tell this. */
int64_t lines_units(const uint8_t *table, size_t len);

/*
 * Finds the location of a code unit, which is two bytes of bytecode.  Unit -1
 * is a function that has not begun: its first line.  Only LINES_LOCATIONS has
 * end lines and columns.  False if the table does not reach so far or is
 * damaged; then all numbers are -1.
 */
bool lines_find(enum lines_form, const uint8_t *table, size_t len,
    int32_t firstlineno, int64_t unit, struct py_location *);

#endif
