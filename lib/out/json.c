/* SPDX-License-Identifier: ISC */
/* json.c: strings of whatever bytes, and numbers, as JSON. */
#include "decimal.h"
#include "tach.h"
#include "utf8.h"

/* The length of a character that JSON takes as it is, or 0. */
static size_t
plain(const char *bytes, size_t len)
{
	uint32_t code;
	size_t n = utf8_decode(bytes, len, &code);

	return n == 0 || code < 0x20 || code == '"' || code == '\\' ? 0 : n;
}

static void
put_escape(FILE *out, unsigned char c)
{
	if (c >= 0x80)
		fputs("\\ufffd", out);
	else if (c == '"' || c == '\\')
		fprintf(out, "\\%c", c);
	else
		fprintf(out, "\\u%04x", c);
}

void
tach_json_string(FILE *out, const char *bytes, size_t len)
{
	putc('"', out);
	for (size_t i = 0, n; i < len; i += n) {
		n = plain(bytes + i, len - i);
		if (n > 0) {
			fwrite(bytes + i, 1, n, out);
		} else {
			put_escape(out, (unsigned char)bytes[i]);
			n = 1;
		}
	}
	putc('"', out);
}

void
tach_json_number(FILE *out, double d)
{
	char text[DECIMAL_SIZE];

	fputs(decimal_text(text, d), out);
}
