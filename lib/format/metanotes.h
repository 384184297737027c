/* SPDX-License-Identifier: ISC */
/*
 * metanotes.h: what the documented header has no room for, the configuration
 * and the quality of a recording, as notes: the last strings of a file.
 */
#ifndef FORMAT_METANOTES_H
#define FORMAT_METANOTES_H

#include "buf.h"
#include "tach.h"

/* Adds them as they are in a file, and gives their number. */
uint32_t metanotes_put(struct buf *, const struct tach_meta *);

/* Takes them out of a file's table, into the meta. */
void metanotes_get(struct tach_meta *, struct tach_table *);

#endif
