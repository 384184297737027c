/* SPDX-License-Identifier: ISC */
/* jsonpull.c: see jsonpull.h. */
#include "format/jsonpull.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define STRING_MAX (1u << 20) /* bytes */
#define NOTHING (-1)	      /* in the place of a byte: the input has no more */

bool
json_open(struct jsonpull *j, const struct origin *from, uint64_t at,
    uint64_t size, struct error *error)
{
	*j = (struct jsonpull){.error = error, .start = at, .size = size};
	return zin_open(&j->zin, from, at, size, TACH_PLAIN, false);
}

void
json_close(struct jsonpull *j)
{
	zin_close(&j->zin);
	buf_clear(&j->text);
	buf_clear(&j->key);
}

int
json_bad(struct jsonpull *j, const char *fmt, ...)
{
	char what[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return error_set(j->error, TACH_EDAMAGED, "byte %" PRIu64 ": %s", j->at,
	    what);
}

static int
json_bad_end(struct jsonpull *j)
{
	const struct error *problem = &j->zin.problem;

	if (problem->text[0] != '\0')
		return error_set(j->error, problem->code, "%s", problem->text);
	return error_set(j->error, TACH_ETRUNCATED, "byte %" PRIu64
	    ": truncated: the JSON is not complete", j->size);
}

/* ---- bytes --------------------------------------------------------------- */

/* The next byte, which stays. */
static int
peek(struct jsonpull *j)
{
	zin_need(&j->zin, 1);
	return cursor_left(&j->zin.cur) > 0 ? *j->zin.cur.pos : NOTHING;
}

/* Whether two bytes come next, which stay. */
static bool
peek_pair(struct jsonpull *j, int first, int second)
{
	const struct cursor *c = &j->zin.cur;

	zin_need(&j->zin, 2);
	return cursor_has(c, 2) && c->pos[0] == first && c->pos[1] == second;
}

static int
take_char(struct jsonpull *j)
{
	int c = peek(j);

	j->zin.cur.pos += c != NOTHING;
	return c;
}

/* The next byte behind blanks, which stays. */
static int
peek_token(struct jsonpull *j)
{
	int c;

	while ((c = peek(j)) == ' ' || c == '\n' || c == '\t' || c == '\r')
		take_char(j);
	j->at = j->start + zin_offset(&j->zin);
	return c;
}

/* ---- strings ------------------------------------------------------------- */

/* Adds a code point as UTF-8. */
static void
add_code_point(struct buf *b, uint32_t c)
{
	if (c < 0x80) {
		buf_add_char(b, (char)c);
	} else if (c < 0x800) {
		buf_add_char(b, (char)(0xc0 | c >> 6));
		buf_add_char(b, (char)(0x80 | (c & 0x3f)));
	} else if (c < 0x10000) {
		buf_add_char(b, (char)(0xe0 | c >> 12));
		buf_add_char(b, (char)(0x80 | (c >> 6 & 0x3f)));
		buf_add_char(b, (char)(0x80 | (c & 0x3f)));
	} else {
		buf_add_char(b, (char)(0xf0 | c >> 18));
		buf_add_char(b, (char)(0x80 | (c >> 12 & 0x3f)));
		buf_add_char(b, (char)(0x80 | (c >> 6 & 0x3f)));
		buf_add_char(b, (char)(0x80 | (c & 0x3f)));
	}
}

/* Four hexadecimal digits. */
static int
take_hex4(struct jsonpull *j, uint32_t *code)
{
	static const char digits[] = "0123456789abcdef0123456789ABCDEF";

	*code = 0;
	for (int i = 0; i < 4; i++) {
		int c = take_char(j);
		const char *digit = c == NOTHING ? NULL :
		    memchr(digits, c, sizeof(digits) - 1);
		if (c == NOTHING)
			return json_bad_end(j);
		if (digit == NULL)
			return json_bad(j, "a string with a wrong \\u");
		*code = *code << 4 | (uint32_t)((digit - digits) & 15);
	}
	return TACH_OK;
}

/* A character behind \u, of two halves perhaps.  Half a one becomes U+FFFD. */
static int
take_unicode(struct jsonpull *j, struct buf *to)
{
	uint32_t high, low;

	if (take_hex4(j, &high) != TACH_OK)
		return TACH_FATAL;
	while (high >= 0xd800 && high < 0xdc00 && peek_pair(j, '\\', 'u')) {
		j->zin.cur.pos += 2;
		if (take_hex4(j, &low) != TACH_OK)
			return TACH_FATAL;
		if (low >= 0xdc00 && low < 0xe000) {
			add_code_point(to, 0x10000 + ((high & 0x3ff) << 10) +
			    (low & 0x3ff));
			return TACH_OK;
		}
		add_code_point(to, 0xfffd);
		high = low;
	}
	add_code_point(to, high >= 0xd800 && high < 0xe000 ? 0xfffd : high);
	return TACH_OK;
}

static int
take_escape(struct jsonpull *j, struct buf *to)
{
	static const char from[] = "\"\\/bfnrt", plain[] = "\"\\/\b\f\n\r\t";
	int c = take_char(j);
	const char *found = c == NOTHING ? NULL :
	    memchr(from, c, sizeof(from) - 1);

	if (c == NOTHING)
		return json_bad_end(j);
	if (c == 'u')
		return take_unicode(j, to);
	if (found == NULL)
		return json_bad(j, "a string with a wrong escape");
	buf_add_char(to, plain[found - from]);
	return TACH_OK;
}

/* A string without its first quotation mark. */
static int
take_json_string(struct jsonpull *j, struct buf *to)
{
	int c;

	for (to->len = 0; (c = take_char(j)) != '"';) {
		if (c == NOTHING)
			return json_bad_end(j);
		if (to->len > STRING_MAX)
			return json_bad(j, "a string of more than %u MiB",
			    STRING_MAX >> 20);
		if (c < 0x20)
			return json_bad(j, "a string with a control character");
		if (c != '\\')
			buf_add_char(to, (char)c);
		else if (take_escape(j, to) != TACH_OK)
			return TACH_FATAL;
	}
	return to->failed ? error_memory(j->error) : TACH_OK;
}

/* ---- values -------------------------------------------------------------- */

/* A number or a word, up to a character that is in neither.  A NUL is behind it. */
static int
take_bare(struct jsonpull *j, enum json *kind)
{
	static const char letters[] = "+-.0123456789Eaeflnrstu";
	struct buf *b = &j->text;
	int c = peek(j);

	*kind = c == '-' || (c >= '0' && c <= '9') ? JSON_NUMBER : JSON_WORD;
	for (b->len = 0; (c = peek(j)) != NOTHING && b->len < 64 &&
	     memchr(letters, c, sizeof(letters) - 1) != NULL;)
		buf_add_char(b, (char)take_char(j));
	if (b->len == 0 && c == NOTHING)
		return json_bad_end(j);
	if (b->len == 0 || b->len == 64)
		return json_bad(j, "no JSON value");
	buf_add_char(b, '\0');
	return b->failed ? error_memory(j->error) : TACH_OK;
}

static int
open_level(struct jsonpull *j, bool object)
{
	take_char(j);
	if (j->depth == JSON_DEPTH)
		return json_bad(j, "more than %d levels of objects and arrays",
		    JSON_DEPTH);
	j->object[j->depth] = object;
	j->some[j->depth++] = false;
	return TACH_OK;
}

/* Takes the comma before a value, and its key in an object.  TACH_END: the level is
 * closed. */
static int
take_separator(struct jsonpull *j)
{
	bool object = j->object[j->depth - 1];
	int c = peek_token(j);

	if (c == (object ? '}' : ']')) {
		take_char(j);
		j->depth--;
		return TACH_END;
	}
	if (j->some[j->depth - 1]) {
		if (c != ',')
			return c == NOTHING ? json_bad_end(j) :
			    json_bad(j, "no comma between two values");
		take_char(j);
		c = peek_token(j);
	}
	j->some[j->depth - 1] = true;
	if (!object)
		return TACH_OK;
	if (c != '"')
		return c == NOTHING ? json_bad_end(j) :
		    json_bad(j, "no key of a value");
	take_char(j);
	if (take_json_string(j, &j->key) != TACH_OK)
		return TACH_FATAL;
	if (peek_token(j) != ':')
		return peek(j) == NOTHING ? json_bad_end(j) :
		    json_bad(j, "no colon behind a key");
	take_char(j);
	return TACH_OK;
}

int
json_next(struct jsonpull *j, enum json *kind)
{
	int res = TACH_OK, c;

	if (j->depth > 0)
		res = take_separator(j);
	if (res == TACH_END)
		return *kind = JSON_CLOSED, TACH_OK;
	if (res != TACH_OK)
		return res;
	c = peek_token(j);
	if (c == '{' || c == '[') {
		*kind = c == '{' ? JSON_OBJECT : JSON_ARRAY;
		return open_level(j, c == '{');
	}
	if (c != '"')
		return take_bare(j, kind);
	*kind = JSON_STRING;
	take_char(j);
	return take_json_string(j, &j->text);
}

int
json_skip(struct jsonpull *j, enum json kind)
{
	unsigned depth = j->depth;

	if (kind != JSON_OBJECT && kind != JSON_ARRAY)
		return TACH_OK;
	while (j->depth >= depth)
		if (json_next(j, &kind) != TACH_OK)
			return TACH_FATAL;
	return TACH_OK;
}

bool
json_key(const struct jsonpull *j, const char *key)
{
	return j->key.len == strlen(key) &&
	    memcmp(j->key.text, key, j->key.len) == 0;
}
