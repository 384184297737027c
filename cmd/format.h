/* SPDX-License-Identifier: ISC */
/*
 * format.h: the options that say how tach-convert writes a format.  Each is
 * looked at by some formats only; with any other it is a mistake, and said
 * to be one.
 */
#ifndef FORMAT_H
#define FORMAT_H

#include <stdbool.h>

#include "options.h"
#include "tach.h"

/* The options' keys. */
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
	FORMAT_END,
};

/* What the options have said so far. */
struct how {
	struct tach_format_options options;
	const char *symbols; /* the file's name, as it was given */
	const char *base;    /* another profile's */
	struct tach_source_texts sources;
	char *directory; /* of source text; NULL: none is put in */
	const char *given[FORMAT_END - FORMAT_WEIGHT]; /* names */
};

void how_init(struct how *);

/* The options, which set that. */
struct option_group how_group(struct how *);

/* Says on standard error what became of the source text for a page. */
void how_report(const struct how *, const struct tach_format *);

void how_clear(struct how *);

/* Exits by cmd_usage if an option was given that a format does not look at;
 * NULL: TACH, which looks at none. */
void how_check(const struct how *, const struct tach_format *);

#endif
