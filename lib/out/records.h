/* SPDX-License-Identifier: ISC */
/*
 * records.h: a record a sample, for programs that read tables.  The columns
 * are the same whatever the records are written as.
 */
#ifndef OUT_RECORDS_H
#define OUT_RECORDS_H

#include "buf.h"
#include "tach.h"

enum records_column {
	COLUMN_TIME,
	COLUMN_INTERP,
	COLUMN_THREAD,
	COLUMN_NAME,
	COLUMN_STATUS,
	COLUMN_US,
	COLUMN_DEPTH,
	COLUMN_FUNCTION,
	COLUMN_FILE,
	COLUMN_LINE,
	COLUMN_STACK,
	RECORDS_COLUMNS,
};

/* What records look like. */
struct records_form {
	const char *header; /* before all of them */
	const char *before[RECORDS_COLUMNS];
	void (*add_string)(struct buf *, const char *, size_t);
	/* Of the stack: what stands between two frames, and behind the last,
	 * where the record ends. */
	const char *between, *end;
	const char *no_frames; /* the whole stack, where it is empty */
	void (*add_frame)(struct buf *, const char *, size_t);
};

/* The form is the caller's. */
struct tach_sink *records_new(FILE *, const struct records_form *);

#endif
