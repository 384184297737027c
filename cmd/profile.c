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
	uint64_t deep = tach_writer_deep(w);
	enum tach_layout layout = tach_writer_layout(w);

	if (layout != options->layout)
		warnx("%s: it has CPython's header, as the early one cannot "
		    "count so many samples", name);
	if (layout == TACH_LAYOUT_CPYTHON && deep > 0)
		warnx("%s: %" PRIu64 " sample%s more than %d frames, and "
		    "CPython reads no such profile: --depth %d cuts them",
		    name, deep, deep == 1 ? " has" : "s have",
		    TACH_CPYTHON_DEPTH, TACH_CPYTHON_DEPTH);
}

static const char *const layouts[] = {"cpython", "early", NULL};
static const char *const compressions[] = {"zstd", "none", NULL};

enum { PROFILE_LAYOUT = 512, PROFILE_COMPRESSION, PROFILE_LEVEL,
	PROFILE_DEPTH };

static const struct option_row rows[] = {
	{"layout", PROFILE_LAYOUT, "LAYOUT", "cpython (default): the header that "
	    "CPython 3.15\nreads; or early", VALUES_NONE, layouts},
	{"compression", PROFILE_COMPRESSION, "TYPE", "zstd (default) or none",
	    VALUES_NONE, compressions},
	{"level", PROFILE_LEVEL, "N", "of zstd, 1 to 22 (default 5)",
	    VALUES_NONE, NULL},
	{"depth", PROFILE_DEPTH, "N", "of deeper stacks the innermost N frames "
	    "(CPython\nreads 256)", VALUES_NONE, NULL},
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

/* The early header was once called the documented one. */
static enum tach_layout
parse_layout(const struct option_row *row, const char *value)
{
	if (strcmp(value, "documented") == 0)
		return TACH_LAYOUT_EARLY;
	return profile_word(row, value) == 0 ? TACH_LAYOUT_CPYTHON :
					       TACH_LAYOUT_EARLY;
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

/* A stack has a frame beside the mark of those that are left out. */
static uint32_t
parse_depth(const char *text)
{
	const char *why;
	long long n = strtonum(text, 2, INT32_MAX, &why);

	if (why != NULL)
		cmd_usage("the depth %s is %s", text, why);
	return (uint32_t)n;
}

static void
set_profile(void *target, const struct option_row *row, const char *value)
{
	struct profile_options *p = target;
	struct tach_writer_options *o = &p->writer;

	if (row->key == PROFILE_LAYOUT)
		o->layout = parse_layout(row, value);
	else if (row->key == PROFILE_COMPRESSION)
		o->compression = profile_word(row, value) == 0 ? TACH_ZSTD :
							       TACH_PLAIN;
	else if (row->key == PROFILE_LEVEL)
		o->level = parse_level(value);
	else
		p->depth = parse_depth(value);
}

struct option_group
profile_group(struct profile_options *p, const char *heading, bool *given)
{
	return (struct option_group){rows, 26, heading, set_profile, p, given};
}
