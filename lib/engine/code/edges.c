/* SPDX-License-Identifier: ISC */
/* edges.c: see edges.h. */
#include "engine/code/edges.h"

#include <stdlib.h>

#include "array.h"
#include "hash.h"
#include "tach.h"

#define KEY offsetof(struct edge, line)
#define PLACES_MAX 16 /* instructions of one pair: more are not looked at */

struct edge_key {
	const struct edge_generation *in;
	struct edge call;
};

static void
clear_generation(struct edge_generation *g)
{
	g->count = 0;
	set_clear(&g->by_place);
	set_clear(&g->by_pair);
}

void
edges_clear(struct edges *e)
{
	clear_generation(&e->young);
	clear_generation(&e->old);
}

void
edges_free(struct edges *e)
{
	edges_clear(e);
	free(e->young.list);
	free(e->old.list);
}

/* ---- one generation ---------------------------------------------------- */

static bool
edge_equal(const void *arg, uint32_t index)
{
	const struct edge_key *k = arg;
	const struct edge *a = &k->in->list[index], *b = &k->call;

	return a->instr == b->instr && a->caller == b->caller &&
	    a->callee == b->callee && a->through == b->through;
}

static bool
pair_equal(const void *arg, uint32_t index)
{
	const struct edge_key *k = arg;
	const struct edge *a = &k->in->list[index], *b = &k->call;

	return a->caller == b->caller && a->callee == b->callee &&
	    a->through == b->through && (a->instr & 1) == (b->instr & 1);
}

static uint64_t
edge_hash(struct edge call)
{
	return hash_of(&call, KEY, 0);
}

static uint64_t
pair_hash(struct edge call)
{
	call.instr &= 1;
	return edge_hash(call);
}

static bool
has_edge(const struct edge_generation *g, struct edge call)
{
	struct edge_key key = {g, call};

	return set_find(&g->by_place, edge_hash(call), edge_equal, &key) !=
	    TACH_NONE;
}

/* The first edge with the same caller, callee and callers, or TACH_NONE. */
static uint32_t
find_pair(const struct edge_generation *g, struct edge call)
{
	struct edge_key key = {g, call};

	return set_find(&g->by_pair, pair_hash(call), pair_equal, &key);
}

/* Adds a new edge.  False if out of memory. */
static bool
put_edge(struct edge_generation *g, struct edge call)
{
	struct edge *p = array_grow(g->list, g->count, &g->max, sizeof(*p));
	uint32_t first;

	if (p == NULL)
		return false;
	g->list = p;
	call.next = TACH_NONE;
	if ((first = find_pair(g, call)) != TACH_NONE) {
		call.next = p[first].next;
		p[first].next = (uint32_t)g->count;
	} else if (!set_add(&g->by_pair, pair_hash(call), (uint32_t)g->count))
		return false;
	p[g->count] = call;
	return set_add(&g->by_place, edge_hash(call), (uint32_t)g->count++);
}

/* ---- two generations --------------------------------------------------- */

/* Makes the edges of a pair young, if they are old only.  False if out of
 * memory. */
static bool
renew_pair(struct edges *e, struct edge call)
{
	uint32_t i = find_pair(&e->old, call);

	if (i == TACH_NONE || find_pair(&e->young, call) != TACH_NONE)
		return true;
	for (; i != TACH_NONE; i = e->old.list[i].next)
		if (!put_edge(&e->young, e->old.list[i]))
			return false;
	return true;
}

/* Makes the edges through any callers young that are kept together with an edge.
 * False if out of memory. */
static bool
renew_any(struct edges *e, struct edge call)
{
	struct edge to_callee = call, to_any = call;

	to_callee.through = to_any.through = 0;
	to_any.callee = TACH_NONE;
	to_any.instr &= ~UINT64_C(1);
	if (!renew_pair(e, to_callee) || !renew_pair(e, to_any))
		return false;
	to_any.instr |= 1;
	return renew_pair(e, to_any);
}

/* Makes all edges young that are kept together with an old edge.  False if out of
 * memory: then all edges are forgotten, as a part of them must not be kept. */
static bool
renew_edge(struct edges *e, struct edge call)
{
	uint32_t i = find_pair(&e->old, call);
	bool ok = renew_pair(e, call);

	for (; ok && i != TACH_NONE; i = e->old.list[i].next)
		ok = renew_any(e, e->old.list[i]);
	if (!ok)
		edges_clear(e);
	return ok;
}

/* Whether a pair is there, and is young from now on. */
static bool
has_young_pair(struct edges *e, struct edge call)
{
	return find_pair(&e->young, call) != TACH_NONE ||
	    (find_pair(&e->old, call) != TACH_NONE && renew_edge(e, call));
}

bool
edges_age(struct edges *e, size_t max)
{
	struct edge_generation old = e->old;

	if (e->young.count <= max)
		return false;
	e->old = e->young;
	e->young = old;
	clear_generation(&e->young);
	return true;
}

bool
edges_has(struct edges *e, struct edge call)
{
	return has_edge(&e->young, call) ||
	    (has_edge(&e->old, call) && renew_edge(e, call));
}

bool
edges_has_pair(const struct edges *e, struct edge call)
{
	return find_pair(&e->young, call) != TACH_NONE ||
	    find_pair(&e->old, call) != TACH_NONE;
}

static uint64_t
place_of_call(const struct edge *call)
{
	return call->instr & ~UINT64_C(1);
}

uint64_t
edges_place(struct edges *e, struct edge call)
{
	const struct edge *list, *first;
	uint64_t before = 0;
	uint32_t i;

	if (!has_young_pair(e, call))
		return 0;
	i = find_pair(&e->young, call);
	list = e->young.list;
	first = &list[i];
	if (first->next == TACH_NONE)
		return place_of_call(first);
	for (int n = 0; i != TACH_NONE; n++, i = list[i].next) {
		const struct edge *p = &list[i];
		if (n == PLACES_MAX || p->line < 0 || p->line != first->line)
			return 0;
		if (place_of_call(p) < call.instr && place_of_call(p) > before)
			before = place_of_call(p);
	}
	return before;
}

bool
edges_add(struct edges *e, struct edge call)
{
	if (edges_has(e, call))
		return true;
	/* The pair may have old edges from other instructions. */
	if (edges_has_pair(e, call) && !has_young_pair(e, call))
		return false;
	if (!put_edge(&e->young, call))
		return false;
	e->learned++;
	return true;
}
