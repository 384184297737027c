/* SPDX-License-Identifier: ISC */
/* tally_table.c: see tally_table.h. */
#include "tally_table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "kind.h"
#include "print.h"

const char *const tally_columns[] = {"self", "total", "gil", "cpu", "wanted", "waiting",
    "samples", "name", "file", NULL};

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

static int
compare_strings(struct tach_string a, struct tach_string b)
{
	size_t n = a.len < b.len ? a.len : b.len;
	int order = n > 0 ? memcmp(a.bytes, b.bytes, n) : 0;

	return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

static int
compare_names(const struct tally *t, uint32_t a, uint32_t b)
{
	return compare_strings(tally_string(t, tally_frame(t, a)->func),
	    tally_string(t, tally_frame(t, b)->func));
}

static int
compare_places(const struct tally *t, uint32_t a, uint32_t b)
{
	int order = compare_strings(tally_string(t, tally_frame(t, a)->file),
	    tally_string(t, tally_frame(t, b)->file));
	int32_t la = t->rows[a].line, lb = t->rows[b].line;

	return order != 0 ? order : (la > lb) - (la < lb);
}

static int
compare_in_column(const struct tally_order *o, uint32_t a, uint32_t b)
{
	uint64_t va = column_of(&o->costs[a], o->column);
	uint64_t vb = column_of(&o->costs[b], o->column);

	switch (o->column) {
	case TALLY_NAME:
		return compare_names(o->tally, a, b);
	case TALLY_PLACE:
		return compare_places(o->tally, a, b);
	default:
		return (va < vb) - (va > vb);
	}
}

/* Rows that are equal in a column are in the order of their totals, then in that in
 * which they were first seen. */
static int
compare_tally_rows(const struct tally_order *o, uint32_t a, uint32_t b)
{
	int order = compare_in_column(o, a, b);
	uint64_t ta = o->costs[a].total, tb = o->costs[b].total;

	if (order != 0)
		return order;
	return ta != tb ? (ta > tb ? -1 : 1) : (a > b) - (a < b);
}

static int
compare_by_order(const void *pa, const void *pb, void *arg)
{
	return compare_tally_rows(arg, *(const uint32_t *)pa, *(const uint32_t *)pb);
}

/* Moves the row at the root of a heap down to its place; the last one of the order is
 * to be at the root. */
static void
sift_down(const struct tally_order *o, uint32_t *heap, uint32_t n, uint32_t at)
{
	uint32_t row = heap[at], child;

	while (at < n / 2) {
		child = 2 * at + 1;
		if (child + 1 < n &&
		    compare_tally_rows(o, heap[child + 1], heap[child]) > 0)
			child++;
		if (compare_tally_rows(o, heap[child], row) <= 0)
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = row;
}

/* Swaps rows of the rest with the last ones of the heap in front, until all that stand
 * in front come first in the order. */
static void
keep_first(const struct tally_order *o, uint32_t *rows, uint32_t n, uint32_t most)
{
	for (uint32_t i = most / 2; i-- > 0;)
		sift_down(o, rows, most, i);
	for (uint32_t i = most; i < n; i++) {
		uint32_t row = rows[i];
		if (compare_tally_rows(o, row, rows[0]) >= 0)
			continue;
		rows[i] = rows[0];
		rows[0] = row;
		sift_down(o, rows, most, 0);
	}
}

void
tally_sort(const struct tally_order *o, uint32_t *rows, uint32_t n, uint32_t most)
{
	struct tally_order order = *o;

	if (most > n)
		most = n;
	if (most == 0)
		return;
	if (most < n)
		keep_first(o, rows, n, most);
	qsort_r(rows, most, sizeof(*rows), compare_by_order, &order);
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

	print_plain(f, s.bytes, s.len);
}

/* Prints the name of a row: a function and its file, or one of them. */
static void
print_name(FILE *f, const struct tally *t, uint32_t row)
{
	const struct tach_frame *r = tally_frame(t, row);
	struct tach_string file = tally_string(t, r->file);
	bool known = file.len > 0 && !file_is_none(file);

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

/* The numbers of the rows that samples have, of which so many are sorted, to be freed.
 * NULL: out of memory. */
static uint32_t *
sorted_rows(const struct tally *t, enum tally_column column, uint32_t most, uint32_t *count)
{
	const struct tally_order o = {t, t->rows, column};
	uint32_t *rows = malloc(((size_t)t->nrows + 1) * sizeof(*rows));

	*count = 0;
	if (rows == NULL)
		return NULL;
	for (uint32_t i = 0; i < t->nrows; i++)
		if (tally_has_samples(t, i))
			rows[(*count)++] = i;
	tally_sort(&o, rows, *count, most);
	return rows;
}

bool
tally_print(FILE *f, const struct tally *t, enum tally_column column, uint32_t most)
{
	uint32_t count, *rows = sorted_rows(t, column, most, &count);

	if (rows == NULL)
		return false;
	print_head(f, t);
	fprintf(f, "%s\n", tally_groups[t->group]);
	for (uint32_t i = 0; i < count && i < most; i++)
		print_row(f, t, rows[i]);
	free(rows);
	return true;
}

bool
tally_print_short(FILE *f, const struct tally *t, uint32_t most)
{
	uint32_t count, *rows = sorted_rows(t, TALLY_SELF, most, &count);

	if (rows == NULL)
		return false;
	fprintf(f, "  self  total  %s\n", tally_groups[t->group]);
	for (uint32_t i = 0; i < count && i < most; i++) {
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
