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

/* The index of a word among two. */
static int
parse_word(const char *text, const char *what, const char *first,
    const char *second)
{
	if (strcmp(text, first) == 0)
		return 0;
	if (strcmp(text, second) != 0)
		cmd_usage("no such %s: %s (there are %s and %s)", what, text,
		    first, second);
	return 1;
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

bool
profile_option(struct tach_writer_options *o, int c, const char *arg)
{
	if (c == PROFILE_LAYOUT)
		o->layout = parse_word(arg, "layout", "documented",
		    "cpython") == 0 ? TACH_LAYOUT_DOCUMENTED :
				      TACH_LAYOUT_CPYTHON;
	else if (c == PROFILE_COMPRESSION)
		o->compression = parse_word(arg, "compression", "zstd",
		    "none") == 0 ? TACH_ZSTD : TACH_PLAIN;
	else if (c == PROFILE_LEVEL)
		o->level = parse_level(arg);
	else
		return false;
	return true;
}
