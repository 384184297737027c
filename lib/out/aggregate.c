/* SPDX-License-Identifier: ISC */
/* aggregate.c: see aggregate.h. */
#include "out/aggregate.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "array.h"
#include "set.h"

#define HIDDEN (TACH_NONE - 1) /* the place of a frame that is left out */
#define LAUNCHER "_sync_coordinator.py"

/* The nodes of a thread's newest stack: nodes[d] holds its outermost d
 * frames, nodes[0] is the thread's root. */
struct trail {
	uint32_t *nodes;
	uint32_t depth, max;
};

struct aggregate {
	const struct tach_table *table;
	uint32_t *place_of; /* by frame; TACH_NONE: not known yet */
	uint32_t nframes;
	struct place *places;
	struct node *nodes;
	uint64_t *threads;
	struct trail *trails; /* by a run's index */
	uint32_t nplaces, nnodes, nthreads, ntrails;
	size_t places_max, nodes_max, threads_max, trails_max;
	struct set place_set, node_set, thread_set;
};

struct aggregate *
aggregate_new(const struct tach_table *table)
{
	struct aggregate *a = calloc(1, sizeof(*a));

	if (a != NULL)
		a->table = table;
	return a;
}

void
aggregate_free(struct aggregate *a)
{
	if (a == NULL)
		return;
	for (uint32_t i = 0; i < a->ntrails; i++)
		free(a->trails[i].nodes);
	set_clear(&a->place_set);
	set_clear(&a->node_set);
	set_clear(&a->thread_set);
	free(a->trails);
	free(a->threads);
	free(a->nodes);
	free(a->places);
	free(a->place_of);
	free(a);
}

/* ---- places -------------------------------------------------------------- */

struct place_key {
	const struct aggregate *a;
	struct place place;
};

static bool
string_equal(struct tach_string a, struct tach_string b)
{
	return a.len == b.len && memcmp(a.bytes, b.bytes, a.len) == 0;
}

static bool
place_equal(const void *arg, uint32_t index)
{
	const struct place_key *k = arg;
	const struct place *p = &k->a->places[index];

	return p->line == k->place.line &&
	    string_equal(p->func, k->place.func) &&
	    string_equal(p->file, k->place.file);
}

/* By content: a file's table may hold a string more than once. */
static uint64_t
place_hash(const struct place *p)
{
	uint64_t hash = XXH3_64bits(p->file.bytes, p->file.len);

	hash = XXH3_64bits_withSeed(p->func.bytes, p->func.len, hash);
	return hash + (uint32_t)p->line * UINT64_C(0x9e3779b97f4a7c15);
}

static bool
hidden(struct tach_string file)
{
	size_t n = sizeof(LAUNCHER) - 1;

	return file.len >= n &&
	    memcmp(file.bytes + file.len - n, LAUNCHER, n) == 0;
}

/* The place of a frame that was not seen before.  TACH_NONE: no memory. */
static uint32_t
find_place(struct aggregate *a, uint32_t frame)
{
	const struct tach_frame *f = tach_table_frame(a->table, frame);
	struct place_key key = {a, {tach_table_string(a->table, f->file),
	    tach_table_string(a->table, f->func), f->line == -1 ? 0 : f->line}};
	struct place *p;
	uint64_t hash;
	uint32_t found;

	if (hidden(key.place.file))
		return HIDDEN;
	hash = place_hash(&key.place);
	found = set_find(&a->place_set, hash, place_equal, &key);
	if (found != TACH_NONE)
		return found;
	p = array_grow(a->places, a->nplaces, &a->places_max, sizeof(*p));
	if (p == NULL)
		return TACH_NONE;
	a->places = p;
	if (!set_add(&a->place_set, hash, a->nplaces))
		return TACH_NONE;
	p[a->nplaces] = key.place;
	return a->nplaces++;
}

/* Makes room to know the place of every frame that the table has by now. */
static bool
reserve_frames(struct aggregate *a)
{
	uint32_t n = tach_table_frames(a->table);
	uint32_t *p = reallocarray(a->place_of, n, sizeof(*p));

	if (p == NULL)
		return false;
	a->place_of = p;
	while (a->nframes < n)
		p[a->nframes++] = TACH_NONE;
	return true;
}

static uint32_t
place_of(struct aggregate *a, uint32_t frame)
{
	if (frame >= a->nframes && !reserve_frames(a))
		return TACH_NONE;
	if (a->place_of[frame] == TACH_NONE)
		a->place_of[frame] = find_place(a, frame);
	return a->place_of[frame];
}

/* ---- nodes --------------------------------------------------------------- */

static uint32_t
add_node(struct aggregate *a, uint32_t parent, uint32_t what)
{
	struct node *p = array_grow(a->nodes, a->nnodes, &a->nodes_max,
	    sizeof(*p));

	if (p == NULL)
		return TACH_NONE;
	a->nodes = p;
	p[a->nnodes] = (struct node){parent, what,
	    parent == TACH_NONE ? 1 : p[parent].depth + 1, 0};
	return a->nnodes++;
}

struct node_key {
	const struct aggregate *a;
	uint32_t parent, what;
};

static bool
node_equal(const void *arg, uint32_t index)
{
	const struct node_key *k = arg;
	const struct node *n = &k->a->nodes[index];

	return n->parent == k->parent && n->what == k->what;
}

/* The node of a place that is called from a node.  TACH_NONE: no memory. */
static uint32_t
child(struct aggregate *a, uint32_t parent, uint32_t place)
{
	struct node_key key = {a, parent, place};
	uint64_t hash = ((uint64_t)parent << 32 | place) *
	    UINT64_C(0x9e3779b97f4a7c15);
	uint32_t node;

	if (place == HIDDEN)
		return parent;
	if (place == TACH_NONE)
		return TACH_NONE;
	node = set_find(&a->node_set, hash, node_equal, &key);
	if (node == TACH_NONE && (node = add_node(a, parent, place)) !=
	    TACH_NONE && !set_add(&a->node_set, hash, node)) {
		a->nnodes--;
		return TACH_NONE;
	}
	return node;
}

/* ---- threads ------------------------------------------------------------- */

struct thread_key {
	const struct aggregate *a;
	uint64_t thread;
};

/* The set holds roots. */
static bool
thread_equal(const void *arg, uint32_t index)
{
	const struct thread_key *k = arg;

	return k->a->threads[k->a->nodes[index].what] == k->thread;
}

static uint32_t
root_of(struct aggregate *a, uint64_t thread)
{
	struct thread_key key = {a, thread};
	uint64_t hash = XXH3_64bits(&thread, sizeof(thread));
	uint32_t root = set_find(&a->thread_set, hash, thread_equal, &key);
	uint64_t *p;

	if (root != TACH_NONE)
		return root;
	p = array_grow(a->threads, a->nthreads, &a->threads_max, sizeof(*p));
	if (p == NULL)
		return TACH_NONE;
	a->threads = p;
	if ((root = add_node(a, TACH_NONE, a->nthreads)) == TACH_NONE)
		return TACH_NONE;
	if (!set_add(&a->thread_set, hash, root)) {
		a->nnodes--;
		return TACH_NONE;
	}
	p[a->nthreads++] = thread;
	return root;
}

static bool
reserve_trail(struct trail *t, uint32_t depth)
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
reserve_trails(struct aggregate *a, uint32_t index)
{
	while (a->ntrails <= index) {
		struct trail *p = array_grow(a->trails, a->ntrails,
		    &a->trails_max, sizeof(*p));
		if (p == NULL)
			return false;
		a->trails = p;
		p[a->ntrails++] = (struct trail){0};
	}
	return true;
}

/* The trail of the run's thread, with room for its stack. */
static struct trail *
trail_of(struct aggregate *a, const struct tach_run *run)
{
	struct trail *t;
	bool new;

	if (!reserve_trails(a, run->index))
		return NULL;
	t = &a->trails[run->index];
	new = t->nodes == NULL;
	if (!reserve_trail(t, run->depth))
		return NULL;
	if (new && (t->nodes[0] = root_of(a, run->thread)) == TACH_NONE) {
		free(t->nodes);
		*t = (struct trail){0};
		return NULL;
	}
	return t;
}

bool
aggregate_run(struct aggregate *a, const struct tach_run *run)
{
	struct trail *t = trail_of(a, run);
	uint32_t d;

	if (t == NULL)
		return false;
	d = run->shared < t->depth ? run->shared : t->depth;
	d = d < run->depth ? d : run->depth;
	for (; d < run->depth; d++) {
		uint32_t frame = run->frames[run->depth - 1 - d];
		uint32_t node = child(a, t->nodes[d], place_of(a, frame));
		if (node == TACH_NONE)
			return false;
		t->nodes[d + 1] = node;
	}
	t->depth = run->depth;
	a->nodes[t->nodes[run->depth]].weight += run->count;
	return true;
}

/* ---- what there is ------------------------------------------------------- */

uint32_t
aggregate_nodes(const struct aggregate *a)
{
	return a->nnodes;
}

const struct node *
aggregate_node(const struct aggregate *a, uint32_t index)
{
	return &a->nodes[index];
}

uint32_t
aggregate_places(const struct aggregate *a)
{
	return a->nplaces;
}

const struct place *
aggregate_place(const struct aggregate *a, uint32_t index)
{
	return &a->places[index];
}

uint32_t
aggregate_threads(const struct aggregate *a)
{
	return a->nthreads;
}

uint64_t
aggregate_thread(const struct aggregate *a, uint32_t index)
{
	return a->threads[index];
}
