/* SPDX-License-Identifier: ISC */
/*
 * test_sizes.c: structs of a caller who was compiled with another tach.h.  One that
 * is smaller counts as zero beyond its end; one that is larger is taken if the
 * rest is zero, and else refused by TACH_EUSE.  So is one without a size, and one
 * with a value that there is not.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "options.h"
#include "profile.h"
#include "tach-record.h"

/* A struct with more behind it. */
#define LARGER(type, name, ...) \
	struct { \
		struct type known; \
		uint64_t more; \
	} name = {{.size = sizeof(name), __VA_ARGS__}, 0}

static struct tach_table *table;
static struct trace trace;
static struct bytes profile;

static void
make_profile(void)
{
	static const struct tach_writer_options how = {.size = sizeof(how),
	    TACH_LAYOUT_CPYTHON, TACH_PLAIN, 0};

	table = make_table(3);
	for (uint32_t i = 0; i < 10; i++)
		trace_add(&trace, 1, 0, i, i % 2, (uint32_t[]){i % 3}, 1);
	profile = write_profile(&trace, &how, table, HINT_NONE);
}

static struct tach_reader *
open_profile(void)
{
	struct tach_reader *r = tach_reader_new();
	int fd = bytes_fd(&profile);

	check(tach_reader_open_fd(r, fd) == TACH_OK);
	close(fd);
	return r;
}

/* ---- the helper ------------------------------------------------------------ */

static void
check_helper(void)
{
	struct three {
		size_t size;
		uint32_t a, b, c;
	} to;
	struct two {
		size_t size;
		uint32_t a;
	} two = {sizeof(two), 7};
	struct four {
		size_t size;
		uint32_t a, b, c, d;
	} four = {sizeof(four), 1, 2, 3, 0};

	two.size = offsetof(struct two, a) + sizeof(two.a);
	memset(&to, 0xff, sizeof(to));
	check(options_take(&to, sizeof(to), &two));
	check(to.size == sizeof(to) && to.a == 7 && to.b == 0 && to.c == 0);
	check(options_take(&to, sizeof(to), &four));
	check(to.size == sizeof(to) && to.a == 1 && to.b == 2 && to.c == 3);
	four.d = 1;
	four.size = offsetof(struct four, d) + sizeof(four.d);
	check(!options_take(&to, offsetof(struct four, d), &four));
	check(to.a == 0 && to.b == 0 && to.c == 0);
	two.size = 0;
	check(!options_take(&to, sizeof(to), &two));
	two.size = sizeof(size_t) - 1;
	check(!options_take(&to, sizeof(to), &two));
}

/* ---- selections ------------------------------------------------------------ */

static int
count_run(struct tach_sink *sink, const struct tach_run *run)
{
	*(uint64_t *)sink->arg += run->count;
	return TACH_OK;
}

/* How many samples are selected.  A selection that is refused has an error before
 * it is read, and gives nothing. */
static uint64_t
selected(const void *selection, enum tach_error want)
{
	struct tach_reader *r = open_profile();
	struct tach_source *s = tach_select_new(tach_reader_source(r), selection);
	uint64_t n = 0;
	struct tach_sink sink = {.size = sizeof(sink), .arg = &n,
	    .run = count_run};

	check_number(tach_source_error(s, NULL), want);
	check(tach_pump(s, &sink) == (want == TACH_ENONE ? TACH_END :
							   TACH_FATAL));
	check_number(tach_source_error(s, NULL), want);
	tach_source_free(s);
	tach_reader_free(r);
	return n;
}

static void
check_selection(void)
{
	struct tach_selection small = {
	    .size = offsetof(struct tach_selection, since), .status = 1,
	    .since = 1000};
	LARGER(tach_selection, large, .status = 1);

	check_number(selected(&small, TACH_ENONE), 5);
	check_number(selected(&large, TACH_ENONE), 5);
	large.more = 1;
	check_number(selected(&large, TACH_EUSE), 0);
	small.size = 0;
	check_number(selected(&small, TACH_EUSE), 0);
}

/* ---- writers --------------------------------------------------------------- */

static enum tach_error
written(const void *options, const void *meta)
{
	struct bytes none = {0};
	int fd = bytes_fd(&none);
	struct tach_writer *w = tach_writer_new(fd, options, table);
	int res = tach_writer_finish(w, meta);
	enum tach_error code = tach_writer_error(w, NULL);

	check((res == TACH_OK) == (code == TACH_ENONE));
	tach_writer_free(w);
	close(fd);
	return code;
}

static void
check_writer(void)
{
	struct tach_writer_options small = {
	    .size = offsetof(struct tach_writer_options, level),
	    .compression = TACH_PLAIN};
	LARGER(tach_writer_options, large, .compression = TACH_PLAIN);
	struct tach_meta small_meta = {
	    .size = offsetof(struct tach_meta, quality)};
	LARGER(tach_meta, large_meta, .interval_us = 1);

	check_number(written(&small, &small_meta), TACH_ENONE);
	check_number(written(&large, &large_meta), TACH_ENONE);
	large_meta.more = 1;
	check_number(written(&small, &large_meta), TACH_EUSE);
	large.more = 1;
	check_number(written(&large, &small_meta), TACH_EUSE);
	small_meta.size = 0;
	check_number(written(&small, &small_meta), TACH_EUSE);
}

static void
check_writer_values(void)
{
	const struct tach_meta meta = {.size = sizeof(meta)};
	struct tach_writer_options o = {.size = sizeof(o),
	    .layout = TACH_LAYOUT_EARLY + 1};

	check_number(written(&o, &meta), TACH_EUSE);
	o.layout = TACH_LAYOUT_CPYTHON;
	check_number(written(&o, &meta), TACH_ENONE);
	o.compression = TACH_ZSTD + 1;
	check_number(written(&o, &meta), TACH_EUSE);
	o.compression = TACH_ZSTD;
	check_number(written(&o, &meta), TACH_EUSE);
	o.level = 23;
	check_number(written(&o, &meta), TACH_EUSE);
	o.level = 1;
	check_number(written(&o, &meta), TACH_ENONE);
}

/* ---- merges ---------------------------------------------------------------- */

static enum tach_error
merged(const void *place)
{
	static const struct tach_meta meta = {.size = sizeof(meta)};
	struct tach_merge *m = tach_merge_new(&meta);
	struct tach_reader *r = open_profile();
	int res = tach_merge_add(m, tach_reader_source(r), place);
	enum tach_error code = tach_merge_error(m, NULL);

	check((res == TACH_OK) == (code == TACH_ENONE));
	tach_merge_free(m);
	tach_reader_free(r);
	return code;
}

static void
check_merge(void)
{
	static const struct tach_selection unset = {.status = 1};
	struct tach_merge_options small = {
	    .size = offsetof(struct tach_merge_options, others),
	    .kept = UINT64_MAX};
	LARGER(tach_merge_options, large, .kept = UINT64_MAX);

	check_number(merged(&small), TACH_ENONE);
	check_number(merged(&large), TACH_ENONE);
	large.known.selection = &unset;
	check_number(merged(&large), TACH_EUSE);
	large.known.selection = NULL;
	large.more = 1;
	check_number(merged(&large), TACH_EUSE);
}

/* ---- formats --------------------------------------------------------------- */

static enum tach_error
converted(const void *options)
{
	struct tach_output to = {.size = sizeof(to), .fd = open("/dev/null",
	    O_WRONLY | O_CLOEXEC)};
	struct tach_sink *sink = tach_format_open(tach_format_find("collapsed"),
	    &to, options);
	enum tach_error code = tach_sink_error(sink, NULL);
	struct tach_reader *r = open_profile();

	check(tach_pump(tach_reader_source(r), sink) ==
	    (code == TACH_ENONE ? TACH_END : TACH_REFUSED));
	check_number(tach_sink_error(sink, NULL), code);
	tach_sink_free(sink);
	tach_reader_free(r);
	close(to.fd);
	return code;
}

static void
check_format(void)
{
	struct tach_format_options small = {
	    .size = offsetof(struct tach_format_options, title)};
	struct tach_source_texts texts = {0};
	LARGER(tach_format_options, large, .weight = TACH_WEIGHT_SAMPLES);

	check_number(converted(&small), TACH_ENONE);
	check_number(converted(&large), TACH_ENONE);
	large.known.sources = &texts;
	check_number(converted(&large), TACH_EUSE);
	large.known.sources = NULL;
	large.more = 1;
	check_number(converted(&large), TACH_EUSE);
}

/* The code of opening a format, which is told at once. */
static enum tach_error
opened(const char *name, bool with_output,
    const struct tach_format_options *options)
{
	struct tach_output to = {.size = sizeof(to), .fd = -1};
	struct tach_sink *sink = tach_format_open(tach_format_find(name),
	    with_output ? &to : NULL, options);
	const char *line;
	enum tach_error code = tach_sink_error(sink, &line);

	check((code == TACH_ENONE) == (line[0] == '\0'));
	tach_sink_free(sink);
	return code;
}

static void
check_format_values(void)
{
	struct tach_format_options o = {.size = sizeof(o), .directory = -1};

	check_number(opened("csv", false, &o), TACH_EUSE);
	check_number(opened("heatmap", false, &o), TACH_ENONE);
	o.weight = TACH_WEIGHT_TIME + 1;
	check_number(opened("collapsed", true, &o), TACH_EUSE);
	check_number(opened("csv", true, &o), TACH_ENONE);
	o.weight = TACH_WEIGHT_TIME;
	o.frame = (enum tach_frame_style)-1;
	check_number(opened("collapsed", true, &o), TACH_EUSE);
	o.frame = TACH_FRAME_FUNCTION;
	check_number(opened("collapsed", true, &o), TACH_ENONE);
}

static void
check_slots(void)
{
	struct tach_output symbols = {.size = sizeof(symbols), .fd = -1};
	struct tach_format_options o = {.size = sizeof(o)};

	for (o.word_size = 0; o.word_size < 20; o.word_size++)
		check_number(opened("gperftools", true, &o),
		    o.word_size == 4 || o.word_size == 8 ? TACH_ENONE :
							   TACH_EUSE);
	o.word_size = 8;
	o.symbols = &symbols;
	check_number(opened("gperftools", true, &o), TACH_EUSE);
	o.symbols_path = "symbols";
	check_number(opened("gperftools", true, &o), TACH_EUSE);
	o.symbols_path = "/symbols";
	check_number(opened("gperftools", true, &o), TACH_ENONE);
}

/* ---- recorders ------------------------------------------------------------- */

static void
check_recorder(void)
{
	struct tach_recorder_options small = {
	    .size = offsetof(struct tach_recorder_options, duration_ns),
	    .interval_ns = 1000000};
	LARGER(tach_recorder_options, large, .interval_ns = 1000000);
	struct tach_recorder *r;

	check((r = tach_recorder_new(&small)) != NULL);
	tach_recorder_free(r);
	check((r = tach_recorder_new(&large.known)) != NULL);
	tach_recorder_free(r);
	large.more = 1;
	errno = 0;
	check(tach_recorder_new(&large.known) == NULL && errno == EINVAL);
	small.size = offsetof(struct tach_recorder_options, interval_ns);
	errno = 0;
	check(tach_recorder_new(&small) == NULL && errno == EINVAL);
}

/* An array of a caller who knows of fewer descriptors is not overrun. */
static void
check_fds(void)
{
	struct tach_recorder_options options = {.size = sizeof(options),
	    .interval_ns = 1000000};
	struct tach_recorder *r = tach_recorder_new(&options);
	struct pollfd fds[TACH_RECORDER_FDS] = {{0}};

	check(tach_recorder_fds(r, fds, TACH_RECORDER_FDS) > 1);
	fds[1].events = -1;
	check_number(tach_recorder_fds(r, fds, 1), 1);
	check(fds[0].events == POLLIN && fds[1].events == -1);
	check_number(tach_recorder_fds(r, fds, 0), 0);
	tach_recorder_free(r);
}

static void
tell_none(void *arg, uint32_t outer, struct tach_string name,
    struct tach_string value)
{
	(void)arg;
	(void)outer;
	(void)name;
	(void)value;
}

/* An error of the locals is one of that call alone. */
static void
check_locals(void)
{
	struct tach_recorder_options options = {.size = sizeof(options),
	    .interval_ns = 1000000};
	struct tach_recorder *r = tach_recorder_new(&options);
	struct tach_source *rounds = tach_rounds_new(r);
	LARGER(tach_locals, large, .tell = tell_none);

	check(tach_recorder_locals(r, &large.known) == TACH_OK);
	check(tach_rounds_locals(rounds, &large.known) == TACH_OK);
	large.more = 1;
	check(tach_recorder_locals(r, &large.known) == TACH_FATAL);
	check_number(tach_recorder_error(r, NULL), TACH_EUSE);
	check(tach_rounds_locals(rounds, &large.known) == TACH_FATAL);
	check_number(tach_source_error(rounds, NULL), TACH_EUSE);
	large.more = 0;
	check(tach_rounds_locals(rounds, &large.known) == TACH_OK);
	check_number(tach_source_error(rounds, NULL), TACH_ENONE);
	tach_source_free(rounds);
	tach_recorder_free(r);
}

/* Counts of threads: their size is the same in all versions. */
static void
check_counts(void)
{
	struct tach_inprocess_stats sum = {.size = sizeof(sum)};
	struct tach_inprocess_stats one = {.size = sizeof(one), .records = 1};
	char *note = tach_inprocess_note(&one);

	check(note != NULL);
	free(note);
	check(tach_inprocess_add(&sum, &one));
	check_number(sum.records, 1);
	check_number(sum.size, sizeof(sum));
	one.size = 0;
	check(!tach_inprocess_add(&sum, &one));
	check(!tach_inprocess_add(&one, &sum));
	check(tach_inprocess_note(&one) == NULL);
	check_number(sum.records, 1);
	check_number(one.records, 1);
}

static void
check_refused(const struct tach_recorder_options *o)
{
	errno = 0;
	check(tach_recorder_new(o) == NULL && errno == EINVAL);
}

static void
check_recorder_values(void)
{
	struct tach_recorder_options o = {.size = sizeof(o),
	    .interval_ns = 1000000,
	    .engine = TACH_ENGINE_INPROCESS + 1};
	struct tach_recorder *r;

	check_refused(&o);
	o.engine = TACH_ENGINE_INPROCESS;
	o.mode = TACH_MODE_EXCEPTION + 1;
	check_refused(&o);
	o.mode = TACH_MODE_EXCEPTION;
	o.async = TACH_ASYNC_ALL + 1;
	check_refused(&o);
	o.async = TACH_ASYNC_ALL;
	check((r = tach_recorder_new(&o)) != NULL);
	tach_recorder_free(r);
}

/* ---- sources and sinks ------------------------------------------------------ */

static int
no_runs(struct tach_source *source, struct tach_run *run)
{
	(void)source;
	(void)run;
	return TACH_END;
}

static enum tach_error
some_error(const struct tach_source *source, const char **line)
{
	(void)source;
	*line = "mine";
	return TACH_EFAILED;
}

static enum tach_error
sink_error(const struct tach_sink *sink, const char **line)
{
	(void)sink;
	*line = "mine";
	return TACH_EFAILED;
}

static void
check_source(void)
{
	static const struct tach_meta meta = {.size = sizeof(meta)};
	struct tach_source small = {
	    .size = offsetof(struct tach_source, error), .meta = &meta,
	    .table = table, .next = no_runs, .error = some_error};
	LARGER(tach_source, large, .meta = &meta, .table = table,
	    .next = no_runs);
	struct tach_source *wrapped;
	uint64_t n = 0;
	struct tach_sink sink = {.size = sizeof(sink), .arg = &n,
	    .run = count_run};

	check(tach_pump(&small, &sink) == TACH_END);
	check_number(tach_source_error(&small, NULL), TACH_ENONE);
	check(tach_pump(&large.known, &sink) == TACH_END);
	large.more = 1;
	check(tach_pump(&large.known, &sink) == TACH_FATAL);
	check_number(tach_source_error(&large.known, NULL), TACH_EUSE);
	wrapped = tach_durations_new(&large.known);
	check(tach_pump(wrapped, &sink) == TACH_FATAL);
	check_number(tach_source_error(wrapped, NULL), TACH_EUSE);
	tach_source_free(wrapped);
	small.size = 0;
	check(tach_pump(&small, &sink) == TACH_FATAL);
	check_number(tach_source_error(&small, NULL), TACH_EUSE);
}

static int
no_end(struct tach_sink *sink)
{
	(void)sink;
	failures++;
	return TACH_FATAL;
}

static void
check_sink(void)
{
	uint64_t n = 0;
	struct tach_sink small = {.size = offsetof(struct tach_sink, end),
	    .arg = &n, .run = count_run, .end = no_end, .error = sink_error};
	LARGER(tach_sink, large, .arg = &n, .run = count_run);
	struct tach_reader *r = open_profile();

	check(tach_pump(tach_reader_source(r), &small) == TACH_END);
	check_number(n, trace.n);
	check_number(tach_sink_error(&small, NULL), TACH_ENONE);
	large.more = 1;
	check(tach_pump(tach_reader_source(r), &large.known) == TACH_REFUSED);
	check_number(tach_sink_error(&large.known, NULL), TACH_EUSE);
	large.more = 0;
	check(tach_pump(tach_reader_source(r), &large.known) == TACH_END);
	check_number(tach_sink_error(&large.known, NULL), TACH_ENONE);
	tach_reader_free(r);
}

int
main(void)
{
	make_profile();
	check_helper();
	check_selection();
	check_writer();
	check_writer_values();
	check_merge();
	check_format();
	check_format_values();
	check_slots();
	check_recorder();
	check_fds();
	check_locals();
	check_counts();
	check_recorder_values();
	check_source();
	check_sink();
	bytes_clear(&profile);
	trace_clear(&trace);
	tach_table_free(table);
	return failures != 0;
}
