/* SPDX-License-Identifier: ISC */
/*
 * format.h: the options of tach-convert about formats.  Only some formats look at
 * each; with any other format it is a usage error.
 */
#ifndef FORMAT_H
#define FORMAT_H

#include <stdbool.h>

#include "cmdline.h"
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
	FORMAT_BY,
	FORMAT_END,
};

/* The options' values. */
struct how {
	struct tach_format_options options;
	const char *symbols; /* the file's name, as given */
	const char *base;    /* another profile's */
	struct tach_source_texts sources;
	bool drop_idle;
	char *directory; /* of the source text that pages get; NULL: none */
	const char *given[FORMAT_END - FORMAT_WEIGHT]; /* names */
};

void how_init(struct how *);

/* The options, which set a struct how. */
struct option_group how_group(struct how *);

/* Prints a message about the source text of a page: how many files, and why others
 * were left out. */
void how_report(const struct how *, const struct tach_format *);

void how_clear(struct how *);

/* Exits by cmd_usage if there is an option that the format does not look at.  NULL
 * stands for TACH, which looks at none. */
void how_check(const struct how *, const struct tach_format *);

#endif
