/* SPDX-License-Identifier: ISC */
/* outline.c: see outline.h. */
#include "outline.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cmd.h"

#define OPEN_SHARE 5 /* per cent of all time that opens a node */

/* ---- folds --------------------------------------------------------------- */

void
outline_forget(struct outline_folds *f)
{
	free(f->of);
	*f = (struct outline_folds){0};
}

void
outline_fold_all(struct outline_folds *f, enum outline_fold fold)
{
	outline_forget(f);
	f->others = fold;
}

bool
outline_fold(struct outline_folds *f, uint32_t node, enum outline_fold fold)
{
	uint8_t *of = array_reserve(f->of, &f->max, (size_t)node + 1, sizeof(*of));

	if (of == NULL)
		return false;
	f->of = of;
	while (f->count <= node)
		of[f->count++] = OUTLINE_BY_SHARE;
	of[node] = (uint8_t)fold;
	return true;
}

/* By all costs, so that the last seconds open and fold nothing. */
static bool
is_open(const struct outline_folds *f, const struct tally *t, uint32_t node)
{
	enum outline_fold fold = node < f->count ? (enum outline_fold)f->of[node] :
						   OUTLINE_BY_SHARE;

	if (fold == OUTLINE_BY_SHARE)
		fold = f->others;
	return fold == OUTLINE_OPEN || (fold == OUTLINE_BY_SHARE &&
	    cmd_percent(t->rows[node].total, t->all.self) >= OPEN_SHARE);
}

/* ---- a table ------------------------------------------------------------- */

/* Lists the rows in any order.  Those that no sample of the time has are left out. */
static uint32_t
list_rows(const struct outline *o, const struct tally *t, bool recent, uint32_t *list)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->nrows; i++)
		if (tally_has_samples(t, i) && (!recent || o->costs[i].total > 0))
			list[n++] = i;
	return n;
}

static bool
make_table(struct outline *o, const struct tally *t, const struct outline_how *how)
{
	const struct tally_order order = {t, o->costs, how->column};
	uint32_t *list = malloc(((size_t)t->nrows + 1) * sizeof(*list));

	o->rows = calloc((size_t)t->nrows + 1, sizeof(*o->rows));
	if (list != NULL && o->rows != NULL) {
		o->count = list_rows(o, t, how->recent, list);
		tally_sort(&order, list, o->count, how->wanted);
		for (uint32_t i = 0; i < o->count; i++)
			o->rows[i].row = list[i];
	}
	free(list);
	return list != NULL && o->rows != NULL;
}

/* ---- a tree -------------------------------------------------------------- */

/* Nodes that are still to be listed, the next one last; and room for sisters. */
struct pending {
	struct outline_row *list;
	size_t count, max;
	uint32_t *sisters;
	size_t sisters_max;
};

/* The next of some sisters that has costs; TACH_NONE: none has. */
static uint32_t
with_costs(const struct outline *o, const struct tally *t, uint32_t node)
{
	while (node != TACH_NONE && o->costs[node].total == 0)
		node = tally_sister(t, node);
	return node;
}

/* Lists the nodes with costs below a node.  Returns how many; -1: out of memory. */
static int64_t
list_callees(struct pending *p, const struct outline *o, const struct tally *t,
    uint32_t node)
{
	size_t n = 0;
	uint32_t i = with_costs(o, t, tally_callee(t, node));

	for (; i != TACH_NONE; i = with_costs(o, t, tally_sister(t, i))) {
		uint32_t *sisters = array_grow(p->sisters, n, &p->sisters_max,
		    sizeof(*sisters));
		if (sisters == NULL)
			return -1;
		p->sisters = sisters;
		sisters[n++] = i;
	}
	return (int64_t)n;
}

/* Puts the nodes below a node on top of those that are pending, the first one last.
 * False: out of memory. */
static bool
push_callees(struct pending *p, const struct outline *o, const struct tally_order *order,
    uint32_t node, uint32_t depth)
{
	int64_t n = list_callees(p, o, order->tally, node);
	struct outline_row *list = n < 0 ? NULL : array_reserve(p->list, &p->max,
	    p->count + (size_t)n, sizeof(*list));

	if (list == NULL)
		return false;
	p->list = list;
	tally_sort(order, p->sisters, (uint32_t)n, (uint32_t)n);
	while (n > 0)
		list[p->count++] = (struct outline_row){.row = p->sisters[--n],
		    .depth = depth};
	return true;
}

/* Adds a row to the outline.  NULL: out of memory. */
static struct outline_row *
add_outline_row(struct outline *o, const struct outline_row *row)
{
	struct outline_row *rows = array_grow(o->rows, o->count, &o->max,
	    sizeof(*rows));

	if (rows == NULL)
		return NULL;
	o->rows = rows;
	rows[o->count] = *row;
	return &rows[o->count++];
}

static bool
list_tree(struct outline *o, struct pending *p, const struct tally_order *order,
    const struct outline_how *how)
{
	const struct tally *t = order->tally;
	bool ok = push_callees(p, o, order, TACH_NONE, 0), found = how->node == TACH_NONE;

	while (ok && p->count > 0 && (o->count < how->wanted || !found)) {
		struct outline_row *r = add_outline_row(o, &p->list[--p->count]);
		if (r == NULL)
			return false;
		r->callees = with_costs(o, t, tally_callee(t, r->row)) != TACH_NONE;
		r->open = r->callees && is_open(how->folds, t, r->row);
		found |= r->row == how->node;
		if (r->open)
			ok = push_callees(p, o, order, r->row, r->depth + 1);
	}
	return ok;
}

static bool
make_tree(struct outline *o, const struct tally *t, const struct outline_how *how)
{
	const struct tally_order order = {t, o->costs, how->column};
	struct pending p = {0};
	bool ok = list_tree(o, &p, &order, how);

	free(p.list);
	free(p.sisters);
	return ok;
}

/* ---- both ---------------------------------------------------------------- */

bool
outline_make(struct outline *o, const struct tally *t, const struct outline_how *how)
{
	*o = (struct outline){.costs = t->rows, .all = t->all,
	    .all_recent = tally_recent_all(t)};
	if (how->recent) {
		o->recent = malloc(((size_t)t->nrows + 1) * sizeof(*o->recent));
		if (o->recent == NULL)
			return false;
		tally_recent(t, o->recent);
		o->costs = o->recent;
		o->all = o->all_recent;
	}
	return how->folds != NULL ? make_tree(o, t, how) : make_table(o, t, how);
}

void
outline_clear(struct outline *o)
{
	free(o->recent);
	free(o->rows);
	*o = (struct outline){0};
}
