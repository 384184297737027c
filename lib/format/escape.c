/* SPDX-License-Identifier: ISC */
/* escape.c: see escape.h. */
#include "format/escape.h"

#include <string.h>

#include "stream.h"
#include "utf8.h"

#define ESCAPE_SIZE 4 /* \ooo */
#define QUOTED 40     /* bytes of the input in a message, at most */

/* The length of the first character if it is printed unchanged, or 0. */
static size_t
plain_length(const char *bytes, size_t len, const char *marks)
{
	uint32_t code;
	size_t n = utf8_visible(bytes, len, &code);

	return n == 1 && strchr(marks, (int)code) != NULL ? 0 : n;
}

void
escape_add(struct buf *b, const char *bytes, size_t len, const char *marks)
{
	for (size_t i = 0, n; i < len; i += n) {
		n = plain_length(bytes + i, len - i, marks);
		if (n > 0) {
			buf_add(b, bytes + i, n);
		} else {
			utf8_add_octal(b, bytes[i]);
			n = 1;
		}
	}
}

enum tach_error
tach_plain_string(const struct tach_output *out, const char *bytes, size_t len)
{
	struct buf b = {0};
	enum tach_error code;

	escape_add(&b, bytes, len, "\\");
	code = stream_write(out, &b);
	buf_clear(&b);
	return code;
}

static bool
octal(char c)
{
	return c >= '0' && c <= '7';
}

/* Whether an escape begins here; sets its byte. */
static bool
undo_one(const char *text, size_t len, char *byte)
{
	if (len < ESCAPE_SIZE || text[1] > '3' || !octal(text[1]) ||
	    !octal(text[2]) || !octal(text[3]))
		return false;
	*byte = (char)((text[1] - '0') << 6 | (text[2] - '0') << 3 |
	    (text[3] - '0'));
	return true;
}

const char *
escape_undo(struct buf *b, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];
		char byte = text[i];
		if (c < 0x20 || c == 0x7f)
			return text + i;
		if (c == '\\') {
			if (!undo_one(text + i, len - i, &byte))
				return text + i;
			i += ESCAPE_SIZE - 1;
		}
		buf_add_char(b, byte);
	}
	return NULL;
}

const char *
escape_fault(const char *bad)
{
	return *bad == '\\' ?
	    "has a backslash that begins no escape such as \\040" :
	    "has a control character";
}

const char *
escape_quote(char out[QUOTE_SIZE], const char *text, size_t len)
{
	struct buf b = {0};

	escape_add(&b, text, len < QUOTED ? len : QUOTED, "");
	if (len > QUOTED)
		buf_add(&b, "...", 3);
	if (b.failed)
		b.len = 0;
	if (b.len > 0)
		memcpy(out, b.text, b.len);
	out[b.len] = '\0';
	buf_clear(&b);
	return out;
}
