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
		if (!recent || o->costs[i].total > 0)
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
		tally_sort(&order, list, o->count, how->sorted);
		for (uint32_t i = 0; i < o->count; i++)
			o->rows[i].row = list[i];
	}
	free(list);
	return list != NULL && o->rows != NULL;
}

/* ---- a tree -------------------------------------------------------------- */

/* The nodes below each node. */
struct callees {
	uint32_t *first, *next; /* by node; TACH_NONE: no more */
	uint32_t root;		/* the first node without a caller */
};

/* Nodes that are still to be listed, the next one last. */
struct pending {
	struct outline_row *list;
	size_t count;
};

/* Links the nodes that have costs.  False: out of memory. */
static bool
link_callees(struct callees *c, const struct outline *o, const struct tally *t)
{
	size_t n = (size_t)t->nrows + 1;

	*c = (struct callees){malloc(n * sizeof(*c->first)),
	    malloc(n * sizeof(*c->next)), TACH_NONE};
	if (c->first == NULL || c->next == NULL)
		return false;
	for (uint32_t i = 0; i < t->nrows; i++)
		c->first[i] = c->next[i] = TACH_NONE;
	for (uint32_t i = 0; i < t->nrows; i++) {
		uint32_t parent, *head;
		if (!tally_parent(t, i, &parent) || o->costs[i].total == 0)
			continue;
		head = parent == TACH_NONE ? &c->root : &c->first[parent];
		c->next[i] = *head;
		*head = i;
	}
	return true;
}

/* Puts sisters on top of the nodes that are pending, the first one last.  `list` is room
 * for their numbers. */
static void
push_sisters(struct pending *p, const struct callees *c, uint32_t first, uint32_t depth,
    const struct tally_order *order, uint32_t *list)
{
	uint32_t n = 0;

	for (uint32_t i = first; i != TACH_NONE; i = c->next[i])
		list[n++] = i;
	tally_sort(order, list, n, n);
	while (n > 0)
		p->list[p->count++] = (struct outline_row){.row = list[--n],
		    .depth = depth};
}

static void
list_tree(struct outline *o, const struct tally *t, const struct outline_how *how,
    const struct callees *c, struct pending *p, uint32_t *list)
{
	const struct tally_order order = {t, o->costs, how->column};

	push_sisters(p, c, c->root, 0, &order, list);
	while (p->count > 0) {
		struct outline_row *r = &o->rows[o->count++];
		*r = p->list[--p->count];
		r->callees = c->first[r->row] != TACH_NONE;
		r->open = r->callees && is_open(how->folds, t, r->row);
		if (r->open)
			push_sisters(p, c, c->first[r->row], r->depth + 1, &order,
			    list);
	}
}

static bool
make_tree(struct outline *o, const struct tally *t, const struct outline_how *how)
{
	size_t n = (size_t)t->nrows + 1;
	struct callees c;
	struct pending p = {malloc(n * sizeof(*p.list)), 0};
	uint32_t *list = malloc(n * sizeof(*list));
	bool ok = link_callees(&c, o, t);

	o->rows = malloc(n * sizeof(*o->rows));
	ok = ok && p.list != NULL && list != NULL && o->rows != NULL;
	if (ok)
		list_tree(o, t, how, &c, &p, list);
	free(c.first);
	free(c.next);
	free(p.list);
	free(list);
	return ok;
}

/* ---- both ---------------------------------------------------------------- */

bool
outline_make(struct outline *o, const struct tally *t, const struct outline_how *how)
{
	*o = (struct outline){.recent = malloc(((size_t)t->nrows + 1) *
	    sizeof(*o->recent)), .costs = t->rows, .all = t->all};
	if (o->recent == NULL)
		return false;
	tally_recent(t, o->recent, &o->all_recent);
	if (how->recent) {
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
