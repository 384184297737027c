/* SPDX-License-Identifier: ISC */
/* tables.h: the tables of strings and frames, both directions. */
#ifndef FORMAT_TABLES_H
#define FORMAT_TABLES_H

#include <stdint.h>

#include "buf.h"
#include "error.h"
#include "format/head.h"
#include "format/zio.h"
#include "tach.h"

/* The limits of tables: enough for any program, and no more memory than a
 * machine has. */
#define TABLE_ENTRIES_MAX (UINT32_C(1) << 26)
#define TABLES_SIZE_MAX (UINT64_C(1) << 30) /* bytes of both tables */

/* Entries of both tables that follow each other in memory. */
struct tables {
	const uint8_t *bytes; /* must outlive the table, which points to them */
	size_t size;
	uint64_t at;	       /* offset of the bytes in their file */
	uint32_t strings, frames;
	size_t frames_from;    /* where in the bytes frames begin; SIZE_MAX:
				* right after the strings */
};

/* Bytes after the last entries. */
struct tables_left {
	size_t strings, frames; /* after the last entry of each table */
};

/* Appends the entries to a table. */
int tables_get(struct tach_table *, const struct tables *,
    struct tables_left *, struct error *);

/* Adds one entry as in a file. */
void string_put(struct buf *, struct tach_string);
void frame_put(struct buf *, const struct tach_frame *);

/* Writes both tables and the notes for the meta that the head's layout has no
 * room for.  Sets their offsets and counts in the head. */
int tables_put(struct zout *, const struct tach_table *, struct head *);

#endif
