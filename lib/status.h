/* SPDX-License-Identifier: ISC */
/* status.h: a status in words. */
#ifndef STATUS_H
#define STATUS_H

#include "buf.h"
#include "tach.h"

/* Adds the words of tach_status_names with commas between them; nothing for
 * status 0. */
void status_add_words(struct buf *, uint8_t status);

#endif
