/* SPDX-License-Identifier: ISC */
/*
 * positions: decodes the tables of lines that t/python/positions.py wrote,
 * and compares each code unit with what the interpreter says.  Standard input
 * is its file.  Prints how many code objects and code units there were, and
 * the first few that differ; exits 1 if some do.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "python/lines.h"

#define SHOWN 10

struct head {
	int32_t form, firstlineno, units, table_size;
};

struct totals {
	uint64_t codes, units, wrong;
};

static void *
read_bytes(size_t size)
{
	void *p = malloc(size + 1);

	if (p == NULL || fread(p, 1, size, stdin) != size) {
		fputs("positions: the input ends too early\n", stderr);
		exit(2);
	}
	return p;
}

static bool
same(const struct py_location *l, const int32_t *e)
{
	return l->line == e[0] && l->end_line == e[1] && l->column == e[2] &&
	    l->end_column == e[3];
}

static void
show(const struct head *h, int32_t unit, const struct py_location *l,
    const int32_t *e)
{
	printf("first line %d, unit %d: %d-%d %d-%d, not %d-%d %d-%d\n",
	    h->firstlineno, unit, l->line, l->end_line, l->column,
	    l->end_column, e[0], e[1], e[2], e[3]);
}

static void
compare(const struct head *h, struct totals *t)
{
	size_t padded = ((size_t)h->table_size + 3) & ~(size_t)3;
	uint8_t *table = read_bytes(padded);
	int32_t *expected = read_bytes((size_t)h->units * 4 * sizeof(int32_t));
	struct py_location l;

	for (int32_t i = 0; i < h->units; i++) {
		if (lines_find((enum lines_form)h->form, table,
			(size_t)h->table_size, h->firstlineno, i, &l) &&
		    same(&l, expected + i * 4))
			continue;
		if (t->wrong++ < SHOWN)
			show(h, i, &l, expected + i * 4);
	}
	t->codes++;
	t->units += (uint64_t)h->units;
	free(table);
	free(expected);
}

int
main(void)
{
	struct totals t = {0};
	struct head h;

	while (fread(&h, sizeof(h), 1, stdin) == 1)
		compare(&h, &t);
	printf("%" PRIu64 " code objects, %" PRIu64 " code units, %" PRIu64
	    " wrong\n", t.codes, t.units, t.wrong);
	return t.wrong != 0;
}
