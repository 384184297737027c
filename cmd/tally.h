/* SPDX-License-Identifier: ISC */
/*
 * tally.h: how much of a profile's time each function, line, file, module or
 * thread has: the rows of tach-top's table.
 *
 * A tally is a sink. Its rows are frames of a table of its own, in which all
 * frames of one group are one frame.
 */
#ifndef TALLY_H
#define TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tach.h"

enum tally_group {
	TALLY_FUNCTION,
	TALLY_LINE,
	TALLY_FILE,
	TALLY_MODULE,
	TALLY_THREAD,
	TALLY_GROUPS,
};

/* Microseconds, as the ticks' spans say; but for the samples. */
struct tally_cost {
	uint64_t self;	/* it was innermost */
	uint64_t total; /* it was in the stack, however often */
	/* Of the total, while the thread ... */
	uint64_t gil;	  /* held the GIL */
	uint64_t wanted;  /* waited for the GIL */
	uint64_t cpu;	  /* was on a CPU, or waited for one only */
	uint64_t waiting; /* did none of the three */
	uint64_t samples; /* in which it was innermost */
	int32_t line;	  /* the smallest that was seen; -1: none is known */
};

/* The costs of one second of the profile. */
struct tally_second {
	uint64_t number; /* seconds since the start */
	struct tally_cost all;
	struct tally_cost *rows;
	size_t max;
};

#define TALLY_SECONDS 6 /* that are kept: five, and the one that has begun */

struct tally {
	struct tach_sink sink;
	struct tally_cost *rows; /* by the number of a row */
	uint32_t nrows;
	struct tally_cost all; /* of all samples; self is their time */
	uint32_t nthreads;     /* (interpreter, thread) pairs with samples */
	uint64_t end;	       /* us since the start: of the latest sample's span */
	uint32_t innermost;    /* the row in which the last run was */
	/* private */
	enum tally_group group;
	const struct tach_table *from; /* the source's */
	struct tach_table *table;      /* whose frames are the rows */
	uint32_t *row_of;	       /* by frame of the source; TACH_NONE: unknown */
	uint32_t *thread_rows;	       /* by a run's index */
	uint64_t *seen; /* by row: the number of the last run that had it */
	uint64_t runs;
	bool recent; /* the last seconds are kept */
	struct tally_second seconds[TALLY_SECONDS];
	size_t rows_max, row_of_max, thread_rows_max, seen_max;
	uint32_t nrow_of;
};

/* False: out of memory.  It is to be cleared in any case. */
bool tally_init(struct tally *, enum tally_group);
void tally_clear(struct tally *);

/* Keeps the costs of the last five seconds, too; to be called before the first run. */
void tally_keep_recent(struct tally *);
/* Fills in the costs of the last five seconds: of each row, and of all. */
void tally_recent(const struct tally *, struct tally_cost rows[],
    struct tally_cost *all);

/* A row as a frame, whose strings are those of tally_string.  Of a thread, func is its
 * name or number, and file is "". */
const struct tach_frame *tally_frame(const struct tally *, uint32_t row);
struct tach_string tally_string(const struct tally *, uint32_t string);

/* The name of a group as an option says it; NULL: there is no such group. */
const char *tally_group_name(enum tally_group);

#endif
