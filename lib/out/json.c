/* SPDX-License-Identifier: ISC */
/* json.c: strings of whatever bytes, and numbers, as JSON. */
#include "out/json.h"

#include <stdio.h>

#include "decimal.h"
#include "utf8.h"

/* Whether a page's script would end or be left here: </script>, <!--. */
static bool
leaves_script(const char *bytes, size_t len)
{
	return len > 1 && bytes[0] == '<' &&
	    (bytes[1] == '/' || bytes[1] == '!');
}

/* The length of a character that JSON takes as it is, or 0. */
static size_t
plain(const char *bytes, size_t len)
{
	uint32_t code;
	size_t n = utf8_decode(bytes, len, &code);

	return n == 0 || code < 0x20 || code == '"' || code == '\\' ||
	    leaves_script(bytes, len) ? 0 : n;
}

static void
add_escape(struct buf *b, unsigned char c)
{
	char text[8];
	int n;

	if (c >= 0x80)
		n = snprintf(text, sizeof(text), "\\ufffd");
	else if (c == '"' || c == '\\')
		n = snprintf(text, sizeof(text), "\\%c", c);
	else
		n = snprintf(text, sizeof(text), "\\u%04x", c);
	buf_add(b, text, (size_t)n);
}

void
json_add_string(struct buf *b, const char *bytes, size_t len)
{
	size_t from = 0;

	buf_add_char(b, '"');
	for (size_t i = 0, n; i < len; i += n) {
		if ((n = plain(bytes + i, len - i)) > 0)
			continue;
		buf_add(b, bytes + from, i - from);
		add_escape(b, (unsigned char)bytes[i]);
		n = 1;
		from = i + 1;
	}
	buf_add(b, bytes + from, len - from);
	buf_add_char(b, '"');
}

void
tach_json_string(FILE *out, const char *bytes, size_t len)
{
	struct buf b = {0};

	json_add_string(&b, bytes, len);
	if (b.failed)
		fputs("\"\"", out); /* JSON all the same */
	else
		fwrite(b.text, 1, b.len, out);
	buf_clear(&b);
}

void
tach_json_number(FILE *out, double d)
{
	char text[DECIMAL_SIZE];

	fputs(decimal_text(text, d), out);
}
