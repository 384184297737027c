/* SPDX-License-Identifier: ISC */
/*
 * calls.c: see calls.h.  It is one walk down the tree of stacks.  Calls and
 * callees on the path from the root are open: another call of an open one on
 * this path is not counted twice.
 */
#include "out/calls.h"

#include <stdlib.h>

#include "array.h"
#include "out/limits.h"

/* The call and callee that entering a node has opened, to be closed when it is
 * left. */
struct step {
	uint32_t call;
	bool call_opened, callee_opened;
};

struct calls_walk {
	const struct aggregate *a;
	struct calls_options options;
	struct calls *c;
	size_t calls_max;
	struct pairs indices; /* of calls, plus one, by caller and callee */
	struct cost *totals;	/* of each node with all nodes below it */
	uint32_t *first, *next; /* children; 0, which is a root, if none */
	struct step *path;	/* by depth */
};

static void
add_cost(struct cost *to, struct cost from)
{
	to->samples += from.samples;
	to->time += from.time;
}

/* ---- the tree ------------------------------------------------------------ */

static struct cost
own_cost(const struct calls_walk *w, uint32_t node)
{
	struct cost c = {0, 0};

	for (uint32_t i = w->a->nodes[node].cell; i != TACH_NONE;
	     i = w->a->cells[i].next) {
		const struct cell *cell = &w->a->cells[i];
		if (w->options.classes != NULL && !w->options.classes[cell->class])
			continue;
		c.samples += cell->samples;
		c.time += cell->time;
	}
	if (w->options.sample_us != 0)
		c.time = c.samples * w->options.sample_us;
	return c;
}

/* Sums up and links all nodes.  Returns the greatest depth. */
static uint32_t
link_nodes(struct calls_walk *w)
{
	uint32_t deepest = 0;

	for (uint32_t i = w->a->nnodes; i-- > 0;) {
		const struct node *n = &w->a->nodes[i];
		add_cost(&w->totals[i], own_cost(w, i));
		if (n->depth > deepest)
			deepest = n->depth;
		if (node_is_root(n))
			continue;
		add_cost(&w->totals[n->parent], w->totals[i]);
		w->next[i] = w->first[n->parent];
		w->first[n->parent] = i;
	}
	return deepest;
}

static bool
calls_prepare(struct calls_walk *w)
{
	size_t n = (size_t)w->a->nnodes + 1;

	w->totals = calloc(n, sizeof(*w->totals));
	w->first = calloc(n, sizeof(*w->first));
	w->next = calloc(n, sizeof(*w->next));
	w->c->selfs = calloc((size_t)w->a->locations.count + 1,
	    sizeof(*w->c->selfs));
	w->c->callees = calloc(w->c->ncallees, sizeof(*w->c->callees));
	if (w->totals == NULL || w->first == NULL || w->next == NULL ||
	    w->c->selfs == NULL || w->c->callees == NULL)
		return false;
	w->path = calloc((size_t)link_nodes(w) + 1, sizeof(*w->path));
	return w->path != NULL;
}

/* ---- calls --------------------------------------------------------------- */

static uint32_t
add_call(struct calls_walk *w, uint32_t from, uint32_t to)
{
	struct call *p;

	if (w->c->ncalls == LIMIT_CALLS) {
		error_set(w->options.error, TACH_ELIMIT,
		    LIMIT_TEXT("different calls"));
		return TACH_NONE;
	}
	p = array_grow(w->c->calls, w->c->ncalls, &w->calls_max, sizeof(*p));
	if (p == NULL)
		return TACH_NONE;
	w->c->calls = p;
	p[w->c->ncalls] = (struct call){.from = from, .to = to};
	if (!pairs_add(&w->indices, from, to, w->c->ncalls + 1))
		return TACH_NONE;
	return w->c->ncalls++;
}

/* The index of a call.  TACH_NONE if out of memory. */
static uint32_t
find_call(struct calls_walk *w, uint32_t from, uint32_t to)
{
	uint32_t index = pairs_find(&w->indices, from, to);

	return index != 0 ? index - 1 : add_call(w, from, to);
}

static uint32_t
caller(const struct calls_walk *w, const struct node *n)
{
	const struct node *parent = &w->a->nodes[n->parent];

	return node_is_root(parent) ? w->a->locations.count + parent->what :
	    parent->what;
}

static uint32_t
callee_of(const struct calls_walk *w, const struct node *n)
{
	return w->options.callee_of != NULL ? w->options.callee_of[n->what] :
	    n->what;
}

/* ---- the walk ------------------------------------------------------------ */

/* The node whose self a node's own cost is. */
static uint32_t
self_node(const struct calls_walk *w, uint32_t node)
{
	const struct node *n = &w->a->nodes[node];

	return w->a->options.source && node_is_c(w->a, n) &&
	    !node_is_root(&w->a->nodes[n->parent]) ? n->parent : node;
}

/* Adds the own cost of an open node. */
static void
add_self(struct calls_walk *w, uint32_t node)
{
	const struct node *n = &w->a->nodes[self_node(w, node)];
	struct cost self = own_cost(w, node);

	add_cost(&w->c->selfs[n->what], self);
	add_cost(&w->c->callees[callee_of(w, n)].self, self);
	add_cost(&w->c->calls[w->path[n->depth].call].self, self);
}

static bool
enter(struct calls_walk *w, uint32_t node)
{
	const struct node *n = &w->a->nodes[node];
	struct callee *callee = &w->c->callees[callee_of(w, n)];
	struct cost total = w->totals[node];
	uint32_t index = find_call(w, caller(w, n), callee_of(w, n));
	struct call *call;

	if (index == TACH_NONE)
		return false;
	call = &w->c->calls[index];
	w->path[n->depth] = (struct step){index, !call->open, !callee->open};
	add_self(w, node);
	if (!call->open)
		add_cost(&call->total, total);
	if (!callee->open) {
		add_cost(&call->outer, total);
		add_cost(&callee->total, total);
	}
	call->open = callee->open = true;
	return true;
}

static void
leave_node(struct calls_walk *w, uint32_t node)
{
	const struct step *s = &w->path[w->a->nodes[node].depth];
	struct call *call = &w->c->calls[s->call];

	if (s->call_opened)
		call->open = false;
	if (s->callee_opened)
		w->c->callees[call->to].open = false;
}

/* Leaves a node, and the nodes above it whose last child this was.  Returns the
 * next node to enter, or 0 at the root. */
static uint32_t
next_node(struct calls_walk *w, uint32_t node, uint32_t root)
{
	for (; node != root; node = w->a->nodes[node].parent) {
		leave_node(w, node);
		if (w->next[node] != 0)
			return w->next[node];
	}
	return 0;
}

/* Counts the stacks of a thread. */
static bool
walk_below(struct calls_walk *w, uint32_t root)
{
	for (uint32_t node = w->first[root]; node != 0;) {
		if (!enter(w, node))
			return false;
		node = w->first[node] != 0 ? w->first[node] :
		    next_node(w, node, root);
	}
	return true;
}

/* Counts the samples of a thread without frames. */
static bool
count_frameless(struct calls_walk *w, uint32_t root)
{
	struct cost self = own_cost(w, root);
	struct callee *callee = &w->c->callees[w->c->ncallees - 1];
	uint32_t index;

	if (self.samples == 0)
		return true;
	index = find_call(w, w->a->locations.count + w->a->nodes[root].what,
	    w->c->ncallees - 1);
	if (index == TACH_NONE)
		return false;
	add_cost(&callee->self, self);
	add_cost(&callee->total, self);
	w->c->calls[index].self = self;
	w->c->calls[index].total = self;
	w->c->calls[index].outer = self;
	return true;
}

static bool
walk_all(struct calls_walk *w)
{
	for (uint32_t i = 0; i < w->a->nnodes; i++)
		if (node_is_root(&w->a->nodes[i]) &&
		    !(count_frameless(w, i) && walk_below(w, i)))
			return false;
	return true;
}

/* ---- indices ------------------------------------------------------------- */

static uint32_t
key(const struct call *c, bool callee)
{
	return callee ? c->to : c->from;
}

/* Counts the calls of each key, and sorts them by key. */
static bool
index_calls(struct calls_index *x, const struct calls *c, bool callee)
{
	size_t keys = callee ? c->ncallees : c->ncallers;

	*x = (struct calls_index){calloc(keys + 2, sizeof(*x->begin)),
	    calloc((size_t)c->ncalls + 1, sizeof(*x->calls))};
	if (x->begin == NULL || x->calls == NULL)
		return false;
	for (uint32_t i = 0; i < c->ncalls; i++)
		x->begin[key(&c->calls[i], callee) + 2]++;
	for (size_t k = 1; k <= keys; k++)
		x->begin[k + 1] += x->begin[k];
	for (uint32_t i = 0; i < c->ncalls; i++)
		x->calls[x->begin[key(&c->calls[i], callee) + 1]++] = i;
	return true;
}

bool
calls_by_caller(struct calls_index *x, const struct calls *c)
{
	return index_calls(x, c, false);
}

bool
calls_by_callee(struct calls_index *x, const struct calls *c)
{
	return index_calls(x, c, true);
}

void
calls_index_clear(struct calls_index *x)
{
	free(x->begin);
	free(x->calls);
	*x = (struct calls_index){0};
}

/* ---- all of it ----------------------------------------------------------- */

bool
calls_init(struct calls *c, const struct aggregate *a,
    struct calls_options options)
{
	struct calls_walk w = {.a = a, .options = options, .c = c};
	bool ok;

	*c = (struct calls){.ncallees = options.ncallees + 1,
	    .ncallers = a->locations.count + a->nthreads};
	ok = calls_prepare(&w) && walk_all(&w);
	pairs_clear(&w.indices);
	free(w.totals);
	free(w.first);
	free(w.next);
	free(w.path);
	return ok;
}

void
calls_clear(struct calls *c)
{
	free(c->callees);
	free(c->calls);
	free(c->selfs);
	*c = (struct calls){0};
}
