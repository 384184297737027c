/* SPDX-License-Identifier: ISC */
/* status.h: a status in words. */
#ifndef STATUS_H
#define STATUS_H

#include "buf.h"
#include "tach.h"

/* Adds the words of tach_status_name with commas between them; of status 0
 * there are none. */
void status_add_words(struct buf *, uint8_t status);

#endif
