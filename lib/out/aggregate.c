/* SPDX-License-Identifier: ISC */
/* aggregate.c: see aggregate.h. */
#include "out/aggregate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "hash.h"
#include "out/limits.h"
#include "out/out.h"
#include "utf8.h"

/* The nodes of a thread's newest stack: nodes[d] stands for its outermost d
 * frames, nodes[0] is the thread's root. */
struct path {
	uint32_t *nodes;
	uint32_t depth, max;
};

uint8_t
class_status(uint8_t status)
{
	return status;
}

uint8_t
class_state(uint8_t status)
{
	return status & (CLASS_STATES - 1);
}

void
aggregate_init(struct aggregate *a, const struct tach_table *table,
    struct aggregate_options options)
{
	*a = (struct aggregate){.options = options};
	locations_init(&a->locations, table, options.kind, options.text);
	for (int status = 0; status < 256 && options.class_of != NULL; status++)
		a->classes[status] = options.class_of((uint8_t)status);
}

void
aggregate_settle(struct aggregate *a)
{
	for (uint32_t i = 0; i < a->npaths; i++)
		free(a->paths[i].nodes);
	free(a->paths);
	pairs_clear(&a->children);
	set_clear(&a->thread_set);
	a->paths = NULL;
	a->paths_max = a->npaths = 0;
}

void
aggregate_clear(struct aggregate *a)
{
	aggregate_settle(a);
	locations_clear(&a->locations);
	groups_clear(&a->groups);
	for (uint32_t i = 0; i < a->nthreads; i++)
		free(a->threads[i].frame);
	free(a->threads);
	free(a->cells);
	free(a->nodes);
	*a = (struct aggregate){0};
}

/* ---- limits -------------------------------------------------------------- */

/* Whether one more entry is allowed.  If not, sets the reason. */
static inline bool
allow(struct aggregate *a, uint32_t count, uint32_t limit, const char *why)
{
	if (count < limit)
		return true;
	a->failure = why;
	return false;
}

int
aggregate_failed(const struct aggregate *a, struct error *error)
{
	const char *why = a->failure;

	if (why == NULL)
		why = a->locations.failure;
	return why != NULL ? error_set(error, TACH_ELIMIT, "%s", why) :
	    error_system(error, "", ENOMEM);
}

/* ---- nodes --------------------------------------------------------------- */

#define TOO_MANY_NODES LIMIT_TEXT("different stacks, or too deep ones,")

static uint32_t
add_tree_node(struct aggregate *a, uint32_t parent, uint32_t what)
{
	struct node *p;

	if (!allow(a, a->nnodes, LIMIT_NODES, TOO_MANY_NODES) ||
	    (p = array_grow(a->nodes, a->nnodes, &a->nodes_max,
		sizeof(*p))) == NULL)
		return TACH_NONE;
	a->nodes = p;
	p[a->nnodes] = (struct node){parent, what,
	    parent == TACH_NONE ? 1 : p[parent].depth + 1, TACH_NONE};
	return a->nnodes++;
}

/* Adds a child that is not the node after its parent. */
static uint32_t
add_child(struct aggregate *a, uint32_t parent, uint32_t what)
{
	uint32_t node = add_tree_node(a, parent, what);

	if (node == TACH_NONE)
		return TACH_NONE;
	if (!pairs_add(&a->children, parent, what, node)) {
		a->nnodes--;
		return TACH_NONE;
	}
	return node;
}

/* The node of a location that is called from a node.  TACH_NONE if out of
 * memory. */
static inline uint32_t
child(struct aggregate *a, uint32_t parent, uint32_t location)
{
	const struct node *after = &a->nodes[parent + 1];
	uint32_t node;

	if (location == LOCATION_HIDDEN)
		return parent;
	if (location == TACH_NONE)
		return TACH_NONE;
	if (parent + 1 == a->nnodes)
		return add_tree_node(a, parent, location);
	if (after->parent == parent && after->what == location)
		return parent + 1;
	/* Node 0 is a root and no child, so 0 means not found. */
	node = pairs_find(&a->children, parent, location);
	return node != 0 ? node : add_child(a, parent, location);
}

/* ---- threads ------------------------------------------------------------- */

struct aggregate_key {
	const struct aggregate *a;
	uint64_t thread;
	uint32_t interp;
};

/* The set holds roots. */
static bool
root_equal(const void *arg, uint32_t index)
{
	const struct aggregate_key *k = arg;
	const struct aggregate_thread *t = &k->a->threads[k->a->nodes[index].what];

	return t->thread == k->thread && t->interp == k->interp;
}

static uint32_t
add_root(struct aggregate *a, const struct aggregate_key *key, uint64_t hash)
{
	struct aggregate_thread *p = array_grow(a->threads, a->nthreads,
	    &a->threads_max, sizeof(*p));
	uint32_t root;

	if (p == NULL)
		return TACH_NONE;
	a->threads = p;
	if ((root = add_tree_node(a, TACH_NONE, a->nthreads)) == TACH_NONE)
		return TACH_NONE;
	if (!set_add(&a->thread_set, hash, root)) {
		a->nnodes--;
		return TACH_NONE;
	}
	p[a->nthreads++] = (struct aggregate_thread){key->thread, key->interp,
	    false, NULL};
	return root;
}

/* Fills in the thread that a run's thread is a part of.  False if out of memory. */
static bool
key_of(struct aggregate *a, const struct tach_run *run, struct aggregate_key *key)
{
	bool told = a->options.by <= TACH_BY_THREAD;

	*key = (struct aggregate_key){a, told ? run->thread : 0,
	    told && a->options.interps ? run->interp : 0};
	if (a->options.by != TACH_BY_NAME)
		return true;
	key->thread = groups_find(&a->groups, a->locations.table, run->interp,
	    run->thread);
	return key->thread != TACH_NONE;
}

static uint32_t
root_of(struct aggregate *a, const struct tach_run *run)
{
	struct aggregate_key key;
	uint64_t hash;
	uint32_t root;

	if (!key_of(a, run, &key))
		return TACH_NONE;
	hash = hash_of((uint64_t[]){key.thread, key.interp},
	    2 * sizeof(uint64_t), 0);
	root = set_find(&a->thread_set, hash, root_equal, &key);
	return root != TACH_NONE ? root : add_root(a, &key, hash);
}

const char *
aggregate_thread_name(const struct aggregate *a, const struct aggregate_thread *t,
    struct buf *b)
{
	struct tach_string name = {"all threads", 11};

	if (a->options.by <= TACH_BY_THREAD)
		return out_thread_name(b, a->locations.table, t->interp,
		    t->thread);
	if (a->options.by == TACH_BY_NAME)
		name = groups_name(&a->groups, (uint32_t)t->thread);
	b->len = 0;
	utf8_add(b, name.bytes, name.len);
	buf_add_char(b, '\0');
	return b->failed ? "" : b->text;
}

/* The node of a thread's frame, or the root if a thread has none.  TACH_NONE if out of
 * memory. */
static uint32_t
first_node(struct aggregate *a, uint32_t root)
{
	struct aggregate_thread *t;
	struct buf name = {0};

	if (root == TACH_NONE || !a->options.thread_frames ||
	    a->options.by == TACH_BY_NONE)
		return root;
	t = &a->threads[a->nodes[root].what];
	if (t->frame == NULL) {
		aggregate_thread_name(a, t, &name);
		if (name.failed)
			return TACH_NONE;
		t->frame = name.text;
	}
	return child(a, root, locations_add_name(&a->locations, t->frame));
}

/* ---- paths --------------------------------------------------------------- */

static bool
reserve_path(struct path *t, uint32_t depth)
{
	uint64_t want = t->max != 0 ? t->max : 32;
	uint32_t *p;

	while (want <= depth) /* one more, for the root */
		want *= 2;
	if (want == t->max)
		return true;
	if (want > UINT32_MAX ||
	    (p = reallocarray(t->nodes, want, sizeof(*p))) == NULL)
		return false;
	t->nodes = p;
	t->max = (uint32_t)want;
	return true;
}

static bool
reserve_paths(struct aggregate *a, uint32_t index)
{
	while (a->npaths <= index) {
		struct path *p = array_grow(a->paths, a->npaths,
		    &a->paths_max, sizeof(*p));
		if (p == NULL)
			return false;
		a->paths = p;
		p[a->npaths++] = (struct path){0};
	}
	return true;
}

/* The path of the run's thread, with room for its stack. */
static struct path *
thread_path(struct aggregate *a, const struct tach_run *run)
{
	struct path *t;
	bool new;

	if (!allow(a, run->depth, LIMIT_NODES, TOO_MANY_NODES) ||
	    !allow(a, run->index, LIMIT_THREADS, LIMIT_TEXT("threads")) ||
	    !reserve_paths(a, run->index))
		return NULL;
	t = &a->paths[run->index];
	new = t->nodes == NULL;
	if (!reserve_path(t, run->depth))
		return NULL;
	if (new && (t->nodes[0] = first_node(a, root_of(a, run))) == TACH_NONE) {
		free(t->nodes);
		*t = (struct path){0};
		return NULL;
	}
	return t;
}

/* Makes a path the one of the run's stack. */
static bool
follow_stack(struct aggregate *a, struct path *t, const struct tach_run *run)
{
	uint32_t d = run->shared < t->depth ? run->shared : t->depth;

	d = d < run->depth ? d : run->depth;
	for (; d < run->depth; d++) {
		uint32_t frame = run->frames[run->depth - 1 - d];
		uint32_t node = child(a, t->nodes[d],
		    locations_of(&a->locations, frame));
		if (node == TACH_NONE) {
			t->depth = d;
			return false;
		}
		t->nodes[d + 1] = node;
	}
	t->depth = run->depth;
	return true;
}

/* ---- weights ------------------------------------------------------------- */

static struct cell *
add_cell(struct aggregate *a, uint32_t node, uint8_t class)
{
	struct cell *p;

	if (!allow(a, a->ncells, LIMIT_CELLS, LIMIT_TEXT("different stacks")) ||
	    (p = array_grow(a->cells, a->ncells, &a->cells_max,
		sizeof(*p))) == NULL)
		return NULL;
	a->cells = p;
	p[a->ncells] = (struct cell){.next = a->nodes[node].cell,
	    .class = class};
	a->nodes[node].cell = a->ncells;
	return &p[a->ncells++];
}

static struct cell *
cell_of(struct aggregate *a, uint32_t node, uint8_t class)
{
	uint32_t i = a->nodes[node].cell;

	while (i != TACH_NONE && a->cells[i].class != class)
		i = a->cells[i].next;
	return i != TACH_NONE ? &a->cells[i] : add_cell(a, node, class);
}

/* Counts the ticks from one on that have the same class.  Returns the next
 * one. */
static size_t
count_class(struct aggregate *a, uint32_t node, const struct tach_run *run,
    size_t from)
{
	uint8_t class = a->classes[run->ticks[from].status];
	struct cell *cell = cell_of(a, node, class);
	size_t i = from;
	uint64_t time = 0;

	if (cell == NULL)
		return SIZE_MAX;
	for (; i < run->count && a->classes[run->ticks[i].status] == class; i++)
		time += run->ticks[i].duration;
	cell->samples += i - from;
	cell->time += time;
	a->samples += i - from;
	a->time += time;
	return i;
}

uint32_t
aggregate_stack(struct aggregate *a, const struct tach_run *run)
{
	struct path *t = thread_path(a, run);

	if (t == NULL || !follow_stack(a, t, run))
		return TACH_NONE;
	if (run->count > 0 && run->ticks[0].status & TACH_STATUS_MAIN &&
	    node_is_root(&a->nodes[t->nodes[0]]))
		a->threads[a->nodes[t->nodes[0]].what].main = true;
	return t->nodes[run->depth];
}

bool
aggregate_run(struct aggregate *a, const struct tach_run *run)
{
	uint32_t node = aggregate_stack(a, run);

	if (node == TACH_NONE)
		return false;
	for (size_t i = 0; i < run->count;)
		if ((i = count_class(a, node, run, i)) == SIZE_MAX)
			return false;
	return true;
}

uint64_t
aggregate_weight(const struct aggregate *a, uint32_t node, bool time)
{
	uint64_t sum = 0;

	for (uint32_t i = a->nodes[node].cell; i != TACH_NONE;
	     i = a->cells[i].next)
		sum += time ? a->cells[i].time : a->cells[i].samples;
	return sum;
}
