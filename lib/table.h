/* SPDX-License-Identifier: ISC */
/* table.h: what the wings may do with a table beyond tach.h. */
#ifndef TABLE_H
#define TABLE_H

#include "tach.h"

/*
 * Appends an entry without looking for an equal one, for a file's tables,
 * whose indices must stay what the file says.  A loaded string is not
 * copied: its bytes must outlive the table.  False: out of memory.  A table
 * that was loaded into is not added to.
 */
bool table_load_string(struct tach_table *, const char *, size_t);
bool table_load_frame(struct tach_table *, const struct tach_frame *);
/* Takes away the last string, which no frame uses and which names no thread. */
void table_unload_string(struct tach_table *);

/* Makes it empty. */
void table_clear(struct tach_table *);

#endif
