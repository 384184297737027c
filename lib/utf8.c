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

void
utf8_add_octal(struct buf *b, char byte)
{
	unsigned char c = (unsigned char)byte;
	const char escape[] = {'\\', (char)('0' + (c >> 6)),
	    (char)('0' + (c >> 3 & 7)), (char)('0' + (c & 7))};

	buf_add(b, escape, sizeof(escape));
}

void
utf8_add_visible(struct buf *b, const char *bytes, size_t len)
{
	uint32_t code;

	for (size_t i = 0, n; i < len; i += n > 0 ? n : 1) {
		if ((n = utf8_visible(bytes + i, len - i, &code)) > 0)
			buf_add(b, bytes + i, n);
		else
			utf8_add_octal(b, bytes[i]);
	}
}
