/* SPDX-License-Identifier: ISC */
/* utf8.c: see utf8.h. */
#include "utf8.h"

void
utf8_add(struct buf *b, const char *bytes, size_t len)
{
	uint32_t code;

	for (size_t i = 0, n; i < len; i += n > 0 ? n : 1) {
		if ((n = utf8_decode(bytes + i, len - i, &code)) > 0)
			buf_add(b, bytes + i, n);
		else
			buf_add(b, "\xef\xbf\xbd", 3);
	}
}
