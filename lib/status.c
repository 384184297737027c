/* SPDX-License-Identifier: ISC */
/* status.c: names and meanings of the bits of a status; see tach.h. */
#include "status.h"

const char *const tach_status_names[TACH_STATUS_BITS] = {"gil", "cpu",
    "unknown", "gil-wanted", "exception", "main", "0x40", "0x80"};

bool
tach_status_idle(uint8_t status)
{
	return (status & (TACH_STATUS_GIL | TACH_STATUS_CPU |
	    TACH_STATUS_UNKNOWN | TACH_STATUS_GIL_WANTED)) == 0;
}

void
status_add_words(struct buf *b, uint8_t status)
{
	const char *comma = "";

	for (int i = 0; i < TACH_STATUS_BITS; i++) {
		if ((status & 1 << i) == 0)
			continue;
		buf_add_text(b, comma);
		buf_add_text(b, tach_status_names[i]);
		comma = ",";
	}
}
