/* SPDX-License-Identifier: ISC */
/* status.h: a status in words. */
#ifndef STATUS_H
#define STATUS_H

#include "buf.h"
#include "tach.h"

/* Adds the words of tach_status_name with commas between them; of status 0
 * there are none. */
void status_add_words(struct buf *, uint8_t status);
/* Likewise; before the words of an idle thread there is the word "idle". */
void status_add_label(struct buf *, uint8_t status);

/* Whether a thread was on a CPU, as far as that is known. */
static inline bool
status_on_cpu(uint8_t status)
{
	return (status & (TACH_STATUS_CPU | TACH_STATUS_UNKNOWN)) ==
	    TACH_STATUS_CPU;
}

#endif
