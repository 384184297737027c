/* SPDX-License-Identifier: ISC */
/*
 * sniff.c: see sniff.h.  The first line that is no comment decides.  If its
 * kind is not known, the next line decides.  A text may come slowly: if the
 * beginning of a line is enough, the rest is not waited for.
 */
#include "format/sniff.h"

#include <string.h>

#include "format/collapsed.h"
#include "format/foreign.h"
#include "format/perf.h"
#include "format/texthead.h"
#include "format/unpack.h"

#define MARK "\xef\xbb\xbf"
#define ODD_LINES 16 /* unknown lines that are skipped */

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Whether there is a byte that no kind of text has. */
static bool
has_control(const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (((unsigned char)p[i] < 0x20 && p[i] != '\t') ||
		    p[i] == 0x7f)
			return true;
	return false;
}

/* Whether a comment is of perf's head, which can be longer than all that is looked at. */
static bool
perf_comment(const char *p, size_t n)
{
	static const char *const begins[] = {"# ========", "# captured on",
	    "# cmdline :"};

	for (size_t i = 0; i < sizeof(begins) / sizeof(*begins); i++)
		if (n >= strlen(begins[i]) &&
		    memcmp(p, begins[i], strlen(begins[i])) == 0)
			return true;
	return false;
}

static enum sniff
comment(const char *p, size_t n)
{
	if (perf_comment(p, n))
		return SNIFF_PERF;
	if (texthead_known(p, n))
		return SNIFF_TEXT;
	if (collapsed_austin(p, n))
		return SNIFF_COLLAPSED;
	if (!collapsed_comment(p, n) && memchr(p, ';', n) != NULL &&
	    collapsed_counted(p, n))
		return SNIFF_COLLAPSED;
	return SNIFF_MORE;
}

/* The kind of a complete line. */
static enum sniff
whole_line(const char *p, size_t n)
{
	struct perf_head head;

	if (n > 0 && p[n - 1] == '\r')
		n--;
	if (n == 0)
		return SNIFF_MORE;
	if (*p == '#')
		return comment(p, n);
	if (has_control(p, n))
		return is_digit(*p) ? SNIFF_TEXT : SNIFF_BINARY;
	if (perf_head_parse((struct piece){p, n}, &head))
		return SNIFF_PERF;
	if (collapsed_counted(p, n))
		return SNIFF_COLLAPSED;
	if (is_digit(*p))
		return SNIFF_TEXT;
	/* google-pprof's names, with slots behind them. */
	if (n >= 3 && memcmp(p, "---", 3) == 0)
		return SNIFF_BINARY;
	return memchr(p, ';', n) != NULL ? SNIFF_COLLAPSED : SNIFF_ODD;
}

/* The kind of a line whose end has not arrived. */
static enum sniff
begun_line(const char *p, size_t n)
{
	size_t digits = 0;

	while (digits < n && is_digit(p[digits]))
		digits++;
	if (digits > 0 && digits < n && p[digits] == '\t')
		return SNIFF_TEXT;
	/* The last byte may be the first of a line's end. */
	if (digits == 0 && n > 1 && *p != '#' && has_control(p, n - 1))
		return SNIFF_BINARY;
	return SNIFF_MORE;
}

size_t
sniff_mark(const char *p, size_t n)
{
	size_t mark = strlen(MARK);

	return n >= mark && memcmp(p, MARK, mark) == 0 ? mark : 0;
}

enum sniff
sniff(const char *p, size_t n, bool all)
{
	const char *end = p + n, *newline;
	bool commented = false;
	int odd = 0;

	if (unpack_known(p, n))
		return SNIFF_BINARY;
	/* The words that tell whose JSON it is may come later. */
	if (foreign_json(p, n))
		return all ? SNIFF_BINARY : SNIFF_MORE;
	if (n < strlen(MARK) && memcmp(p, MARK, n) == 0)
		return all ? SNIFF_BINARY : SNIFF_MORE;
	for (p += sniff_mark(p, n); p < end; p = newline + 1) {
		enum sniff kind;
		newline = memchr(p, '\n', (size_t)(end - p));
		n = (size_t)((newline != NULL ? newline : end) - p);
		commented = commented || *p == '#';
		kind = begun_line(p, n);
		if (kind == SNIFF_MORE && (newline != NULL || all))
			kind = whole_line(p, n);
		odd += kind == SNIFF_ODD;
		if (odd > ODD_LINES)
			return SNIFF_BINARY;
		if (kind != SNIFF_MORE && kind != SNIFF_ODD)
			return kind;
		if (newline == NULL)
			break;
	}
	if (!all)
		return SNIFF_MORE;
	return commented && odd == 0 ? SNIFF_TEXT : SNIFF_BINARY;
}
