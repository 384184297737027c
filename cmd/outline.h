/* SPDX-License-Identifier: ISC */
/*
 * outline.h: the rows of a tally in the order in which a view shows them: of a call tree
 * the nodes that are not folded away, each below its caller.
 */
#ifndef OUTLINE_H
#define OUTLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tally_table.h"

/* Whether the callees of a node are shown. */
enum outline_fold {
	OUTLINE_BY_SHARE, /* if much of the time is theirs */
	OUTLINE_OPEN,
	OUTLINE_FOLDED,
};

/* The user's folds; all zero: none. */
struct outline_folds {
	enum outline_fold others; /* of nodes that have none */
	uint8_t *of;		  /* by node, an enum outline_fold; 0: none */
	size_t count, max;
};

void outline_fold_all(struct outline_folds *, enum outline_fold);
/* False: out of memory. */
bool outline_fold(struct outline_folds *, uint32_t node, enum outline_fold);
void outline_forget(struct outline_folds *);

struct outline_row {
	uint32_t row;
	uint32_t depth; /* callers above it; 0 in a table */
	bool callees;	/* it has some ... */
	bool open;	/* ... and they are shown */
};

struct outline {
	struct tally_cost *recent;	/* by row, of the last seconds; NULL: all time */
	const struct tally_cost *costs; /* by row: of that time */
	struct tally_cost all, all_recent; /* of all samples of that time, of the last
					    * seconds */
	struct outline_row *rows;
	uint32_t count;
	size_t max; /* private */
};

/* How it is made. */
struct outline_how {
	enum tally_column column;
	bool recent; /* costs are of the last seconds, and rows without any are left out */
	/* So many rows have to be in order, and of a tree all rows until this node.
	 * Others of a table follow in any order, others of a tree may be missing. */
	uint32_t wanted, node;
	const struct outline_folds *folds; /* NULL: it is no tree */
};

/* False: out of memory.  It is to be cleared in any case. */
bool outline_make(struct outline *, const struct tally *, const struct outline_how *);
void outline_clear(struct outline *);

#endif
