/* SPDX-License-Identifier: ISC */
/* tally_table.h: a tally as a table of text, for people and for pipes. */
#ifndef TALLY_TABLE_H
#define TALLY_TABLE_H

#include <stdio.h>

#include "tally.h"

/* By which a table is sorted: the row with the most first, and names as their bytes. */
enum tally_column {
	TALLY_SELF,
	TALLY_TOTAL,
	TALLY_GIL,
	TALLY_CPU,
	TALLY_WANTED,
	TALLY_WAITING,
	TALLY_SAMPLES,
	TALLY_NAME,
	TALLY_PLACE, /* the file and the line */
	TALLY_COLUMNS,
};

/* The names of columns, as an option has them, up to NULL. */
extern const char *const tally_columns[];

/* An order of a tally's rows, which have these costs. */
struct tally_order {
	const struct tally *tally;
	const struct tally_cost *costs;
	enum tally_column column;
};

/* Brings the first `most` of n rows to the front of the list, sorted; the others follow
 * in any order. */
void tally_sort(const struct tally_order *, uint32_t *rows, uint32_t n, uint32_t most);

/* Prints a line about the whole, a line of headings, and a line a row: at most so
 * many.  False: out of memory; errors of the file are on the file. */
bool tally_print(FILE *, const struct tally *, enum tally_column, uint32_t most);
/* The same with the shares of self and total alone, sorted by self, of rows that have
 * any, and without the first line. */
bool tally_print_short(FILE *, const struct tally *, uint32_t most);

#endif
