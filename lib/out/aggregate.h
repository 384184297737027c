/* SPDX-License-Identifier: ISC */
/*
 * aggregate.h: the distinct stacks of each thread and their weights, for all
 * formats that add up.
 *
 * Stacks are paths in a tree.  A node is a location that is called from the
 * parent node.  A run whose stack did not change takes one addition, a run
 * whose innermost frame changed takes one look-up.
 */
#ifndef OUT_AGGREGATE_H
#define OUT_AGGREGATE_H

#include "error.h"
#include "out/groups.h"
#include "out/locations.h"
#include "out/pairs.h"
#include "tach.h"

struct node {
	uint32_t parent; /* TACH_NONE in the root of a thread */
	uint32_t what;	 /* index of a location, in a root of a thread */
	uint32_t depth;	 /* 1 in a root, and one more in each child */
	uint32_t cell;	 /* weight of its stack; TACH_NONE: none ends here */
};

/* The weight of the samples of one class whose stack ends at a node. */
struct cell {
	uint64_t samples;
	uint64_t time; /* microseconds */
	uint32_t next; /* of the same node, or TACH_NONE */
	uint8_t class;
};

struct aggregate_thread {
	uint64_t thread; /* by name, once settled: its group; by none: 0 */
	uint32_t interp; /* 0 if interpreters are not told apart */
	bool main;
	char *frame; /* private: the name in its frame; NULL: it has no frame */
};

/* Puts statuses into classes. */
typedef uint8_t class_fn(uint8_t status);
class_fn class_status; /* each status is a class */
/* The bits that say what the thread did: all but TACH_STATUS_MAIN and unknown
 * ones. */
class_fn class_state;
#define CLASS_STATES 32

struct aggregate_options {
	enum location_kind kind;
	location_text_fn *text;
	/* A thread that runs in two interpreters counts as two threads; else as
	 * one, of which no name may be told: a merged profile has the processes
	 * as interpreters, and their threads can have equal numbers. */
	bool interps;
	enum tach_by by; /* TACH_BY_FORMAT: by thread */
	bool thread_frames; /* a thread that is told is a frame below all others */
	/* Only source has callees.  A node of C code (location_has_caller) has none: it
	 * stands for all the C code below its parent, by the first of these frames. */
	bool source;
	class_fn *class_of; /* NULL if all samples are of class 0 */
};

struct aggregate {
	struct aggregate_options options;
	struct locations locations;
	/* Nodes come after their parents. */
	struct node *nodes;
	struct cell *cells;
	struct aggregate_thread *threads;
	uint32_t nnodes, ncells, nthreads;
	uint64_t samples, time; /* of all */
	/* private */
	struct path *paths; /* by a run's index */
	uint32_t npaths;
	size_t nodes_max, cells_max, threads_max, paths_max;
	/* The nodes below each node.  Most are not in here: a new path is made
	 * in one go, so the first child of a node mostly is the node after
	 * it. */
	struct pairs children;
	struct set thread_set;
	struct groups groups; /* by name */
	uint8_t classes[256]; /* by status */
	const char *failure;  /* the limit that was reached; else NULL */
};

void aggregate_init(struct aggregate *, const struct tach_table *,
    struct aggregate_options);
void aggregate_clear(struct aggregate *);

/* Frees what only counting needs, joins threads by name and puts in the frames of
 * threads: names may come behind samples.  No more runs may come, and nodes that were
 * returned are void.  False as below, with TACH_BY_NAME or thread_frames alone. */
bool aggregate_settle(struct aggregate *);

/* The node of a run's stack, without counting the run.  TACH_NONE if out of
 * memory, or if limits.h allows no more. */
uint32_t aggregate_stack(struct aggregate *, const struct tach_run *);

/* Counts a run.  False as above. */
bool aggregate_run(struct aggregate *, const struct tach_run *);

/* Sets the error of such a failure.  Returns TACH_FATAL. */
int aggregate_failed(const struct aggregate *, struct error *);

/* A thread's name, which is never empty: see out_thread_name.  By name it is that of the
 * group, and by none "all threads". */
const char *aggregate_thread_name(const struct aggregate *,
    const struct aggregate_thread *, struct buf *);

/* The way that was asked for, or else a format's own. */
static inline enum tach_by
by_or(enum tach_by asked, enum tach_by usual)
{
	return asked != TACH_BY_FORMAT ? asked : usual;
}

static inline bool
node_is_root(const struct node *n)
{
	return n->parent == TACH_NONE;
}

/* Whether a node is C code. */
static inline bool
node_is_c(const struct aggregate *a, const struct node *n)
{
	return !node_is_root(n) && location_has_caller(&a->locations.all[n->what]);
}

/* The weight of a node's own cells: samples or, if `time`, microseconds. */
uint64_t aggregate_weight(const struct aggregate *, uint32_t node, bool time);

/* The contents of a baseline (tach_baseline_new): locations are functions, and
 * the classes of cells are those of class_state. */
const struct aggregate *base_aggregate(const struct tach_baseline *);
const struct tach_meta *base_meta(const struct tach_baseline *);

/* Adds a text that says how the recording of the profile differed from that of
 * the baseline, so that their shares may not be comparable.  Adds nothing if
 * they were recorded alike, or if it is not known. */
void base_compare(struct buf *, const struct tach_baseline *,
    const struct tach_meta *);

#endif
