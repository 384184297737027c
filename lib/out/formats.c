/* SPDX-License-Identifier: ISC */
/*
 * formats.c: the one list of formats that there are, and a sink for each.  The
 * sink of a format is behind one that has the options.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "options.h"
#include "out/out.h"
#include "stream.h"

struct format {
	struct tach_format about;
	out_open_fn *open;
};

static const struct format formats[] = {
    {{"collapsed", "one line a distinct stack, with its weight",
	 TACH_USES_WEIGHT | TACH_USES_FRAME | TACH_USES_BY, NULL},
	collapsed_open},
    {{"speedscope", "what each thread did when, for speedscope",
	 TACH_USES_IDLE | TACH_NEEDS_DURATIONS, NULL},
	speedscope_open},
    {{"gperftools", "a CPU profile of gperftools: for google-pprof and pprof",
	 TACH_USES_WEIGHT | TACH_USES_GPERFTOOLS | TACH_USES_NO_TERMINAL |
	     TACH_ONE_INTERVAL | TACH_USES_BY,
	 "the reader went away; google-pprof and go tool pprof read such a "
	 "profile from a file alone: -o p.prof"},
	gperftools_open},
    {{"pprof", "pprof's profile.proto: for go tool pprof, and speedscope",
	 TACH_USES_WEIGHT | TACH_NEEDS_DURATIONS | TACH_USES_NO_TERMINAL |
	     TACH_USES_BY,
	 "the reader went away; go tool pprof reads a pipe only as "
	 "/dev/stdin: tach-convert --pprof p.bin | "
	 "go tool pprof -top /dev/stdin"},
	pprof_open},
    {{"otlp", "a request with OpenTelemetry's profiles: for collectors",
	 TACH_USES_WEIGHT | TACH_NEEDS_DURATIONS | TACH_USES_NO_TERMINAL, NULL},
	otlp_open},
    {{"gecko", "samples and states of each thread, for Firefox Profiler",
	 TACH_USES_WEIGHT | TACH_USES_IDLE | TACH_USES_GZIP | TACH_NEEDS_DURATIONS,
	 NULL},
	gecko_open},
    {{"flamegraph", "a page that shows a flame graph",
	 TACH_USES_WEIGHT | TACH_USES_BASE | TACH_NEEDS_DURATIONS |
	     TACH_USES_SOURCES | TACH_USES_BY,
	 NULL},
	flamegraph_open},
    {{"diff", "what changed since another profile: functions' shares",
	 TACH_USES_WEIGHT | TACH_USES_BASE | TACH_NEEDS_BASE | TACH_USES_BY |
	     TACH_ONE_THREAD,
	 NULL},
	diff_open},
    {{"heatmap", "a directory of pages: the source, coloured by weight",
	 TACH_USES_WEIGHT | TACH_USES_DIRECTORY | TACH_USES_SOURCES |
	     TACH_USES_BY,
	 NULL},
	heatmap_open},
    {{"pstats", "functions and their callers, for Python's pstats",
	 TACH_USES_WEIGHT | TACH_NEEDS_INTERVALS | TACH_USES_NO_TERMINAL |
	     TACH_USES_BY,
	 NULL},
	pstats_open},
    {{"callgrind", "what functions and lines cost and call, for KCachegrind",
	 TACH_USES_WEIGHT | TACH_NEEDS_INTERVALS | TACH_USES_BY, NULL},
	callgrind_open},
    {{"chrome", "trace events: for Perfetto and chrome://tracing",
	 TACH_USES_IDLE | TACH_NEEDS_DURATIONS, NULL},
	chrome_open},
    {{"markdown", "a report of 8 kB: for tickets, and for programs that read",
	 TACH_NEEDS_DURATIONS | TACH_USES_BY, NULL},
	markdown_open},
    {{"perfetto", "samples of each thread, for Perfetto and its SQL",
	 TACH_USES_WEIGHT | TACH_USES_IDLE | TACH_NEEDS_DURATIONS |
	     TACH_USES_NO_TERMINAL,
	 NULL},
	perfetto_open},
    {{"jsonl", "one JSON object a sample: for jq, DuckDB and the like",
	 TACH_NEEDS_DURATIONS, NULL},
	jsonl_open},
    {{"csv", "one line a sample, below the names of the columns",
	 TACH_NEEDS_DURATIONS, NULL},
	csv_open},
};
#define FORMATS (sizeof(formats) / sizeof(formats[0]))

const struct tach_format *
tach_format_next(const struct tach_format *f)
{
	size_t i = f == NULL ? 0 :
	    (size_t)((const struct format *)f - formats) + 1;

	return i < FORMATS ? &formats[i].about : NULL;
}

const struct tach_format *
tach_format_find(const char *name)
{
	const struct tach_format *f = NULL;

	while ((f = tach_format_next(f)) != NULL)
		if (strcmp(f->name, name) == 0)
			return f;
	return NULL;
}

/* ---- opening one --------------------------------------------------------- */

struct format_sink {
	struct tach_sink sink, *inner; /* NULL: the options cannot be used */
	struct tach_format_options options;
	FILE *out; /* NULL: pages go to a directory */
	struct error error;
};

static int
format_begin(struct tach_sink *sink, const struct tach_meta *meta,
    const struct tach_table *table)
{
	struct format_sink *f = sink->arg;

	return f->inner != NULL ? tach_sink_begin(f->inner, meta, table) :
				  TACH_FATAL;
}

static int
format_run(struct tach_sink *sink, const struct tach_run *run)
{
	struct format_sink *f = sink->arg;

	return f->inner != NULL ? f->inner->run(f->inner, run) : TACH_FATAL;
}

static int
format_end(struct tach_sink *sink)
{
	struct format_sink *f = sink->arg;

	if (f->inner == NULL || tach_sink_end(f->inner) != TACH_OK)
		return TACH_FATAL;
	return f->out == NULL || fflush(f->out) == 0 ? TACH_OK :
	    error_system(&f->error, "", errno);
}

static void
format_free(struct tach_sink *sink)
{
	struct format_sink *f = sink->arg;

	tach_sink_free(f->inner);
	if (f->out != NULL)
		fclose(f->out);
	free(f);
}

static enum tach_error
format_error(const struct tach_sink *sink, const char **line)
{
	const struct format_sink *f = sink->arg;

	return f->error.code == TACH_ENONE && f->inner != NULL ?
	    tach_sink_error(f->inner, line) : error_get(&f->error, line);
}

/* The fault of the options of slots, or NULL. */
static const char *
slots_fault(const struct tach_format_options *o)
{
	if (o->word_size != 4 && o->word_size != 8)
		return "a word has 4 or 8 bytes";
	if (o->symbols != NULL &&
	    (o->symbols_path == NULL || o->symbols_path[0] != '/'))
		return "the symbols have no absolute path";
	return NULL;
}

static const char *
by_fault(unsigned uses, enum tach_by by)
{
	if ((unsigned)by > TACH_BY_NONE)
		return "there is no such way to tell threads";
	return (uses & TACH_ONE_THREAD) && by != TACH_BY_FORMAT &&
	    by != TACH_BY_NONE ? "the format has no threads" : NULL;
}

/* The fault of the options that a format looks at, or NULL. */
static const char *
options_fault(unsigned uses, const struct tach_format_options *o)
{
	const char *fault = uses & TACH_USES_BY ? by_fault(uses, o->by) : NULL;

	if (fault != NULL)
		return fault;
	if ((uses & TACH_USES_WEIGHT) && (unsigned)o->weight > TACH_WEIGHT_TIME)
		return "there is no such weight";
	if ((uses & TACH_USES_FRAME) &&
	    (unsigned)o->frame > TACH_FRAME_FUNCTION)
		return "there is no such style of frames";
	return (uses & TACH_USES_GPERFTOOLS) ? slots_fault(o) : NULL;
}

/* Copies the options.  False: they cannot be used, and the error says so. */
static bool
take_options(struct format_sink *f, unsigned uses,
    const struct tach_format_options *options)
{
	const char *fault;
	const struct tach_source_texts *s;

	if (!options_take(&f->options, sizeof(f->options), options)) {
		error_set(&f->error, TACH_EUSE, "the options " OPTIONS_FAULT);
		return false;
	}
	if ((fault = options_fault(uses, &f->options)) != NULL) {
		error_set(&f->error, TACH_EUSE, "%s", fault);
		return false;
	}
	s = f->options.sources;
	if (s == NULL || options_known(s, sizeof(*s),
		offsetof(struct tach_source_texts, count)))
		return true;
	error_set(&f->error, TACH_EUSE, "the source texts " OPTIONS_FAULT);
	return false;
}

/* Opens the format's own sink, or sets the error.  False: out of memory. */
static bool
open_inner(struct format_sink *f, const struct format *format,
    const struct tach_output *out)
{
	if (out == NULL && (format->about.uses & TACH_USES_DIRECTORY) == 0) {
		error_set(&f->error, TACH_EUSE, "there is no output");
		return true;
	}
	if (out != NULL && (f->out = stream_open(out, &f->error)) == NULL)
		return f->error.code != TACH_ENOMEM;
	f->inner = format->open(f->out, &f->options);
	return f->inner != NULL;
}

struct tach_sink *
tach_format_open(const struct tach_format *format,
    const struct tach_output *out, const struct tach_format_options *options)
{
	struct format_sink *f = calloc(1, sizeof(*f));

	if (f == NULL)
		return NULL;
	f->sink = (struct tach_sink){.size = sizeof(f->sink), .arg = f,
	    .begin = format_begin, .run = format_run, .end = format_end,
	    .free = format_free, .error = format_error};
	if (!take_options(f, format->uses, options))
		return &f->sink;
	if (open_inner(f, (const struct format *)format, out))
		return &f->sink;
	format_free(&f->sink);
	return NULL;
}
