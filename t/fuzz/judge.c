/* SPDX-License-Identifier: ISC */
/* judge.c: see judge.h. */
#include "judge.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "out/page.h"
#include "utf8.h"

#define CSV_COLUMNS 13

/* ---- text ---------------------------------------------------------------- */

/* Valid UTF-8 without controls, but for the ends of lines and tabs. */
static void
judge_text(const char *text, size_t len)
{
	uint32_t code = 0;

	for (size_t i = 0, n; i < len; i += n) {
		n = utf8_decode(text + i, len - i, &code);
		promise(n > 0);
		promise(code == '\n' || code == '\t' || !utf8_is_control(code));
	}
}

/* ---- JSON ---------------------------------------------------------------- */

struct json {
	const char *at, *end;
};

static char
peek(const struct json *j)
{
	return j->at < j->end ? *j->at : '\0';
}

static void
skip(struct json *j)
{
	while (peek(j) == ' ' || peek(j) == '\n')
		j->at++;
}

static void
take(struct json *j, const char *text)
{
	size_t n = strlen(text);

	promise((size_t)(j->end - j->at) >= n && memcmp(j->at, text, n) == 0);
	j->at += n;
}

static void
take_string(struct json *j)
{
	take(j, "\"");
	while (peek(j) != '"') {
		promise(j->at < j->end && (unsigned char)*j->at >= 0x20);
		if (*j->at++ != '\\')
			continue;
		promise(strchr("\"\\u", peek(j)) != NULL && peek(j) != '\0');
		if (*j->at++ == 'u') {
			promise(j->end - j->at >= 4 &&
			    strspn(j->at, "0123456789abcdef") >= 4);
			j->at += 4;
		}
	}
	j->at++;
}

static void
take_digits(struct json *j)
{
	promise(peek(j) >= '0' && peek(j) <= '9');
	while (peek(j) >= '0' && peek(j) <= '9')
		j->at++;
}

static void
take_number(struct json *j)
{
	if (peek(j) == '-')
		j->at++;
	promise(peek(j) != '0' || j->at + 1 == j->end ||
	    strchr("0123456789", j->at[1]) == NULL);
	take_digits(j);
	if (peek(j) == '.') {
		j->at++;
		take_digits(j);
	}
	if (peek(j) == 'e') {
		j->at++;
		if (peek(j) == '-' || peek(j) == '+')
			j->at++;
		take_digits(j);
	}
}

static void take_value(struct json *, int depth);

/* The members of an object, or the elements of an array. */
static void
take_members(struct json *j, const char *close, bool named, int depth)
{
	j->at++;
	skip(j);
	if (peek(j) == *close) {
		j->at++;
		return;
	}
	for (;; j->at++) {
		skip(j);
		if (named) {
			take_string(j);
			skip(j);
			take(j, ":");
		}
		take_value(j, depth + 1);
		if (peek(j) != ',')
			break;
	}
	take(j, close);
}

static void
take_value(struct json *j, int depth)
{
	promise(depth < 32);
	skip(j);
	switch (peek(j)) {
	case '{':
		take_members(j, "}", true, depth);
		break;
	case '[':
		take_members(j, "]", false, depth);
		break;
	case '"':
		take_string(j);
		break;
	case 't':
		take(j, "true");
		break;
	case 'f':
		take(j, "false");
		break;
	case 'n':
		take(j, "null");
		break;
	default:
		take_number(j);
	}
	skip(j);
}

/* One value, or one a line. */
static void
judge_json(const char *text, size_t len, bool lines)
{
	struct json j = {text, text + len};

	judge_text(text, len);
	while (j.at < j.end || !lines) {
		take_value(&j, 0);
		if (!lines)
			break;
	}
	promise(j.at == j.end);
}

/* ---- CSV ----------------------------------------------------------------- */

/* Takes a field, which is not empty and either all in quotes or has none.
 * Returns what is behind it. */
static const char *
take_field(const char *at, const char *end)
{
	bool quoted = *at == '"';

	promise(at < end && *at != ',' && *at != '\n');
	for (at += quoted; at < end; at++) {
		if (*at == '"' && quoted && at + 1 < end && at[1] == '"')
			at++;
		else if (*at == '"')
			break;
		else if (!quoted && (*at == ',' || *at == '\n'))
			return at;
		promise(*at != '\n');
	}
	promise(quoted && at < end);
	return at + 1;
}

/* Every line has all fields. */
static void
judge_csv(const char *text, size_t len)
{
	const char *at = text, *end = text + len;

	judge_text(text, len);
	while (at < end)
		for (int i = 0; i < CSV_COLUMNS; i++) {
			at = take_field(at, end);
			promise(at < end &&
			    *at == (i < CSV_COLUMNS - 1 ? ',' : '\n'));
			at++;
		}
}

/* ---- pages --------------------------------------------------------------- */

/* How often a script ends, or what a script must not hold begins. */
static size_t
count(const char *text, size_t len, const char *what)
{
	size_t n = 0;

	for (const char *at = text; (at = memmem(at,
	     len - (size_t)(at - text), what, strlen(what))) != NULL; at++)
		n++;
	return n;
}

static void
judge_scripts(const char *text, size_t len, const char *page, size_t more)
{
	judge_text(text, len);
	promise(count(text, len, "</script") ==
	    count(page, strlen(page), "</script") + more);
	promise(count(text, len, "<!--") ==
	    count(page, strlen(page), "<!--") - 1);
}

void
judge_page(const char *text, size_t len)
{
	if (len > 5 && memcmp(text, "const", 5) == 0)
		judge_text(text, len);
	else
		judge_scripts(text, len, heatmap_page, 1);
}

/* ---- protocol buffers ---------------------------------------------------- */

static uint64_t
take_varint(const char **at, const char *end)
{
	uint64_t v = 0;

	for (unsigned shift = 0;; shift += 7) {
		promise(*at < end && shift < 64);
		v |= (uint64_t)(**at & 0x7f) << shift;
		if ((*(*at)++ & 0x80) == 0)
			return v;
	}
}

/* Messages, one behind the other, each a field of one that has nothing else. */
static void
judge_messages(const char *text, size_t len)
{
	const char *end = text + len;

	while (text < end) {
		uint64_t size;
		promise((*text++ & 7) == 2);
		size = take_varint(&text, end);
		promise(size <= (uint64_t)(end - text));
		text += size;
	}
}

/* ---- by format ----------------------------------------------------------- */

static bool
is(const char *format, const char *names)
{
	const char *at = strstr(names, format);

	return at != NULL && strchr(" ", at[strlen(format)]) != NULL;
}

static void
judge_report(const char *text, size_t len)
{
	judge_text(text, len);
	promise(len <= 8192);
}

void
judge(const char *format, const char *text, size_t len)
{
	if (is(format, "collapsed diff callgrind"))
		judge_text(text, len);
	else if (is(format, "markdown"))
		judge_report(text, len);
	else if (is(format, "speedscope chrome"))
		judge_json(text, len, false);
	else if (is(format, "jsonl"))
		judge_json(text, len, true);
	else if (is(format, "csv"))
		judge_csv(text, len);
	else if (is(format, "flamegraph"))
		judge_scripts(text, len, flamegraph_page, 2);
	else if (is(format, "perfetto otlp"))
		judge_messages(text, len);
	else if (is(format, "gecko") && (len == 0 || *text == '{'))
		judge_json(text, len, false);
}
