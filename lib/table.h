/* SPDX-License-Identifier: ISC */
/* table.h: functions on a table for lib/format and lib/out, beyond tach.h. */
#ifndef TABLE_H
#define TABLE_H

#include "tach.h"

/*
 * Appends an entry even if there is an equal one.  A file's tables need this,
 * since their indices must stay as they are in the file.  A loaded string is
 * not copied: its bytes must outlive the table.  False if out of memory.
 * Nothing is added to a table that was loaded into.
 */
bool table_load_string(struct tach_table *, const char *, size_t);
bool table_load_frame(struct tach_table *, const struct tach_frame *);
/* Removes the last string, which no frame uses and which names no thread. */
void table_unload_string(struct tach_table *);

/* Bytes of the strings that were added, not loaded. */
uint64_t table_kept(const struct tach_table *);

/* Makes a table empty. */
void table_clear(struct tach_table *);

#endif
