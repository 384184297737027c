/* SPDX-License-Identifier: ISC */
/*
 * diff.c: the changes between two profiles, as a table of functions.  A row has
 * the function's shares in both profiles: of the samples that ended in it, and
 * of those that had it in the stack.  The greatest change comes first.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decimal.h"
#include "error.h"
#include "out/emit.h"
#include "out/graph.h"
#include "out/out.h"
#include "utf8.h"

#define COLUMN 13    /* characters of a number's column */
#define NAME_WIDTH 40 /* a longer name moves the file to the right */

struct diff {
	struct tach_sink sink;
	const struct tach_baseline *base;
	const struct tach_meta *meta;
	bool time;
	struct aggregate stacks;
	struct graph graph;
	struct emit out;
	struct error error;
};

/* Shares of the whole, in per cent. */
struct shares {
	double base, now;
};

struct row {
	uint32_t function;
	struct shares self, total;
};

/* ---- shares -------------------------------------------------------------- */

static double
share_change(const struct shares *s)
{
	return s->now - s->base;
}

static double
percent_of(const struct diff *d, const struct weight *all, struct weight part)
{
	uint64_t whole = d->time ? all->time : all->samples;

	if (whole == 0)
		return 0;
	return (double)(d->time ? part.time : part.samples) /
	    (double)whole * 100;
}

static void
add_shares(const struct diff *d, struct shares *s, struct weight now,
    struct weight base)
{
	s->now += percent_of(d, &d->graph.now.weights[0], now);
	s->base += percent_of(d, &d->graph.base.weights[0], base);
}

/* The own weight of each node: its weight less the weight of its children. */
static struct weight *
find_selfs(const struct graph *g, const struct weight *totals)
{
	struct weight *w = reallocarray(NULL, g->nnodes, sizeof(*w));

	if (w == NULL)
		return NULL;
	memcpy(w, totals, g->nnodes * sizeof(*w));
	for (uint32_t i = 1; i < g->nnodes; i++) {
		w[g->nodes[i].parent].samples -= totals[i].samples;
		w[g->nodes[i].parent].time -= totals[i].time;
	}
	return w;
}

/* A recursive function counts once: `open` counts how often a function is in
 * the path to the node, whose caller is `at`. */
static void
close_path(const struct graph *g, uint32_t *open, uint32_t at, uint32_t caller)
{
	for (; at != caller; at = g->nodes[at].parent)
		open[g->nodes[at].function]--;
}

static void
sum_rows(const struct diff *d, struct row *rows, uint32_t *open,
    const struct weight *now, const struct weight *base)
{
	const struct graph *g = &d->graph;

	for (uint32_t i = 1; i < g->nnodes; i++) {
		const struct graph_node *n = &g->nodes[i];
		struct row *r = &rows[n->function];
		close_path(g, open, i - 1, n->parent);
		add_shares(d, &r->self, now[i], base[i]);
		if (open[n->function]++ == 0)
			add_shares(d, &r->total, g->now.weights[i],
			    g->base.weights[i]);
	}
}

/* The rows, by function.  NULL if out of memory. */
static struct row *
make_rows(const struct diff *d)
{
	const struct graph *g = &d->graph;
	struct row *rows = calloc(g->nfunctions, sizeof(*rows));
	uint32_t *open = calloc(g->nfunctions, sizeof(*open));
	struct weight *now = find_selfs(g, g->now.weights);
	struct weight *base = find_selfs(g, g->base.weights);

	if (rows == NULL || open == NULL || now == NULL || base == NULL) {
		free(rows);
		rows = NULL;
	} else {
		for (uint32_t i = 0; i < g->nfunctions; i++)
			rows[i].function = i;
		sum_rows(d, rows, open, now, base);
	}
	free(open);
	free(now);
	free(base);
	return rows;
}

/* ---- order --------------------------------------------------------------- */

/* The greater change first.  If two are alike, growth comes first: if one
 * function took time from another, the one that took it comes first. */
static int
compare_changes(const struct shares *a, const struct shares *b)
{
	double ca = share_change(a), cb = share_change(b);

	if (fabs(fabs(ca) - fabs(cb)) > 1e-9)
		return fabs(ca) < fabs(cb) ? 1 : -1;
	return fabs(ca - cb) < 1e-9 ? 0 : ca < cb ? 1 : -1;
}

static int
compare_rows(const void *pa, const void *pb)
{
	const struct row *a = pa, *b = pb;
	int order = compare_changes(&a->self, &b->self);

	if (order == 0)
		order = compare_changes(&a->total, &b->total);
	if (order == 0)
		order = (a->function > b->function) -
		    (a->function < b->function);
	return order;
}

/* ---- the table ----------------------------------------------------------- */

static void
put_padding(struct diff *d, size_t n)
{
	while (n-- > 0)
		emit(&d->out, " ");
}

static void
put_column(struct diff *d, const char *text)
{
	put_padding(d, COLUMN - strlen(text));
	emit(&d->out, text);
}

static void
put_shares(struct diff *d, const struct shares *s)
{
	char text[DECIMAL_SIZE];
	/* A change that is rounded to 0 has no sign. */
	bool changed = fabs(share_change(s)) >= 0.005;

	put_column(d, decimal_cents(text, s->base, false));
	put_column(d, decimal_cents(text, s->now, false));
	put_column(d, decimal_cents(text, changed ? share_change(s) : 0,
	    changed));
}

/* The width of a name as it is written, with octal digits for controls. */
static size_t
characters(struct tach_string s)
{
	uint32_t code;
	size_t count = 0;

	for (size_t i = 0, n; i < s.len; i += n > 0 ? n : 1) {
		n = utf8_visible(s.bytes + i, s.len - i, &code);
		count += n > 0 ? 1 : strlen("\\ooo");
	}
	return count;
}

static void
put_row(struct diff *d, const struct row *row, size_t width)
{
	const struct graph_function *f = &d->graph.functions[row->function];
	struct tach_string name = d->graph.strings.strings[f->name];
	struct tach_string file = d->graph.strings.strings[f->file];
	size_t n = characters(name);

	put_shares(d, &row->self);
	put_shares(d, &row->total);
	emit(&d->out, "  ");
	utf8_add_visible(&d->out.buf, name.bytes, name.len);
	put_padding(d, n < width ? width - n : 0);
	emit(&d->out, "  ");
	utf8_add_visible(&d->out.buf, file.bytes, file.len);
	emit(&d->out, "\n");
}

static void
put_header(struct diff *d, size_t width)
{
	static const char *const names[] = {"self-base%", "self-now%",
	    "self-change", "total-base%", "total-now%", "total-change"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		put_column(d, names[i]);
	emit(&d->out, "  function");
	put_padding(d, width - strlen("function"));
	emit(&d->out, "  file\n");
}

static void
put_amount(struct diff *d, const struct weight *all)
{
	emit_number(&d->out, d->time ? all->time : all->samples);
	emit(&d->out, d->time ? " us" : " samples");
}

/* The last line: the totals. */
static void
put_totals(struct diff *d)
{
	const struct weight *now = &d->graph.now.weights[0];
	const struct weight *base = &d->graph.base.weights[0];
	struct shares all = {percent_of(d, base, *base),
	    percent_of(d, now, *now)};

	put_shares(d, &all);
	put_shares(d, &all);
	emit(&d->out, "  all: base ");
	put_amount(d, base);
	emit(&d->out, ", now ");
	put_amount(d, now);
	emit(&d->out, "\n");
}

/* Warns below the table if the recordings differ. */
static void
put_caution(struct diff *d)
{
	struct buf text = {0};

	base_compare(&text, d->base, d->meta);
	if (text.len > 0) {
		emit(&d->out, "Not recorded alike: ");
		emit_bytes(&d->out, text.text, text.len);
		emit(&d->out, "\n");
	}
	buf_clear(&text);
}

static bool
seen(const struct row *row)
{
	return row->total.base > 0 || row->total.now > 0;
}

static size_t
name_width(const struct diff *d, const struct row *rows)
{
	size_t width = strlen("function");

	for (uint32_t i = 0; i < d->graph.nfunctions; i++) {
		size_t n = characters(d->graph.strings.strings[
		    d->graph.functions[i].name]);
		if (seen(&rows[i]) && n > width && n <= NAME_WIDTH)
			width = n;
	}
	return width;
}

static void
put_table(struct diff *d, struct row *rows)
{
	size_t width = name_width(d, rows);

	qsort(rows, d->graph.nfunctions, sizeof(*rows), compare_rows);
	put_header(d, width);
	for (uint32_t i = 0; i < d->graph.nfunctions; i++)
		if (seen(&rows[i]))
			put_row(d, &rows[i], width);
	put_totals(d);
	put_caution(d);
}

/* ---- the sink ------------------------------------------------------------ */

static int
diff_begin(struct tach_sink *sink, const struct tach_meta *meta,
    const struct tach_table *table)
{
	struct diff *d = sink->arg;

	d->meta = meta;
	aggregate_init(&d->stacks, table, (struct aggregate_options){
	    .kind = LOCATION_FUNCTIONS, .by = TACH_BY_NONE});
	return TACH_OK;
}

static int
diff_run(struct tach_sink *sink, const struct tach_run *run)
{
	struct diff *d = sink->arg;

	return aggregate_run(&d->stacks, run) ? TACH_OK :
	    aggregate_failed(&d->stacks, &d->error);
}

static int
diff_end(struct tach_sink *sink)
{
	struct diff *d = sink->arg;
	struct row *rows;
	double folded;

	aggregate_settle(&d->stacks);
	if (!graph_init(&d->graph, &d->stacks, base_aggregate(d->base)) ||
	    !graph_fold(&d->graph, UINT32_MAX, &folded) ||
	    (rows = make_rows(d)) == NULL)
		return error_system(&d->error, "", ENOMEM);
	put_table(d, rows);
	free(rows);
	return emit_finish(&d->out, &d->error);
}

static void
diff_free(struct tach_sink *sink)
{
	struct diff *d = sink->arg;

	graph_clear(&d->graph);
	aggregate_clear(&d->stacks);
	emit_clear(&d->out);
	free(d);
}

static enum tach_error
diff_error(const struct tach_sink *sink, const char **line)
{
	const struct diff *d = sink->arg;

	return error_get(&d->error, line);
}

struct tach_sink *
diff_open(FILE *out, const struct tach_format_options *options)
{
	struct diff *d = calloc(1, sizeof(*d));

	if (d == NULL)
		return NULL;
	d->sink = (struct tach_sink){.size = sizeof(d->sink),
	    .arg = d,
	    .begin = diff_begin,
	    .run = diff_run,
	    .end = diff_end,
	    .free = diff_free,
	    .error = diff_error};
	d->base = options->base;
	d->time = options->weight == TACH_WEIGHT_TIME;
	d->out.file = out;
	return &d->sink;
}
