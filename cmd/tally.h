/* SPDX-License-Identifier: ISC */
/*
 * tally.h: how much of a profile's time each function, line, file, module, task,
 * thread or process has: the rows of tach-top's table.
 *
 * A tally is a sink. Its rows are frames of a table of its own, in which all
 * frames of one group are one frame.  In a tree, all that have the same callers are.
 * By line, C code counts with the line of Python that has led to it; by file and module,
 * functions of C that have no file do.
 */
#ifndef TALLY_H
#define TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "processes.h"
#include "tach.h"

enum tally_group {
	TALLY_FUNCTION,
	TALLY_LINE,
	TALLY_FILE,
	TALLY_MODULE,
	TALLY_TASK,
	TALLY_THREAD,
	TALLY_PROCESS,
	TALLY_GROUPS,
};

/* The costs of a row.  Times are microseconds, as the ticks' durations say. */
struct tally_cost {
	uint64_t self;	  /* the row was innermost in the stack */
	uint64_t total;	  /* the row was in the stack, once or more often */
	uint64_t gil;	  /* part of the total: the thread held the GIL */
	uint64_t wanted;  /* likewise: it waited for the GIL */
	uint64_t cpu;	  /* likewise: it was on a CPU, or waited for a CPU alone */
	uint64_t waiting; /* likewise: its status is idle; see tach_status_idle */
	uint64_t samples; /* the number of samples in which the row was innermost */
	int32_t line;	  /* the smallest one of the row's samples; -1: unknown */
};

/* How the threads of a row were in its newest sample, or in all samples of that time. */
struct tally_state {
	uint64_t time; /* us since the start */
	uint8_t status;
	bool known;
};

/* The nodes below a node, or none: TACH_NONE. */
struct tally_node {
	uint32_t callee; /* the newest node below it ... */
	uint32_t sister; /* ... and the one before this below its caller */
};

/* The nodes from the root to the innermost frame of a thread's newest stack.  Node k is
 * that of the k-th frame from the outside, or of the nearest frame before it that has a
 * row. */
struct tally_path {
	uint32_t *nodes;
	size_t max;
	uint32_t depth;
};

/* The costs of one second of the profile. */
struct tally_second {
	uint64_t number; /* seconds since the start */
	struct tally_cost all;
	struct tally_cost *rows;
	size_t max;
	uint32_t *used; /* numbers of the rows that have costs */
	size_t nused, used_max;
};

#define TALLY_SECONDS 6 /* that are kept: five, and the one that has begun */

struct tally {
	struct tach_sink sink;
	struct tally_cost *rows; /* by the number of a row */
	struct tally_state *states; /* likewise, of threads and processes; else NULL */
	uint32_t nrows;
	struct tally_cost all; /* of all samples; self is their time */
	uint32_t nthreads;     /* (interpreter, thread) pairs with samples */
	uint64_t begin, end;   /* of all samples, us since the profile's start */
	uint32_t innermost;    /* the innermost row of the newest run; the reason of a
				* wait is none */
	/* private */
	enum tally_group group;
	enum tally_group frames; /* by which frames become rows */
	bool tree;		 /* rows are nodes, and others that have no costs */
	struct tally_node *nodes; /* of a tree, by row */
	uint32_t root;		  /* likewise, the newest node without a caller */
	struct tally_path *paths; /* likewise, by a run's index */
	size_t nodes_max, paths_max;
	uint32_t npaths;
	struct processes processes;
	const struct tach_table *from; /* the source's */
	struct tach_table *table;      /* whose frames are the rows */
	uint32_t *row_of;	       /* by frame of the source; TACH_NONE: unknown */
	uint32_t *string_of; /* by string of the source, its own; or the row of a
			      * file; TACH_NONE: unknown */
	size_t string_of_max;
	uint32_t nstring_of;
	uint32_t *thread_rows;	       /* by a run's index */
	uint64_t *seen; /* by row: the number of the last run that had it */
	uint8_t *kinds; /* by row, of frames; KIND_SOURCE: it does not matter */
	uint64_t runs;
	bool recent; /* the last seconds are kept */
	struct tally_second seconds[TALLY_SECONDS];
	size_t rows_max, states_max, row_of_max, thread_rows_max, seen_max,
	    kinds_max;
	uint32_t nrow_of;
};

/* False: out of memory.  It is to be cleared in any case. */
bool tally_init(struct tally *, enum tally_group);
void tally_clear(struct tally *);

/* Whether samples count for a row: not if all of them count with callers. */
bool tally_has_samples(const struct tally *, uint32_t row);

/* How long the samples lasted, from the first to the last, us; 0: there are none. */
uint64_t tally_duration(const struct tally *);

/* Keeps the costs of the last five seconds, too; to be called before the first run. */
void tally_keep_recent(struct tally *);
/* Makes the rows nodes of a call tree; likewise.  Below threads and processes are
 * functions. */
void tally_make_tree(struct tally *);
/* One of the nodes below a node, or, of TACH_NONE, of those that nothing calls; and the
 * next one beside it.  TACH_NONE: there is none. */
uint32_t tally_callee(const struct tally *, uint32_t node);
uint32_t tally_sister(const struct tally *, uint32_t node);

/* The costs of the samples that began in the last five seconds, or in the one that has
 * begun: of all; of a row; of each row. */
struct tally_cost tally_recent_all(const struct tally *);
struct tally_cost tally_recent_row(const struct tally *, uint32_t row);
void tally_recent(const struct tally *, struct tally_cost rows[]);

/* A row as a frame, whose strings are those of tally_string.  Of a thread, a task or a
 * process, func is its name or number, and file is "". */
const struct tach_frame *tally_frame(const struct tally *, uint32_t row);
struct tach_string tally_string(const struct tally *, uint32_t string);

/* The names of groups, as an option has them, up to NULL. */
extern const char *const tally_groups[];

#endif
