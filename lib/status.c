/* SPDX-License-Identifier: ISC */
/* status.c: names and meanings of the bits of a status; see tach.h. */
#include "status.h"

#include <string.h>

static const char *const names[] = {"gil", "cpu", "unknown", "gil-wanted",
    "exception", "main", "0x40", "0x80"};
#define STATUS_BITS (sizeof(names) / sizeof(names[0]))

const char *
tach_status_name(unsigned bit)
{
	return bit < STATUS_BITS ? names[bit] : NULL;
}

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

	for (unsigned i = 0; i < STATUS_BITS; i++) {
		if ((status & 1 << i) == 0)
			continue;
		buf_add_text(b, comma);
		buf_add_text(b, names[i]);
		comma = ",";
	}
}

void
status_add_label(struct buf *b, uint8_t status)
{
	if (tach_status_idle(status))
		buf_add_text(b, status != 0 ? "idle," : "idle");
	status_add_words(b, status);
}
