/* SPDX-License-Identifier: ISC */
/* foreign.c: see foreign.h.  Each format is known by its first bytes. */
#include "format/foreign.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static bool
has(const char *p, size_t n, const char *text)
{
	return memmem(p, n, text, strlen(text)) != NULL;
}

static size_t
blanks(const char *p, size_t n)
{
	size_t i = 0;

	while (i < n && strchr(" \t\r\n", p[i]) != NULL && p[i] != '\0')
		i++;
	return i;
}

/* ---- by a few bytes in front --------------------------------------------- */

static const struct magic {
	const char *bytes;
	size_t n;
	const char *fault;
} magics[] = {
#define MAGIC(bytes, fault) {bytes, sizeof(bytes) - 1, fault}
	/* Before UTF-16, whose mark it begins with. */
	MAGIC("\xff\xfe\0\0", "text in UTF-32: type "
	    "iconv -f UTF-32 -t UTF-8 FILE | tach-convert"),
	MAGIC("\xff\xfe", "text in UTF-16: type "
	    "iconv -f UTF-16 -t UTF-8 FILE | tach-convert"),
	MAGIC("\xfe\xff", "text in UTF-16: type "
	    "iconv -f UTF-16 -t UTF-8 FILE | tach-convert"),
	/* What is packed is unpacked once, and xz only if there is liblzma. */
	MAGIC("\x1f\x8b", "compressed twice by gzip: type "
	    "zcat FILE | tach-convert"),
	MAGIC("(\xb5/\xfd", "compressed twice by zstd: type "
	    "zstdcat FILE | tach-convert"),
	MAGIC("\xfd" "7zXZ", "compressed by xz: type "
	    "xzcat FILE | tach-convert"),
	MAGIC("BZh91AY&SY", "compressed by bzip2: type "
	    "bzcat FILE | tach-convert"),
	MAGIC("PK\3\4", "a zip archive: unpack it first"),
	MAGIC("PERFILE2", "a profile of perf's: type "
	    "perf script -i FILE | tach-convert"),
	MAGIC("memray", "a profile of memory by memray, which is not read: "
	    "type memray flamegraph FILE"),
	MAGIC("<!DOCTYPE", "a page, which is not read: give it the profile "
	    "that the page was made of"),
	MAGIC("<html", "a page, which is not read: give it the profile that "
	    "the page was made of"),
	MAGIC("<?xml", "a picture or a page, which is not read: give it the "
	    "profile that it was made of"),
	MAGIC("<svg", "a picture, which is not read: give it the profile that "
	    "it was made of"),
	MAGIC("# callgrind format", "a profile of callgrind's, which has no "
	    "stacks: type kcachegrind FILE"),
#undef MAGIC
};

static const char *
by_magic(const char *p, size_t n)
{
	for (size_t i = 0; i < sizeof(magics) / sizeof(*magics); i++)
		if (n >= magics[i].n &&
		    memcmp(p, magics[i].bytes, magics[i].n) == 0)
			return magics[i].fault;
	return NULL;
}

/* ---- by what stands in it ------------------------------------------------ */

static bool
printable(char c)
{
	return (c >= ' ' && c <= '~') || c == '\t' || c == '\n' || c == '\r';
}

/* ASCII in two bytes a character, without a byte order mark. */
static const char *
wide(const char *p, size_t n)
{
	if (n >= 4 && printable(p[0]) && p[1] == 0 && printable(p[2]) &&
	    p[3] == 0)
		return "text in UTF-16: type "
		    "iconv -f UTF-16LE -t UTF-8 FILE | tach-convert";
	if (n >= 4 && p[0] == 0 && printable(p[1]) && p[2] == 0 &&
	    printable(p[3]))
		return "text in UTF-16: type "
		    "iconv -f UTF-16BE -t UTF-8 FILE | tach-convert";
	return NULL;
}

/* cProfile's file: a marshal dictionary whose keys are tuples of three. */
static const char *
pstats(const char *p, size_t n)
{
	bool small = n >= 3 && (p[1] & 0x7f) == ')' && p[2] == 3;
	bool large = n >= 6 && (p[1] & 0x7f) == '(' &&
	    memcmp(p + 2, "\3\0\0", 4) == 0;

	if (n < 3 || (p[0] & 0x7f) != '{' || (!small && !large))
		return NULL;
	return "a profile of cProfile's, which has no stacks: type "
	    "python3 -m pstats FILE";
}

/* A trace of Perfetto: its first packet begins with the number of its sequence, or
 * has what clocks said. */
static const char *
perfetto(const char *p, size_t n)
{
	const char *at = n >= 8 && p[0] == 0x0a ? p + 1 : NULL;
	bool sequence, clocks;

	if (at == NULL)
		return NULL;
	at += at[0] & 0x80 ? 2 : 1; /* the packet's length */
	sequence = at[0] == 0x50 && at[1] > 0 && at[1] < '\t';
	clocks = at[0] == 0x32 && at[2] == 0x0a && at[4] == 0x08;
	return !sequence && !clocks ? NULL :
	    "a trace of Perfetto's, which is not read: open it at "
	    "https://ui.perfetto.dev";
}

bool
foreign_json(const char *p, size_t n)
{
	size_t i = blanks(p, n), next;

	if (i == n || (p[i] != '{' && p[i] != '['))
		return false;
	next = i + 1 + blanks(p + i + 1, n - i - 1);
	return next < n && p[next] != '\0' &&
	    strchr(p[i] == '{' ? "\"}" : "{[\"]", p[next]) != NULL;
}

static const char *
json(const char *p, size_t n)
{
	if (!foreign_json(p, n))
		return NULL;
	if (has(p, n, "\"traceEvents\"") || has(p, n, "\"ph\""))
		return "a trace in Chrome's format, which is not read: open it "
		    "at https://ui.perfetto.dev";
	if (has(p, n, "\"stackWalk\"") || has(p, n, "\"preprocessedProfile"))
		return "a profile of Firefox Profiler's, which is not read: "
		    "open it at https://profiler.firefox.com";
	return "JSON, which is not read: have the profiler write collapsed "
	    "stacks";
}

/* ---- all ----------------------------------------------------------------- */

const char *
foreign_fault(const char *p, size_t n)
{
	static const char *(*const kinds[])(const char *, size_t) = {
	    by_magic, wide, pstats, perfetto, json};
	const char *fault = NULL;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (fault == NULL)
			fault = kinds[i](p, n);
	return fault;
}
