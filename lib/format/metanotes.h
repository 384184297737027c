/* SPDX-License-Identifier: ISC */
/*
 * metanotes.h: the configuration and the quality of a recording as notes, since
 * the early header has no room for them.  They are the last strings of a
 * file.
 */
#ifndef FORMAT_METANOTES_H
#define FORMAT_METANOTES_H

#include "buf.h"
#include "tach.h"

/* Adds the notes as entries of a string table.  Returns their number. */
uint32_t metanotes_put(struct buf *, const struct tach_meta *);

/* Removes the notes from the table of a file, and sets the meta by them. */
void metanotes_get(struct tach_meta *, struct tach_table *);

#endif
