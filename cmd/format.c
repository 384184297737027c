/* SPDX-License-Identifier: ISC */
/* format.c: see format.h. */
#include "format.h"

#include <endian.h>
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"

static const char *const weights[] = {"samples", "time", NULL};
static const char *const ways[] = {"thread", "name", "none", NULL};
static const char *const frames[] = {"cpython", "py-spy", "austin", "function",
	NULL};
static const char *const idles[] = {"gap", "keep", "drop", NULL};
static const char *const words[] = {"32", "64", NULL};
static const char *const byte_orders[] = {"little", "big", NULL};
static const char *const source_words[] = {"yes", "no", NULL};

static const struct option_row rows[] = {
	{"weight", FORMAT_WEIGHT, "WHAT", "samples (default) or time: formats "
	    "that add up", VALUES_NONE, weights},
	{"by", FORMAT_BY, "WHAT", "what tells threads apart: thread, name or none:\n"
	    "formats that add up", VALUES_NONE, ways},
	{"frame", FORMAT_FRAME, "STYLE", "cpython (default), py-spy, austin or "
	    "function:\ncollapsed", VALUES_NONE, frames},
	{"idle", FORMAT_IDLE, "HOW", "of idle threads, gap (default) or keep "
	    "their stacks:\nspeedscope, gecko, chrome, perfetto; or drop them:\nall",
	    VALUES_NONE, idles},
	{"gzip", FORMAT_GZIP, NULL, "compressed: gecko", VALUES_NONE, NULL},
	{"source", FORMAT_SOURCE, "WHICH", "put source text into pages: yes "
	    "(default), no (root's\ndefault), or of files below a DIRECTORY: "
	    "flamegraph,\nheatmap", VALUES_DIRECTORY, source_words},
	{"diff", FORMAT_DIFF, "BASE", "differences from that profile: "
	    "flamegraph", VALUES_FILE, NULL},
	{"word", FORMAT_WORD, "BITS", "32 or 64: gperftools, as the next ones",
	    VALUES_NONE, words},
	{"byte-order", FORMAT_BYTE_ORDER, "ORDER", "little or big", VALUES_NONE,
	    byte_orders},
	{"symbols", FORMAT_SYMBOLS, "OUT.so", "the names, as an ELF file",
	    VALUES_FILE, NULL},
	{"build", FORMAT_BUILD, "DIR", "where that file will be found",
	    VALUES_DIRECTORY, NULL},
	{"symbolized", FORMAT_SYMBOLIZED, NULL, "the names in front",
	    VALUES_NONE, NULL},
	{0},
};
/* The bit of a format that looks at an option, by the option's key. */
static const unsigned used_by[FORMAT_END - FORMAT_WEIGHT] = {
	TACH_USES_WEIGHT,
	TACH_USES_FRAME,
	TACH_USES_IDLE,
	TACH_USES_GZIP,
	TACH_USES_GPERFTOOLS,
	TACH_USES_GPERFTOOLS,
	TACH_USES_GPERFTOOLS,
	TACH_USES_GPERFTOOLS,
	TACH_USES_GPERFTOOLS,
	TACH_USES_SOURCES,
	TACH_USES_BASE,
	TACH_USES_BY,
};

static bool
is_directory(const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return false;
	errno = ENOTDIR;
	return S_ISDIR(st.st_mode);
}

/* Sets the directory of source text to its real path, as files are opened without
 * following links. */
static void
set_source(struct how *h, const char *value)
{
	how_clear(h);
	if (strcmp(value, "no") == 0)
		return;
	h->directory = realpath(strcmp(value, "yes") == 0 ? "/" : value, NULL);
	if (h->directory == NULL || !is_directory(h->directory))
		cmd_usage("--source %s: %s: there are yes, no and directories",
		    value, strerror(errno));
}

void
how_init(struct how *h)
{
	*h = (struct how){.options.size = sizeof(h->options),
	    .sources.size = sizeof(h->sources)};
	h->options.word_size = sizeof(void *);
	h->options.big_endian = BYTE_ORDER == BIG_ENDIAN;
	h->options.directory = -1;
	if (geteuid() != 0)
		set_source(h, "yes");
}

/* The index of a value among an option's words. */
static unsigned
choose_word(const struct option_row *row, const char *value)
{
	int chosen = cmdline_word(row->words, value);
	char list[128] = "";

	for (unsigned i = 0; row->words[i] != NULL; i++) {
		strlcat(list, i == 0 ? "" : row->words[i + 1] ? ", " : " and ",
		    sizeof(list));
		strlcat(list, row->words[i], sizeof(list));
	}
	if (chosen < 0)
		cmd_usage("--%s %s: there are %s", row->name, value, list);
	return (unsigned)chosen;
}

static void
set_how(void *target, const struct option_row *row, const char *value)
{
	struct how *h = target;
	struct tach_format_options *o = &h->options;

	h->given[row->key - FORMAT_WEIGHT] = row->name;
	switch (row->key) {
	case FORMAT_WEIGHT:
		o->weight = choose_word(row, value);
		break;
	case FORMAT_BY:
		o->by = (enum tach_by)(TACH_BY_THREAD + choose_word(row, value));
		break;
	case FORMAT_FRAME:
		o->frame = choose_word(row, value);
		break;
	case FORMAT_IDLE:
		o->keep_idle = choose_word(row, value) == 1;
		h->drop_idle = choose_word(row, value) == 2;
		break;
	case FORMAT_GZIP:
		o->gzip = true;
		break;
	case FORMAT_WORD:
		o->word_size = choose_word(row, value) == 0 ? 4 : 8;
		break;
	case FORMAT_BYTE_ORDER:
		o->big_endian = choose_word(row, value) == 1;
		break;
	case FORMAT_SYMBOLS:
		h->symbols = value;
		break;
	case FORMAT_SYMBOLIZED:
		o->symbolized = true;
		break;
	case FORMAT_BUILD:
		o->build = value;
		break;
	case FORMAT_SOURCE:
		set_source(h, value);
		break;
	case FORMAT_DIFF:
		h->base = value;
		break;
	}
}

struct option_group
how_group(struct how *h)
{
	return (struct option_group){rows, 26, "How, each with the formats that "
	    "are named:", set_how, h, NULL};
}

void
how_check(const struct how *h, const struct tach_format *format)
{
	unsigned uses = format != NULL ? format->uses : 0;

	for (size_t i = 0; i < sizeof(used_by) / sizeof(*used_by); i++)
		if (h->given[i] != NULL && (uses & used_by[i]) == 0 &&
		    !(h->drop_idle && i == FORMAT_IDLE - FORMAT_WEIGHT))
			cmd_usage("--%s does not go with --%s", h->given[i],
			    format != NULL ? format->name : "tach");
	if ((uses & TACH_ONE_THREAD) && h->options.by != TACH_BY_FORMAT &&
	    h->options.by != TACH_BY_NONE)
		cmd_usage("--%s has no threads: --by none alone goes with it",
		    format->name);
	if (h->given[FORMAT_DIFF - FORMAT_WEIGHT] != NULL &&
	    h->options.by != TACH_BY_FORMAT && h->options.by != TACH_BY_NONE)
		cmd_usage("a difference has no threads: --by none alone goes with "
		    "it");
	if (h->options.symbolized && h->symbols != NULL)
		cmd_usage("--symbols and --symbolized exclude each other");
	if (h->options.build != NULL && h->symbols == NULL)
		cmd_usage("--build goes with --symbols");
}

/* ---- source text --------------------------------------------------------- */

/* The reasons for which files were left out, behind their numbers. */
static const char *const reasons[TACH_SOURCE_TEXTS] = {
	[TACH_SOURCE_MISSING] = "not here",
	[TACH_SOURCE_LINK] = "behind a symbolic link",
	[TACH_SOURCE_FOREIGN] = "neither yours nor root's",
	[TACH_SOURCE_PRIVATE] = "not readable by all",
	[TACH_SOURCE_NO_FILE] = "no regular file",
	[TACH_SOURCE_NO_PYTHON] = "not called *.py",
	[TACH_SOURCE_LARGE] = "above 1 MiB",
	[TACH_SOURCE_ELSEWHERE] = "not below the directory",
};

static void
report_counts(const struct tach_source_texts *s)
{
	char why[512] = "", one[64];
	uint64_t left = 0;

	for (int i = TACH_SOURCE_PUT + 1; i < TACH_SOURCE_TEXTS; i++) {
		if (s->count[i] == 0)
			continue;
		snprintf(one, sizeof(one), "%s%" PRIu64 " %s",
		    left > 0 ? ", " : "", s->count[i], reasons[i]);
		strlcat(why, one, sizeof(why));
		left += s->count[i];
	}
	if (left > 0)
		warnx("source text of %" PRIu64 " file%s put in, not of %" PRIu64
		    ": %s", s->count[TACH_SOURCE_PUT],
		    s->count[TACH_SOURCE_PUT] == 1 ? "" : "s", left, why);
	else if (s->count[TACH_SOURCE_PUT] > 0)
		warnx("source text of %" PRIu64 " file%s put in",
		    s->count[TACH_SOURCE_PUT],
		    s->count[TACH_SOURCE_PUT] == 1 ? "" : "s");
}

void
how_report(const struct how *h, const struct tach_format *format)
{
	bool asked = h->given[FORMAT_SOURCE - FORMAT_WEIGHT] != NULL;

	if ((format->uses & TACH_USES_SOURCES) == 0)
		return;
	if (h->directory != NULL)
		report_counts(&h->sources);
	else if (!asked)
		warnx("no source text put in, as you are root: --source yes "
		    "or --source DIRECTORY puts it in");
}

void
how_clear(struct how *h)
{
	free(h->directory);
	h->directory = NULL;
}
