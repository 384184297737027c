/* SPDX-License-Identifier: ISC */
/* formats.c: the one list of formats. */
#include "out/out.h"

const struct tach_format tach_formats[] = {
	{"collapsed", "one line a distinct stack, with its weight",
	    TACH_USES_WEIGHT | TACH_USES_FRAME, collapsed_open, NULL},
	{"speedscope", "what each thread did when, for speedscope",
	    TACH_USES_IDLE | TACH_NEEDS_SPANS, speedscope_open, NULL},
	{"gperftools", "a CPU profile of gperftools: for google-pprof and pprof",
	    TACH_USES_WEIGHT | TACH_USES_SLOTS | TACH_USES_NO_TERMINAL |
	    TACH_ONE_INTERVAL,
	    gperftools_open,
	    "the reader went away; google-pprof and go tool pprof read such a "
	    "profile from a file alone: -o p.prof"},
	{"pprof", "pprof's profile.proto: for go tool pprof, and speedscope",
	    TACH_USES_WEIGHT | TACH_NEEDS_SPANS | TACH_USES_NO_TERMINAL,
	    pprof_open,
	    "the reader went away; go tool pprof reads a pipe only as "
	    "/dev/stdin: tach-convert --pprof p.bin | "
	    "go tool pprof -top /dev/stdin"},
	{"gecko", "samples and states of each thread, for Firefox Profiler",
	    TACH_USES_WEIGHT | TACH_USES_IDLE | TACH_USES_GZIP |
	    TACH_NEEDS_SPANS, gecko_open, NULL},
	{"flamegraph", "a page that shows a flame graph",
	    TACH_USES_WEIGHT | TACH_USES_BASE | TACH_NEEDS_SPANS |
	    TACH_USES_SOURCES,
	    flamegraph_open, NULL},
	{"diff", "what changed since another profile: functions' shares",
	    TACH_USES_WEIGHT | TACH_USES_BASE | TACH_NEEDS_BASE, diff_open,
	    NULL},
	{"heatmap", "a directory of pages: the source, coloured by weight",
	    TACH_USES_WEIGHT | TACH_USES_DIRECTORY | TACH_USES_SOURCES,
	    heatmap_open, NULL},
	{"pstats", "functions and their callers, for Python's pstats",
	    TACH_USES_WEIGHT | TACH_NEEDS_INTERVALS |
	    TACH_USES_NO_TERMINAL, pstats_open, NULL},
	{"callgrind", "what functions and lines cost and call, for KCachegrind",
	    TACH_USES_WEIGHT | TACH_NEEDS_INTERVALS, callgrind_open, NULL},
	{"chrome", "trace events: for Perfetto and chrome://tracing",
	    TACH_USES_IDLE | TACH_NEEDS_SPANS, chrome_open, NULL},
	{"jsonl", "one JSON object a sample: for jq, DuckDB and the like",
	    TACH_NEEDS_SPANS, jsonl_open, NULL},
	{"csv", "one line a sample, below the names of the columns",
	    TACH_NEEDS_SPANS, csv_open, NULL},
	{NULL, NULL, 0, NULL, NULL},
};
