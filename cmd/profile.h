/* SPDX-License-Identifier: ISC */
/* profile.h: the options that say how a TACH profile is written, and the remarks about
 * one that is. */
#ifndef PROFILE_H
#define PROFILE_H

#include <getopt.h>
#include <stdbool.h>

#include "tach.h"

/* Says on standard error what of a finished profile is not as was asked
 * for. */
void profile_remark(const char *name, const struct tach_writer *,
    const struct tach_writer_options *);

/* ---- how it is written ------------------------------------------------- */

/* The options that say so, the same for all commands: entries for getopt_long,
 * and the lines about them for --help. */
#define PROFILE_OPTIONS \
	{"layout", required_argument, NULL, PROFILE_LAYOUT}, \
	{"compression", required_argument, NULL, PROFILE_COMPRESSION}, \
	{"level", required_argument, NULL, PROFILE_LEVEL}
enum { PROFILE_LAYOUT = 512, PROFILE_COMPRESSION, PROFILE_LEVEL };
#define PROFILE_HELP \
	"      --layout LAYOUT     documented (default), or cpython: the " \
	"header that\n" \
	"                          CPython 3.15 reads\n" \
	"      --compression TYPE  zstd (default) or none\n" \
	"      --level N           of zstd, 1 to 22 (default 5)\n"

#define PROFILE_DEFAULTS \
	{TACH_LAYOUT_DOCUMENTED, TACH_ZSTD, TACH_LEVEL_DEFAULT}

/* Takes one option.  False: it is none of these. */
bool profile_option(struct tach_writer_options *, int c, const char *arg);

#endif
