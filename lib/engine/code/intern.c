/* SPDX-License-Identifier: ISC */
/* intern.c: see intern.h. */
#include "engine/code/intern.h"

#include "buf.h"

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

uint32_t
intern_name(struct tach_table *t, const char *bytes, size_t len)
{
	struct buf b = {0};
	uint32_t index = TACH_NONE;

	if (len == 0 || bytes[0] != '\0')
		return tach_table_add_string(t, bytes, len);
	buf_add(&b, REPLACEMENT, strlen(REPLACEMENT));
	buf_add(&b, bytes + 1, len - 1);
	if (!b.failed)
		index = tach_table_add_string(t, b.text, b.len);
	buf_clear(&b);
	return index;
}
