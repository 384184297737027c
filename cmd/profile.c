/* SPDX-License-Identifier: ISC */
/* profile.c: see profile.h. */
#include "profile.h"

#include <err.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

void
profile_remark(const char *name, const struct tach_writer *w,
    const struct tach_writer_options *options)
{
	uint64_t cut = tach_writer_truncated(w);

	if (cut > 0)
		warnx("%s: %" PRIu64 " sample%s more than 256 frames, of "
		    "which the innermost 256 are kept (CPython reads no more)",
		    name, cut, cut == 1 ? " has" : "s have");
	if (tach_writer_layout(w) != options->layout)
		warnx("%s: it has CPython's header, as the documented one cannot "
		    "count so many samples", name);
}

static const char *const layouts[] = {"documented", "cpython", NULL};
static const char *const compressions[] = {"zstd", "none", NULL};

enum { PROFILE_LAYOUT = 512, PROFILE_COMPRESSION, PROFILE_LEVEL };

static const struct option_row rows[] = {
	{"layout", PROFILE_LAYOUT, "LAYOUT", "documented (default), or cpython: "
	    "the header that\nCPython 3.15 reads", VALUES_NONE, layouts},
	{"compression", PROFILE_COMPRESSION, "TYPE", "zstd (default) or none",
	    VALUES_NONE, compressions},
	{"level", PROFILE_LEVEL, "N", "of zstd, 1 to 22 (default 5)",
	    VALUES_NONE, NULL},
	{0},
};

/* The index of a value among an option's two words. */
static int
profile_word(const struct option_row *row, const char *value)
{
	int i = cmdline_word(row->words, value);

	if (i < 0)
		cmd_usage("no such %s: %s (there are %s and %s)", row->name,
		    value, row->words[0], row->words[1]);
	return i;
}

static int
parse_level(const char *text)
{
	const char *why;
	long long n = strtonum(text, 1, 22, &why);

	if (why != NULL)
		cmd_usage("the level %s is %s", text, why);
	return (int)n;
}

static void
set_writer(void *target, const struct option_row *row, const char *value)
{
	struct tach_writer_options *o = target;

	if (row->key == PROFILE_LAYOUT)
		o->layout = profile_word(row, value) == 0 ?
		    TACH_LAYOUT_DOCUMENTED : TACH_LAYOUT_CPYTHON;
	else if (row->key == PROFILE_COMPRESSION)
		o->compression = profile_word(row, value) == 0 ? TACH_ZSTD :
							       TACH_PLAIN;
	else
		o->level = parse_level(value);
}

struct option_group
profile_group(struct tach_writer_options *o, const char *heading, bool *given)
{
	return (struct option_group){rows, 26, heading, set_writer, o, given};
}
