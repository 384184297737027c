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

/* Frees what only counting needs. */
static void
end_counting(struct aggregate *a)
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
	end_counting(a);
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

/* The same in a tree in which only source has callees. */
static uint32_t
child_of_source(struct aggregate *a, uint32_t parent, uint32_t location)
{
	bool below_c = node_is_c(a, &a->nodes[parent]);

	if (!below_c || location >= LOCATION_HIDDEN)
		return child(a, parent, location);
	if (location_has_caller(&a->locations.all[location]))
		return parent;
	return child(a, a->nodes[parent].parent, location);
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

static uint32_t
find_root(struct aggregate *a, uint64_t thread, uint32_t interp)
{
	struct aggregate_key key = {a, thread, interp};
	uint64_t hash = hash_of((uint64_t[]){thread, interp},
	    2 * sizeof(uint64_t), 0);
	uint32_t root = set_find(&a->thread_set, hash, root_equal, &key);

	return root != TACH_NONE ? root : add_root(a, &key, hash);
}

/* The root of a run's thread.  By name it is that of the thread as well until all
 * names are known. */
static uint32_t
root_of(struct aggregate *a, const struct tach_run *run)
{
	bool told = a->options.by != TACH_BY_NONE;
	bool interps = a->options.interps || a->options.by == TACH_BY_NAME;

	return find_root(a, told ? run->thread : 0,
	    told && interps ? run->interp : 0);
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
	if (new && (t->nodes[0] = root_of(a, run)) == TACH_NONE) {
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
		uint32_t location = locations_of(&a->locations, frame);
		uint32_t node = a->options.source ?
		    child_of_source(a, t->nodes[d], location) :
		    child(a, t->nodes[d], location);
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
	uint64_t time = 0, samples = 0;
	uint8_t switches = tach_table_switches(a->locations.table);

	if (cell == NULL)
		return SIZE_MAX;
	for (; i < run->count && a->classes[run->ticks[i].status] == class; i++) {
		time += run->ticks[i].duration;
		samples += (run->ticks[i].status & switches) == 0;
	}
	cell->samples += samples;
	cell->time += time;
	a->samples += samples;
	a->time += time;
	return i;
}

uint32_t
aggregate_stack(struct aggregate *a, const struct tach_run *run)
{
	struct path *t = thread_path(a, run);

	if (t == NULL || !follow_stack(a, t, run))
		return TACH_NONE;
	if (run->count > 0 && run->ticks[0].status & TACH_STATUS_MAIN)
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

/* ---- settling ------------------------------------------------------------- */

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

/* Makes each thread its group.  False if out of memory. */
static bool
find_groups(struct aggregate *a)
{
	for (uint32_t i = 0; i < a->nthreads; i++) {
		struct aggregate_thread *t = &a->threads[i];
		uint32_t group = groups_find(&a->groups, a->locations.table,
		    t->interp, t->thread);
		if (group == TACH_NONE)
			return false;
		t->thread = group;
		t->interp = 0;
	}
	return true;
}

static uint32_t
settled_root(struct aggregate *a, const struct aggregate_thread *t)
{
	uint32_t root = find_root(a, t->thread, t->interp);

	if (root != TACH_NONE)
		a->threads[a->nodes[root].what].main |= t->main;
	return first_node(a, root);
}

/* Gives a node a list of cells.  A cell of the same class takes its weight. */
static void
move_cells(struct aggregate *a, uint32_t node, uint32_t list)
{
	for (uint32_t next; list != TACH_NONE; list = next) {
		struct cell *cell = &a->cells[list];
		uint32_t i = a->nodes[node].cell;

		next = cell->next;
		while (i != TACH_NONE && a->cells[i].class != cell->class)
			i = a->cells[i].next;
		if (i != TACH_NONE) {
			a->cells[i].samples += cell->samples;
			a->cells[i].time += cell->time;
			continue;
		}
		cell->next = a->nodes[node].cell;
		a->nodes[node].cell = list;
	}
}

/* Makes the tree anew: threads with one key are one, and those with a frame have it. */
static bool
make_tree_anew(struct aggregate *a)
{
	struct node *nodes = a->nodes;
	struct aggregate_thread *threads = a->threads;
	uint32_t n = a->nnodes;
	uint32_t *to = reallocarray(NULL, (size_t)n + 1, sizeof(*to));
	bool ok = to != NULL;

	a->nodes = NULL;
	a->threads = NULL;
	a->nnodes = a->nthreads = 0;
	a->nodes_max = a->threads_max = 0;
	for (uint32_t i = 0; ok && i < n; i++) {
		const struct node *old = &nodes[i];
		to[i] = node_is_root(old) ? settled_root(a, &threads[old->what]) :
		    child(a, to[old->parent], old->what);
		ok = to[i] != TACH_NONE;
		if (ok)
			move_cells(a, to[i], old->cell);
	}
	free(to);
	free(nodes);
	free(threads);
	return ok;
}

bool
aggregate_settle(struct aggregate *a)
{
	bool by_name = a->options.by == TACH_BY_NAME;
	bool frames = a->options.thread_frames && a->options.by != TACH_BY_NONE;
	bool ok;

	end_counting(a);
	if (!by_name && !frames)
		return true;
	ok = (!by_name || find_groups(a)) && make_tree_anew(a);
	end_counting(a);
	return ok;
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
