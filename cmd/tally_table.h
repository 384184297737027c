/* SPDX-License-Identifier: ISC */
/* tally_table.h: a tally as a table of text, for people and for pipes. */
#ifndef TALLY_TABLE_H
#define TALLY_TABLE_H

#include <stdio.h>

#include "tally.h"

/* By which a table is sorted: the row with the most first. */
enum tally_column {
	TALLY_SELF,
	TALLY_TOTAL,
	TALLY_GIL,
	TALLY_CPU,
	TALLY_WANTED,
	TALLY_WAITING,
	TALLY_SAMPLES,
	TALLY_COLUMNS,
};

/* The names of columns, as an option has them, up to NULL. */
extern const char *const tally_columns[];

/* Fills in the numbers of n rows, sorted by these costs of them. */
void tally_sort(uint32_t *numbers, uint32_t n, const struct tally_cost *rows,
    enum tally_column);

/* Prints a line about the whole, a line of headings, and a line a row: at most so
 * many.  False: out of memory; errors of the file are on the file. */
bool tally_print(FILE *, const struct tally *, enum tally_column, uint32_t most);
/* The same with the shares of self and total alone, sorted by self, of rows that have
 * any, and without the first line. */
bool tally_print_short(FILE *, const struct tally *, uint32_t most);

#endif
