/* SPDX-License-Identifier: ISC */
/*
 * format.h: the options that say how tach-convert writes a format.  Each is
 * looked at by some formats only; with any other it is a mistake, and said
 * to be one.
 */
#ifndef FORMAT_H
#define FORMAT_H

#include <getopt.h>
#include <stdbool.h>

#include "tach.h"

/* Values that getopt_long returns, in the order of FORMAT_OPTIONS. */
enum {
	FORMAT_WEIGHT = 768,
	FORMAT_FRAME,
	FORMAT_IDLE,
	FORMAT_GZIP,
	FORMAT_WORD,
	FORMAT_BYTE_ORDER,
	FORMAT_SYMBOLS,
	FORMAT_SYMBOLIZED,
	FORMAT_BUILD,
	FORMAT_SOURCE,
	FORMAT_DIFF,
};

#define FORMAT_OPTIONS \
	{"weight", required_argument, NULL, FORMAT_WEIGHT}, \
	{"frame", required_argument, NULL, FORMAT_FRAME}, \
	{"idle", required_argument, NULL, FORMAT_IDLE}, \
	{"gzip", no_argument, NULL, FORMAT_GZIP}, \
	{"word", required_argument, NULL, FORMAT_WORD}, \
	{"byte-order", required_argument, NULL, FORMAT_BYTE_ORDER}, \
	{"symbols", required_argument, NULL, FORMAT_SYMBOLS}, \
	{"symbolized", no_argument, NULL, FORMAT_SYMBOLIZED}, \
	{"build", required_argument, NULL, FORMAT_BUILD}, \
	{"source", required_argument, NULL, FORMAT_SOURCE}, \
	{"diff", required_argument, NULL, FORMAT_DIFF}

#define FORMAT_HELP \
    "How, each with the formats that are named:\n" \
    "      --weight WHAT       samples (default) or time: those that add up\n" \
    "      --frame STYLE       cpython (default), py-spy, austin or " \
    "function:\n" \
    "                          collapsed\n" \
    "      --idle HOW          of idle threads, gap (default) or keep their " \
    "stacks:\n" \
    "                          speedscope, gecko, chrome\n" \
    "      --gzip              compressed: gecko\n" \
    "      --source WHICH      put source text into pages: yes (default), no " \
    "(root's\n" \
    "                          default), or what is below a DIRECTORY: " \
    "flamegraph,\n" \
    "                          heatmap\n" \
    "      --diff BASE         differences from that profile: flamegraph\n" \
    "      --word BITS         32 or 64: gperftools, as the next ones\n" \
    "      --byte-order ORDER  little or big\n" \
    "      --symbols OUT.so    the names, as an ELF file\n" \
    "      --build DIR         where that file will be found\n" \
    "      --symbolized        the names in front\n"

/* What the options have said so far. */
struct how {
	struct tach_format_options options;
	const char *symbols; /* the file's name, as it was given */
	const char *base;    /* another profile's */
	struct tach_source_texts sources;
	char *directory; /* of source text; NULL: none is put in */
	const char *given[FORMAT_DIFF - FORMAT_WEIGHT + 1]; /* names */
};

void how_init(struct how *);

/* Takes one option.  False: it is none of these. */
bool how_option(struct how *, int option, const char *value);

/* Says on standard error what became of the source text for a page. */
void how_report(const struct how *, const struct tach_format *);

void how_clear(struct how *);

/* Exits by cmd_usage if an option was given that a format does not look at;
 * NULL: TACH, which looks at none. */
void how_check(const struct how *, const struct tach_format *);

#endif
