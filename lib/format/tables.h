/* SPDX-License-Identifier: ISC */
/* tables.h: the tables of strings and frames, both directions. */
#ifndef FORMAT_TABLES_H
#define FORMAT_TABLES_H

#include <stdint.h>

#include "error.h"
#include "format/head.h"
#include "format/zio.h"
#include "tach.h"

/* Loads both tables of a file whose header was taken by head_get.  The
 * strings stay in the file's memory. */
int tables_get(struct tach_table *, const uint8_t *file, const struct head *,
    struct error *);

/* Writes them, and notes in the head where they are and how long. */
int tables_put(struct zout *, const struct tach_table *, struct head *);

#endif
