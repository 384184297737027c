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

/* The most that tables can hold: enough for any program, and no more memory
 * than a machine has. */
#define TABLE_ENTRIES_MAX (UINT32_C(1) << 26)
#define TABLES_SIZE_MAX (UINT64_C(1) << 30) /* bytes, both together */

/* Entries of both tables that follow each other in memory. */
struct tables {
	const uint8_t *bytes; /* must outlive the table: strings stay there */
	size_t size;
	uint64_t at;	       /* offset of the bytes in their file */
	uint32_t strings, frames;
	size_t frames_from;    /* where in the bytes frames begin; SIZE_MAX:
				* right after the strings */
};

/* Bytes that belong to no entry. */
struct tables_left {
	size_t strings, frames; /* after the last of each */
};

/* Appends them to a table. */
int tables_get(struct tach_table *, const struct tables *,
    struct tables_left *, struct error *);

/* Puts one entry as it is in a file. */
void string_put(struct buf *, struct tach_string);
void frame_put(struct buf *, const struct tach_frame *);

/* Writes both and, of the head's meta, what its layout has no room for; says in
 * the head where they are and how long. */
int tables_put(struct zout *, const struct tach_table *, struct head *);

#endif
