/* SPDX-License-Identifier: ISC */
/*
 * records.h: one record for each sample, for programs that read tables.  The
 * columns are the same in all formats.
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
	COLUMN_PROCESS,
	COLUMN_UTC,
	RECORDS_COLUMNS,
};

/* The form of records. */
struct records_form {
	const char *header; /* before all records */
	const char *before[RECORDS_COLUMNS];
	void (*add_string)(struct buf *, const char *, size_t);
	/* The texts between two frames, and at the end of the record. */
	const char *between, *end;
	const char *no_frames; /* the column of an empty stack */
	void (*add_frame)(struct buf *, const char *, size_t);
};

/* The form must outlive the sink. */
struct tach_sink *records_new(FILE *, const struct records_form *);

#endif
