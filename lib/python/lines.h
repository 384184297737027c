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

/* How many code units a table covers: all that the code object has. */
int64_t lines_units(const uint8_t *table, size_t len);

/*
 * Finds the location of a code unit in a code object's location table
 * (CPython 3.11 and later, Objects/locations.md in its source).  unit -1 is
 * a function that has not begun: its first line.  False: the table does not
 * reach that far, or is damaged.
 */
bool lines_find(const uint8_t *table, size_t len, int32_t firstlineno,
    int64_t unit, struct py_location *);

#endif
