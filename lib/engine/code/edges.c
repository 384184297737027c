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
	const struct edges *edges;
	struct edge call;
};

void
edges_clear(struct edges *e)
{
	e->count = 0;
	set_clear(&e->by_place);
	set_clear(&e->by_pair);
}

void
edges_free(struct edges *e)
{
	edges_clear(e);
	free(e->list);
}

static bool
edge_equal(const void *arg, uint32_t index)
{
	const struct edge_key *k = arg;
	const struct edge *a = &k->edges->list[index], *b = &k->call;

	return a->instr == b->instr && a->caller == b->caller &&
	    a->callee == b->callee && a->through == b->through;
}

static bool
pair_equal(const void *arg, uint32_t index)
{
	const struct edge_key *k = arg;
	const struct edge *a = &k->edges->list[index], *b = &k->call;

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

bool
edges_has(const struct edges *e, struct edge call)
{
	struct edge_key key = {e, call};

	return set_find(&e->by_place, edge_hash(call), edge_equal, &key) !=
	    TACH_NONE;
}

/* The first edge with the same caller, callee and callers, or TACH_NONE. */
static uint32_t
find_pair(const struct edges *e, struct edge call)
{
	struct edge_key key = {e, call};

	return set_find(&e->by_pair, pair_hash(call), pair_equal, &key);
}

bool
edges_has_pair(const struct edges *e, struct edge call)
{
	return find_pair(e, call) != TACH_NONE;
}

static uint64_t
place_of_call(const struct edge *call)
{
	return call->instr & ~UINT64_C(1);
}

uint64_t
edges_place(const struct edges *e, struct edge call)
{
	uint32_t first = find_pair(e, call), i = first;
	uint64_t before = 0;

	if (first == TACH_NONE)
		return 0;
	if (e->list[first].next == TACH_NONE)
		return place_of_call(&e->list[first]);
	for (int n = 0; i != TACH_NONE; n++, i = e->list[i].next) {
		const struct edge *p = &e->list[i];
		if (n == PLACES_MAX || p->line < 0 ||
		    p->line != e->list[first].line)
			return 0;
		if (place_of_call(p) < call.instr && place_of_call(p) > before)
			before = place_of_call(p);
	}
	return before;
}

bool
edges_add(struct edges *e, struct edge call)
{
	struct edge *p;
	uint32_t first;

	if (edges_has(e, call))
		return true;
	p = array_grow(e->list, e->count, &e->max, sizeof(*p));
	if (p == NULL)
		return false;
	e->list = p;
	call.next = TACH_NONE;
	if ((first = find_pair(e, call)) != TACH_NONE) {
		call.next = p[first].next;
		p[first].next = (uint32_t)e->count;
	} else if (!set_add(&e->by_pair, pair_hash(call), (uint32_t)e->count))
		return false;
	p[e->count] = call;
	e->learned++;
	return set_add(&e->by_place, edge_hash(call), (uint32_t)e->count++);
}
