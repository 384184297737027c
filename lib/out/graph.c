/* SPDX-License-Identifier: ISC */
/* graph.c: see graph.h. */
#include "out/graph.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"

#define FOLDED "(small)"

/* ---- functions ----------------------------------------------------------- */

static uint32_t
add_function(struct graph *g, struct graph_function function)
{
	struct graph_function *p = array_grow(g->functions, g->nfunctions,
	    &g->functions_max, sizeof(*p));

	if (p == NULL)
		return TACH_NONE;
	g->functions = p;
	if (!pairs_add(&g->function_indices, function.file, function.name,
		g->nfunctions + 1))
		return TACH_NONE;
	p[g->nfunctions] = function;
	return g->nfunctions++;
}

/* TACH_NONE if out of memory. */
static uint32_t
find_function(struct graph *g, struct tach_string file,
    struct tach_string name, enum frame_kind kind)
{
	struct graph_function f = {strings_find(&g->strings, file),
	    strings_find(&g->strings, name), kind};
	uint32_t found;

	if (f.file == TACH_NONE || f.name == TACH_NONE)
		return TACH_NONE;
	found = pairs_find(&g->function_indices, f.file, f.name);
	if (found == 0)
		return add_function(g, f);
	if (kind == KIND_SOURCE)
		g->functions[found - 1].kind = kind;
	return found - 1;
}

static uint32_t
find_synthetic(struct graph *g, const char *name)
{
	return find_function(g, (struct tach_string){NO_FILE, 1},
	    (struct tach_string){name, strlen(name)}, KIND_MARK);
}

/* The function of each location, or NULL. */
static uint32_t *
find_functions(struct graph *g, const struct locations *locations)
{
	uint32_t *all = reallocarray(NULL, (size_t)locations->count + 1,
	    sizeof(*all));

	for (uint32_t i = 0; i < locations->count && all != NULL; i++)
		if ((all[i] = find_function(g, locations->all[i].file,
			locations->all[i].func,
			locations->all[i].kind)) == TACH_NONE) {
			free(all);
			return NULL;
		}
	return all;
}

/* ---- nodes --------------------------------------------------------------- */

static uint32_t
add_graph_node(struct graph *g, uint32_t parent, uint32_t function)
{
	struct graph_node *p = array_grow(g->nodes, g->nnodes, &g->nodes_max,
	    sizeof(*p));

	if (p == NULL)
		return TACH_NONE;
	g->nodes = p;
	p[g->nnodes] = (struct graph_node){parent, function, 0};
	return g->nnodes++;
}

/* TACH_NONE if out of memory. */
static uint32_t
find_node(struct graph *g, uint32_t parent, uint32_t function)
{
	uint32_t found = pairs_find(&g->node_indices, parent, function);

	if (found != 0)
		return found - 1;
	if (!pairs_add(&g->node_indices, parent, function, g->nnodes + 1))
		return TACH_NONE;
	return add_graph_node(g, parent, function);
}

/* The node of the graph for a node of the stacks.  All threads have one root.
 * Samples that end there have no frames. */
static uint32_t
place_node(struct graph *g, const struct graph_side *side, uint32_t i,
    const uint32_t *functions)
{
	const struct node *n = &side->stacks->nodes[i];

	if (node_is_root(n))
		return n->cell == TACH_NONE ? 0 :
					      find_node(g, 0, GRAPH_NO_FRAMES);
	if (node_is_root(&side->stacks->nodes[n->parent]))
		return find_node(g, 0, functions[n->what]);
	return find_node(g, side->node_of[n->parent], functions[n->what]);
}

static bool
add_stacks(struct graph *g, struct graph_side *side,
    const struct aggregate *stacks)
{
	uint32_t *functions;
	bool ok = true;

	if (stacks == NULL)
		return true;
	side->stacks = stacks;
	side->node_of = reallocarray(NULL, (size_t)stacks->nnodes + 1,
	    sizeof(*side->node_of));
	functions = find_functions(g, &stacks->locations);
	ok = side->node_of != NULL && functions != NULL;
	for (uint32_t i = 0; i < stacks->nnodes && ok; i++) {
		side->node_of[i] = place_node(g, side, i, functions);
		ok = side->node_of[i] != TACH_NONE;
	}
	free(functions);
	return ok;
}

static bool
weigh(struct graph *g, struct graph_side *side)
{
	struct weight *w;

	if (side->stacks == NULL)
		return true;
	side->weights = w = calloc(g->nnodes, sizeof(*w));
	if (w == NULL)
		return false;
	for (uint32_t i = 0; i < side->stacks->nnodes; i++) {
		struct weight *to = &w[side->node_of[i]];
		to->samples += aggregate_weight(side->stacks, i, false);
		to->time += aggregate_weight(side->stacks, i, true);
	}
	for (uint32_t i = g->nnodes - 1; i > 0; i--) {
		w[g->nodes[i].parent].samples += w[i].samples;
		w[g->nodes[i].parent].time += w[i].time;
	}
	return true;
}

bool
graph_init(struct graph *g, const struct aggregate *now,
    const struct aggregate *base)
{
	bool ok;

	*g = (struct graph){0};
	ok = find_synthetic(g, FOLDED) == GRAPH_FOLDED &&
	    find_synthetic(g, NO_FRAMES) == GRAPH_NO_FRAMES &&
	    add_graph_node(g, TACH_NONE, TACH_NONE) == 0 &&
	    add_stacks(g, &g->now, now) && add_stacks(g, &g->base, base);
	pairs_clear(&g->node_indices);
	return ok && weigh(g, &g->now) && weigh(g, &g->base);
}

void
graph_clear(struct graph *g)
{
	pairs_clear(&g->node_indices);
	pairs_clear(&g->function_indices);
	free(g->nodes);
	free(g->functions);
	strings_clear(&g->strings);
	free(g->now.node_of);
	free(g->now.weights);
	free(g->base.node_of);
	free(g->base.weights);
	*g = (struct graph){0};
}

/* ---- folding ------------------------------------------------------------- */

static float
greater_share(float share, const struct graph_side *side, uint32_t node)
{
	const struct weight *w = side->weights;
	float part;

	if (w == NULL)
		return share;
	part = (float)w[node].samples / (float)(w->samples + 1);
	share = part > share ? part : share;
	part = (float)w[node].time / (float)(w->time + 1);
	return part > share ? part : share;
}

/* The greatest share that a node has of a whole: a node that is large by any
 * weight is not folded. */
static float
share_of(const struct graph *g, uint32_t node)
{
	return greater_share(greater_share(0, &g->now, node), &g->base, node);
}

/* The upper half of a positive float: it orders them well enough. */
static uint32_t
rank_of(const struct graph *g, uint32_t node)
{
	float share = share_of(g, node);
	uint32_t bits;

	memcpy(&bits, &share, sizeof(bits));
	return bits >> 16;
}

#define RANKS 65536

/* The lowest rank that is kept if at most so many nodes stay. */
static bool
find_rank(const struct graph *g, uint32_t nodes, uint32_t *rank)
{
	uint32_t *count, kept = 0;

	*rank = 0;
	if (g->nnodes <= nodes)
		return true;
	if ((count = calloc(RANKS, sizeof(*count))) == NULL)
		return false;
	for (uint32_t i = 0; i < g->nnodes; i++)
		count[rank_of(g, i)]++;
	*rank = RANKS;
	while (*rank > 0 && count[*rank - 1] <= nodes - kept)
		kept += count[--*rank];
	free(count);
	return true;
}

/* The new order of nodes. */
struct move {
	struct graph_node *nodes; /* in their new order */
	struct weight *now, *base;
	uint32_t nnodes;
	uint32_t *to;	 /* new index, by old index */
	uint32_t *small; /* by new index: the child with the folded */
};

static bool
move_init(struct move *m, const struct graph *g, size_t nodes)
{
	*m = (struct move){0};
	m->nodes = calloc(nodes, sizeof(*m->nodes));
	m->now = calloc(nodes, sizeof(*m->now));
	m->base = g->base.weights ? calloc(nodes, sizeof(*m->base)) : NULL;
	m->small = calloc(nodes, sizeof(*m->small));
	m->to = reallocarray(NULL, g->nnodes, sizeof(*m->to));
	return m->nodes != NULL && m->now != NULL && m->small != NULL &&
	    m->to != NULL && (m->base != NULL) == (g->base.weights != NULL);
}

static void
move_clear(struct move *m)
{
	free(m->nodes);
	free(m->now);
	free(m->base);
	free(m->small);
	free(m->to);
}

static void
add_weight(struct weight *to, const struct weight *from)
{
	to->samples += from->samples;
	to->time += from->time;
}

static void
add_weights(struct move *m, const struct graph *g, uint32_t to, uint32_t from)
{
	add_weight(&m->now[to], &g->now.weights[from]);
	if (m->base != NULL)
		add_weight(&m->base[to], &g->base.weights[from]);
}

/* The child for the nodes that are folded below a node. */
static uint32_t
small_child(struct move *m, uint32_t parent)
{
	if (m->small[parent] == 0) {
		m->small[parent] = m->nnodes;
		m->nodes[m->nnodes++] = (struct graph_node){parent,
		    GRAPH_FOLDED, 0};
	}
	return m->small[parent];
}

static void
fold(struct move *m, const struct graph *g, uint32_t node)
{
	uint32_t to = m->to[g->nodes[node].parent];

	if (m->nodes[to].function != GRAPH_FOLDED) {
		to = small_child(m, to);
		add_weights(m, g, to, node);
	}
	m->nodes[to].folded++;
	m->to[node] = to;
}

static void
keep_node(struct move *m, const struct graph *g, uint32_t node)
{
	const struct graph_node *n = &g->nodes[node];

	m->to[node] = m->nnodes++;
	m->nodes[m->to[node]] = (struct graph_node){
	    n->parent == TACH_NONE ? TACH_NONE : m->to[n->parent],
	    n->function, n->folded};
	add_weights(m, g, m->to[node], node);
}

static void
redirect(struct graph_side *side, const uint32_t *to)
{
	for (uint32_t i = 0; side->stacks != NULL && i < side->stacks->nnodes;
	     i++)
		side->node_of[i] = to[side->node_of[i]];
}

/* Makes the new order that of the graph. */
static void
move_all(struct graph *g, struct move *m)
{
	redirect(&g->now, m->to);
	redirect(&g->base, m->to);
	free(g->nodes);
	free(g->now.weights);
	free(g->base.weights);
	g->nodes = m->nodes;
	g->nnodes = m->nnodes;
	g->now.weights = m->now;
	g->base.weights = m->base;
	m->nodes = NULL;
	m->now = m->base = NULL;
}

/* Folds the nodes below a rank.  A node's share is at most its parent's, so the
 * nodes that are kept are connected. */
static bool
fold_below(struct graph *g, uint32_t rank, double *share)
{
	struct move m;
	size_t kept = 1;

	for (uint32_t i = 1; i < g->nnodes; i++)
		kept += rank_of(g, i) >= rank;
	if (!move_init(&m, g, 2 * kept)) {
		move_clear(&m);
		return false;
	}
	keep_node(&m, g, 0);
	for (uint32_t i = 1; i < g->nnodes; i++) {
		if (rank_of(g, i) >= rank) {
			keep_node(&m, g, i);
			continue;
		}
		if (share_of(g, i) > *share)
			*share = share_of(g, i);
		fold(&m, g, i);
	}
	move_all(g, &m);
	move_clear(&m);
	return true;
}

/* ---- order --------------------------------------------------------------- */

/* The first child of each node and the next sibling; 0 if there is none. */
struct node_links {
	uint32_t *first, *next;
};

static bool
link_nodes(const struct graph *g, struct node_links *l)
{
	l->first = calloc(g->nnodes, sizeof(*l->first));
	l->next = calloc(g->nnodes, sizeof(*l->next));
	if (l->first == NULL || l->next == NULL)
		return false;
	for (uint32_t i = g->nnodes - 1; i > 0; i--) {
		l->next[i] = l->first[g->nodes[i].parent];
		l->first[g->nodes[i].parent] = i;
	}
	return true;
}

static void
visit(const struct graph *g, const struct node_links *l, struct move *m)
{
	uint32_t node = 0;

	for (;;) {
		keep_node(m, g, node);
		if (l->first[node] != 0) {
			node = l->first[node];
			continue;
		}
		while (node != 0 && l->next[node] == 0)
			node = g->nodes[node].parent;
		if (node == 0)
			return;
		node = l->next[node];
	}
}

static bool
order(struct graph *g)
{
	struct node_links l;
	struct move m;
	bool ok = link_nodes(g, &l);

	ok = move_init(&m, g, g->nnodes) && ok;
	if (ok) {
		visit(g, &l, &m);
		move_all(g, &m);
	}
	move_clear(&m);
	free(l.first);
	free(l.next);
	return ok;
}

bool
graph_fold(struct graph *g, uint32_t nodes, double *share)
{
	uint32_t rank;

	*share = 0;
	if (!find_rank(g, nodes, &rank))
		return false;
	return (rank == 0 || fold_below(g, rank, share)) && order(g);
}
