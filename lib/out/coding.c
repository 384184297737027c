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

/* What is behind the blanks that a line begins with. */
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

/* Takes a name, in small letters and with hyphens, as Python takes it. */
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

/* It is in the first line, or below one that has no code either. */
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

/* Those that source was ever written in: no others, for a profile chooses the
 * file, and what they do to its bytes is not known. */
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

/* Emacs adds what ends its lines, `latin-1-unix`, and Python takes that. */
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

/* `latin-9` is `latin9` there. */
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

/* Adds a piece; what is no text there becomes one mark a byte. */
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
