/* SPDX-License-Identifier: ISC */
/* coding.c: see coding.h. */
#include "out/coding.h"

#include <errno.h>
#include <iconv.h>

#include "ascii.h"

#define MARK "\xef\xbb\xbf"
#define NAME_SIZE 32
#define REPLACEMENT "\xef\xbf\xbd"

/* ---- the coding line ----------------------------------------------------- */

struct line {
	const char *text;
	size_t len;
};

static struct line
first_line(const char *text, size_t len)
{
	size_t n = 0;

	while (n < len && text[n] != '\n' && text[n] != '\r')
		n++;
	return (struct line){text, n};
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\f';
}

/* The line without its leading blanks. */
static struct line
trim_left(struct line l)
{
	while (l.len > 0 && is_blank(*l.text)) {
		l.text++;
		l.len--;
	}
	return l;
}

static bool
in_name(char c)
{
	return ascii_is_word(c) || c == '-' || c == '_' || c == '.';
}

/* Normalises a name as Python does: small letters, and hyphens for
 * underscores. */
static bool
take_name(const char *text, size_t len, char name[NAME_SIZE])
{
	size_t n = 0;

	for (; n < len && n < NAME_SIZE - 1 && in_name(text[n]); n++)
		name[n] = text[n] == '_' ? '-' : ascii_lower(text[n]);
	name[n] = '\0';
	return n > 0 && (n == len || !in_name(text[n]));
}

/* Finds `coding: NAME` or `coding=NAME` in a comment. */
static bool
find_name(struct line l, char name[NAME_SIZE])
{
	static const char key[] = "coding";
	const size_t n = sizeof(key) - 1;

	for (size_t i = 0; i + n < l.len; i++) {
		size_t at = i + n + 1;
		if (memcmp(l.text + i, key, n) != 0 ||
		    (l.text[i + n] != ':' && l.text[i + n] != '='))
			continue;
		while (at < l.len && (l.text[at] == ' ' || l.text[at] == '\t'))
			at++;
		if (take_name(l.text + at, l.len - at, name))
			return true;
	}
	return false;
}

/* The coding comment is in the first line, or in the second if the first has no
 * code. */
static bool
coding_name(const struct buf *b, char name[NAME_SIZE])
{
	size_t at = 0;

	for (int i = 0; i < 2 && at < b->len; i++) {
		struct line l = first_line(b->text + at, b->len - at);
		struct line code = trim_left(l);
		if (code.len > 0 && *code.text != '#')
			return false;
		if (find_name(code, name))
			return true;
		at += l.len + 1;
		if (at < b->len && b->text[at - 1] == '\r' &&
		    b->text[at] == '\n')
			at++;
	}
	return false;
}

/* ---- what iconv(3) knows ------------------------------------------------- */

/* The codings that are believed.  There are no others, since a profile chooses
 * the file, and other codings could make anything of its bytes. */
static const char *const known[] = {"ascii", "big5", "cp", "euc-", "gb",
    "iso-8859-", "koi8-", "latin", "mac", "shift-jis", "sjis", "windows-"};

static bool
is_known(const char *name)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (strncmp(name, known[i], strlen(known[i])) == 0)
			return true;
	return false;
}

/* Emacs adds the kind of line end, `latin-1-unix`, and Python accepts that. */
static bool
is_latin(const char *name)
{
	static const char *const names[] = {"latin-1", "iso-8859-1",
	    "iso-latin-1"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		size_t n = strlen(names[i]);
		if (strncmp(name, names[i], n) == 0 &&
		    (name[n] == '\0' || name[n] == '-'))
			return true;
	}
	return false;
}

/* iconv(3) knows `latin-9` as `latin9`. */
static void
drop_hyphens(char *name)
{
	char *to = name;

	for (; *name != '\0'; name++)
		if (*name != '-')
			*to++ = *name;
	*to = '\0';
}

static iconv_t
open_coding(char *name)
{
	iconv_t cd;

	if (is_latin(name))
		return iconv_open("UTF-8", "ISO-8859-1");
	if (!is_known(name))
		return (iconv_t)-1;
	if ((cd = iconv_open("UTF-8", name)) != (iconv_t)-1)
		return cd;
	drop_hyphens(name);
	return iconv_open("UTF-8", name);
}

/* ---- converting ---------------------------------------------------------- */

/* Adds a piece of text.  Each byte that is invalid in the coding becomes
 * U+FFFD. */
static void
convert_piece(iconv_t cd, struct buf *to, char *text, size_t len)
{
	while (len > 0 && !to->failed) {
		char *out = buf_reserve(to, 4096);
		size_t left = 4096;
		size_t rc = out == NULL ? 0 :
		    iconv(cd, &text, &len, &out, &left);
		to->len += out == NULL ? 0 : 4096 - left;
		if (rc != (size_t)-1 || errno == E2BIG)
			continue;
		buf_add_text(to, REPLACEMENT);
		text++;
		len--;
	}
}

void
coding_undo(struct buf *b)
{
	struct buf to = {0};
	char name[NAME_SIZE];
	iconv_t cd;

	if (b->len >= 3 && memcmp(b->text, MARK, 3) == 0) {
		b->len -= 3;
		memmove(b->text, b->text + 3, b->len);
		return;
	}
	if (!coding_name(b, name) ||
	    (cd = open_coding(name)) == (iconv_t)-1)
		return;
	convert_piece(cd, &to, b->text, b->len);
	iconv_close(cd);
	if (to.failed) {
		buf_clear(&to);
		return;
	}
	buf_clear(b);
	*b = to;
}
