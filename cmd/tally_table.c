/* SPDX-License-Identifier: ISC */
/* tally_table.c: see tally_table.h. */
#include "tally_table.h"

#include <inttypes.h>
#include <stdlib.h>

#include "cmd.h"

const char *const tally_columns[] = {"self", "total", "gil", "cpu", "wanted", "waiting",
    "samples", NULL};

/* ---- order --------------------------------------------------------------- */

static uint64_t
column_of(const struct tally_cost *c, enum tally_column column)
{
	switch (column) {
	case TALLY_TOTAL:
		return c->total;
	case TALLY_GIL:
		return c->gil;
	case TALLY_CPU:
		return c->cpu;
	case TALLY_WANTED:
		return c->wanted;
	case TALLY_WAITING:
		return c->waiting;
	case TALLY_SAMPLES:
		return c->samples;
	default:
		return c->self;
	}
}

struct row_order {
	const struct tally_cost *rows;
	enum tally_column column;
};

/* Rows that are equal in a column are in the order of their totals, then in that in
 * which they were first seen. */
static int
compare_by_column(const void *pa, const void *pb, void *arg)
{
	const struct row_order *o = arg;
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
	const struct tally_cost *ca = &o->rows[a], *cb = &o->rows[b];
	uint64_t va = column_of(ca, o->column), vb = column_of(cb, o->column);

	if (va != vb)
		return va > vb ? -1 : 1;
	if (ca->total != cb->total)
		return ca->total > cb->total ? -1 : 1;
	return (a > b) - (a < b);
}

void
tally_sort(uint32_t *numbers, uint32_t n, const struct tally_cost *rows,
    enum tally_column column)
{
	struct row_order o = {rows, column};

	for (uint32_t i = 0; i < n; i++)
		numbers[i] = i;
	if (n > 0)
		qsort_r(numbers, n, sizeof(*numbers), compare_by_column, &o);
}

/* ---- text ---------------------------------------------------------------- */

static void
print_head(FILE *f, const struct tally *t)
{
	const struct tally_cost *a = &t->all;
	uint64_t duration = tally_duration(t);
	double us = duration > 0 ? (double)duration : 1;

	fprintf(f, "%" PRIu64 " samples of %" PRIu32 " thread%s in %.2f s; threads on "
	    "average: %.2f with the GIL, %.2f on a CPU, %.2f want the GIL, %.2f "
	    "wait\n", a->samples, t->nthreads, t->nthreads == 1 ? "" : "s",
	    (double)duration / 1e6, (double)a->gil / us, (double)a->cpu / us,
	    (double)a->wanted / us, (double)a->waiting / us);
	fputs("  self  total      self     total   gil   cpu  want  wait  samples  ",
	    f);
}

/* A time as its column has it: 0.120s, 1234.0s. */
static void
print_time(FILE *f, uint64_t us)
{
	fprintf(f, " %8.*fs", us < 100000000 ? 3 : us < 10000000000 ? 1 : 0,
	    (double)us / 1e6);
}

static void
print_costs(FILE *f, const struct tally *t, const struct tally_cost *c)
{
	fprintf(f, "%5.1f%% %5.1f%%", cmd_percent(c->self, t->all.self),
	    cmd_percent(c->total, t->all.total));
	print_time(f, c->self);
	print_time(f, c->total);
	fprintf(f, " %4.0f%% %4.0f%% %4.0f%% %4.0f%% %8" PRIu64 "  ",
	    cmd_percent(c->gil, c->total), cmd_percent(c->cpu, c->total),
	    cmd_percent(c->wanted, c->total), cmd_percent(c->waiting, c->total),
	    c->samples);
}

static void
print_string(FILE *f, const struct tally *t, uint32_t string)
{
	struct tach_string s = tally_string(t, string);

	tach_plain_string(f, s.bytes, s.len);
}

/* Prints the name of a row: a function and its file, or one of them. */
static void
print_name(FILE *f, const struct tally *t, uint32_t row)
{
	const struct tach_frame *r = tally_frame(t, row);
	struct tach_string file = tally_string(t, r->file);
	bool known = file.len > 1 || (file.len == 1 && *file.bytes != '~');

	print_string(f, t, r->func);
	if (known && tally_string(t, r->func).len > 0)
		fputs("  ", f);
	if (known)
		print_string(f, t, r->file);
	if (t->rows[row].line > 0)
		fprintf(f, ":%" PRId32, t->rows[row].line);
}

static void
print_row(FILE *f, const struct tally *t, uint32_t row)
{
	print_costs(f, t, &t->rows[row]);
	print_name(f, t, row);
	putc('\n', f);
}

/* The numbers of all rows, sorted, to be freed.  NULL: out of memory. */
static uint32_t *
sorted_rows(const struct tally *t, enum tally_column column)
{
	uint32_t *rows = malloc(((size_t)t->nrows + 1) * sizeof(*rows));

	if (rows != NULL)
		tally_sort(rows, t->nrows, t->rows, column);
	return rows;
}

bool
tally_print(FILE *f, const struct tally *t, enum tally_column column, uint32_t most)
{
	uint32_t *rows = sorted_rows(t, column);

	if (rows == NULL)
		return false;
	print_head(f, t);
	fprintf(f, "%s\n", tally_groups[t->group]);
	for (uint32_t i = 0; i < t->nrows && i < most; i++)
		print_row(f, t, rows[i]);
	free(rows);
	return true;
}

bool
tally_print_short(FILE *f, const struct tally *t, uint32_t most)
{
	uint32_t *rows = sorted_rows(t, TALLY_SELF);

	if (rows == NULL)
		return false;
	fprintf(f, "  self  total  %s\n", tally_groups[t->group]);
	for (uint32_t i = 0; i < t->nrows && i < most; i++) {
		const struct tally_cost *c = &t->rows[rows[i]];
		if (c->self == 0)
			break;
		fprintf(f, "%5.1f%% %5.1f%%  ", cmd_percent(c->self, t->all.self),
		    cmd_percent(c->total, t->all.total));
		print_name(f, t, rows[i]);
		putc('\n', f);
	}
	free(rows);
	return true;
}
