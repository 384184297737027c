/* SPDX-License-Identifier: ISC */
/* json.c: strings of any bytes, and numbers, as JSON. */
#include "out/json.h"

#include <stdio.h>
#include <string.h>

#include "decimal.h"
#include "stream.h"
#include "utf8.h"

/* Whether the bytes would end or leave the script of a page: </script>,
 * <!--. */
static bool
leaves_script(const char *bytes, size_t len)
{
	return len > 1 && bytes[0] == '<' &&
	    (bytes[1] == '/' || bytes[1] == '!');
}

/* The length of the first character if JSON allows it unchanged, or 0. */
static size_t
plain_json_length(const char *bytes, size_t len)
{
	uint32_t code;
	size_t n = utf8_decode(bytes, len, &code);

	return n == 0 || utf8_is_control(code) || code == '"' ||
	    code == '\\' || leaves_script(bytes, len) ? 0 : n;
}

/* Adds the first character of bytes as an escape: a control (none is above
 * U+FFFF), a quotation mark, a backslash, or a < that begins the end of a
 * script.  A byte of invalid UTF-8 becomes U+FFFD.  Returns the length. */
static size_t
add_escape(struct buf *b, const char *bytes, size_t len)
{
	uint32_t code;
	char text[8];
	size_t n = utf8_decode(bytes, len, &code);

	if (n == 0)
		code = 0xfffd;
	snprintf(text, sizeof(text), code == '"' || code == '\\' ?
	    "\\%c" : "\\u%04x", (int)(code & 0xffff));
	buf_add_text(b, text);
	return n > 0 ? n : 1;
}

void
json_add_string(struct buf *b, const char *bytes, size_t len)
{
	size_t from = 0;

	buf_add_char(b, '"');
	for (size_t i = 0, n; i < len; i += n) {
		if ((n = plain_json_length(bytes + i, len - i)) > 0)
			continue;
		buf_add(b, bytes + from, i - from);
		n = add_escape(b, bytes + i, len - i);
		from = i + n;
	}
	buf_add(b, bytes + from, len - from);
	buf_add_char(b, '"');
}

void
json_add_visible(struct buf *b, const char *bytes, size_t len)
{
	struct buf text = {0};

	for (const char *tab; len > 0 &&
	     (tab = memchr(bytes, '\t', len)) != NULL;) {
		size_t n = (size_t)(tab - bytes);
		utf8_add_visible(&text, bytes, n);
		buf_add_char(&text, '\t');
		bytes += n + 1;
		len -= n + 1;
	}
	utf8_add_visible(&text, bytes, len);
	json_add_string(b, text.len > 0 ? text.text : "", text.len);
	b->failed |= text.failed;
	buf_clear(&text);
}

enum tach_error
tach_json_string(const struct tach_output *out, const char *bytes, size_t len)
{
	struct buf b = {0};
	enum tach_error code;

	json_add_string(&b, bytes, len);
	code = stream_write(out, &b);
	buf_clear(&b);
	return code;
}

enum tach_error
tach_json_number(const struct tach_output *out, double d)
{
	char text[DECIMAL_SIZE];
	struct buf b = {0};
	enum tach_error code;

	buf_add_text(&b, decimal_text(text, d));
	code = stream_write(out, &b);
	buf_clear(&b);
	return code;
}
