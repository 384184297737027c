/* SPDX-License-Identifier: ISC */
/* fuzz.c: see fuzz.h. */
#include "fuzz.h"

#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

#include "../../cmd/to_file.h"
#include "../../cmd/why.h"
#include "array.h"

/* Some hundred bytes of zstd hold any number of samples, and a sink that writes
 * them as they come takes them all.  That takes time and shows nothing: so many
 * of them, and of their frames, are looked at.  Sinks that add up are full
 * before that: see t/fuzz/run. */
#define ENOUGH (UINT64_C(1) << 16)

struct thread {
	uint64_t time;
	uint32_t depth;
	uint64_t digest;
};

/* What was read by now, and to what it goes. */
struct reading {
	struct tach_source source; /* looks at each run */
	struct tach_reader *reader;
	int res; /* of the reader; TACH_OK: not all was looked at */
	struct fuzz_sink *sinks;
	struct thread *threads;
	size_t nthreads, max;
	uint64_t digest, work;
};

void
fuzz_broken(const char *what, int line)
{
	fprintf(stderr, "line %d: this does not hold: %s\n", line, what);
	abort();
}

int
fuzz_fd(const void *bytes, size_t n)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0 || (n > 0 && pwrite(fd, bytes, n, 0) != (ssize_t)n))
		err(2, "memfd");
	return fd;
}

static struct thread *
thread_of(struct reading *in, const struct tach_run *run)
{
	promise(run->index <= in->nthreads);
	if (run->index == in->nthreads) {
		in->threads = array_grow(in->threads, in->nthreads, &in->max,
		    sizeof(*in->threads));
		if (in->threads == NULL)
			err(2, NULL);
		in->threads[in->nthreads++] = (struct thread){0, 0, 0};
	}
	return &in->threads[run->index];
}

/* A file says how much there is. */
static void
check_counts(const struct tach_reader *r, const struct tach_run *run)
{
	const struct tach_file_info *info = tach_reader_info(r);

	if (info->input != TACH_INPUT_FILE)
		return;
	promise(run->index < info->threads);
	promise(tach_reader_stats(r)->samples <= info->samples);
}

/* Looks at a run.  The samples of one thread are in order in every file, and
 * so make one number; threads may be mixed otherwise, and so are added. */
static void
look(struct reading *in, const struct tach_run *run)
{
	const struct tach_table *table = tach_reader_table(in->reader);
	struct thread *t = thread_of(in, run);
	uint64_t id[] = {run->thread, run->interp}, stack;

	promise(run->count > 0);
	promise(run->shared <= run->depth && run->shared <= t->depth);
	for (uint32_t i = 0; i < run->depth; i++)
		promise(run->frames[i] < tach_table_frame_count(table));
	check_counts(in->reader, run);
	stack = XXH3_64bits(run->frames, run->depth * sizeof(*run->frames));
	in->digest -= XXH3_64bits_withSeed(id, sizeof(id), t->digest);
	for (size_t i = 0; i < run->count; i++) {
		uint64_t tick[] = {run->ticks[i].time, run->ticks[i].status,
		    stack};
		promise(tick[0] >= t->time);
		t->time = tick[0];
		t->digest = XXH3_64bits_withSeed(tick, sizeof(tick),
		    t->digest);
	}
	in->digest += XXH3_64bits_withSeed(id, sizeof(id), t->digest);
	t->depth = run->depth;
}

/* Takes what a sink has returned.  It fails only where it is full. */
static void
check_sink(struct fuzz_sink *s, int res)
{
	const char *why;
	enum tach_error code = tach_sink_error(s->sink, &why);

	if (res == TACH_OK)
		return;
	promise(res == TACH_FATAL && code == TACH_ELIMIT);
	promise(strncmp(why, "the profile has too many ", 25) == 0);
	s->full = true;
}

static int
give(struct tach_sink *sink, const struct tach_run *run)
{
	struct reading *in = sink->arg;

	for (struct fuzz_sink *s = in->sinks; s->sink != NULL; s++)
		if (!s->full)
			check_sink(s, tach_sink_run(s->sink, run));
	return TACH_OK;
}

static int
next_run(struct tach_source *source, struct tach_run *run)
{
	struct reading *in = source->arg;

	if (in->work > ENOUGH)
		return TACH_END;
	if ((in->res = tach_reader_next(in->reader, run)) != TACH_OK)
		return in->res;
	in->work += run->count * ((uint64_t)run->depth + 1);
	if (in->work > ENOUGH)
		return TACH_END;
	look(in, run);
	return TACH_OK;
}

static struct reading
reading_of(struct tach_reader *r, struct fuzz_sink *sinks)
{
	return (struct reading){.reader = r,
	    .sinks = sinks,
	    .source = {.size = sizeof(struct tach_source),
		.meta = tach_reader_meta(r),
		.table = tach_reader_table(r),
		.next = next_run}};
}

static int
read_runs(struct reading *in, struct tach_source *source)
{
	struct tach_sink sink = {.size = sizeof(sink), .arg = in, .run = give};
	int res = tach_pump(source, &sink);

	promise(res == TACH_END || res == TACH_FATAL);
	promise((res == TACH_FATAL) == (in->res == TACH_FATAL));
	promise((in->res == TACH_FATAL) ==
	    (*reader_why(in->reader) != '\0'));
	return in->res;
}

/* A number for the first strings and frames of a table. */
static uint64_t
table_digest(const struct tach_table *table, uint32_t strings,
    uint32_t frames)
{
	uint64_t digest = 0;

	for (uint32_t i = 0; i < strings; i++) {
		struct tach_string s = tach_table_string(table, i);
		digest = XXH3_64bits_withSeed(s.bytes, s.len, digest);
	}
	for (uint32_t i = 0; i < frames; i++) {
		const struct tach_frame *f = tach_table_frame(table, i);
		uint32_t words[] = {f->file, f->func, (uint32_t)f->line,
		    (uint32_t)f->end_line, (uint32_t)f->column,
		    (uint32_t)f->end_column, f->opcode};
		digest = XXH3_64bits_withSeed(words, sizeof(words), digest);
	}
	return digest;
}

/* What the samples that were read are made of stays. */
static int
read_again(struct tach_reader *r)
{
	const struct tach_table *table = tach_reader_table(r);
	uint32_t strings = tach_table_string_count(table);
	uint32_t frames = tach_table_frame_count(table);
	uint64_t digest = table_digest(table, strings, frames);
	int res = tach_reader_poll(r);

	promise((res == TACH_FATAL) == (*reader_why(r) != '\0'));
	promise(tach_table_string_count(table) >= strings);
	promise(tach_table_frame_count(table) >= frames);
	promise(table_digest(table, strings, frames) == digest);
	return res;
}

/* Reads to the end, and on as often as there is more. */
static int
read_all(struct reading *in, struct tach_source *source,
    struct fuzz_growth *growth)
{
	int res = read_runs(in, source), again;

	while (res == TACH_END && growth != NULL && growth->grow(growth)) {
		again = read_again(in->reader);
		if (again == TACH_OK)
			res = read_runs(in, source);
		else if (again == TACH_FATAL)
			res = TACH_FATAL;
	}
	return res;
}

/* The end is final, unless there is more by now. */
static void
check_end(struct tach_reader *r, int res)
{
	struct tach_run run;

	if (res == TACH_OK)
		return;
	promise(tach_reader_next(r, &run) == res);
	if (tach_reader_poll(r) != TACH_OK)
		tach_reader_verify(r);
}

static void
close_sinks(struct fuzz_sink *sinks)
{
	for (struct fuzz_sink *s = sinks; s->sink != NULL; s++) {
		if (!s->full)
			check_sink(s, tach_sink_end(s->sink));
		tach_sink_free(s->sink);
	}
}

/* What came before damage is kept: sinks end after it, too. */
static uint64_t
read_to(struct tach_reader *r, int res, struct fuzz_sink *sinks,
    struct fuzz_growth *growth, bool with_durations)
{
	struct reading in = reading_of(r, sinks);
	struct tach_source *source = &in.source;

	in.source.arg = &in;
	for (struct fuzz_sink *s = sinks; s->sink != NULL; s++)
		promise(tach_sink_begin(s->sink, source->meta,
		    source->table) == TACH_OK);
	promise((res == TACH_FATAL) == (*reader_why(r) != '\0'));
	promise((res == TACH_WARN) <= (*tach_reader_warning(r) != '\0'));
	if (with_durations)
		promise((source = tach_durations_new(source)) != NULL);
	if (res != TACH_FATAL)
		check_end(r, res = read_all(&in, source, growth));
	if (growth != NULL)
		growth->res = res;
	tach_source_free(source);
	close_sinks(sinks);
	free(in.threads);
	return in.digest;
}

uint64_t
fuzz_read_to(struct tach_reader *r, int res, struct fuzz_sink sinks[])
{
	return read_to(r, res, sinks, NULL, true);
}

uint64_t
fuzz_read(struct tach_reader *r, int res, int copy)
{
	return fuzz_read_on(r, res, copy, NULL);
}

uint64_t
fuzz_read_on(struct tach_reader *r, int res, int copy,
    struct fuzz_growth *growth)
{
	static const struct tach_writer_options options = {
	    .size = sizeof(options), TACH_LAYOUT_EARLY, TACH_PLAIN, 1};
	const struct tach_table *table = tach_reader_table(r);
	const struct tach_meta *meta = tach_reader_meta(r);
	struct tach_writer *writer = copy < 0 ? NULL :
	    tach_writer_new(copy, &options, table);
	FILE *null = fopen("/dev/null", "we");
	struct tach_output nowhere = to_file(null);
	struct fuzz_sink sinks[] = {{.sink = tach_text_new(&nowhere, true)},
	    {.sink = writer == NULL ? NULL : tach_writer_sink(writer)},
	    {.sink = NULL}};
	uint64_t digest = read_to(r, res, sinks, growth, false);

	if (writer != NULL)
		promise(tach_writer_finish(writer, meta) == TACH_OK);
	tach_writer_free(writer);
	fclose(null);
	return digest;
}

uint64_t
fuzz_read_again(int copy)
{
	struct tach_reader *r = tach_reader_new();
	int res = tach_reader_open_fd(r, copy);
	uint64_t digest;

	promise(res == TACH_OK);
	digest = fuzz_read(r, res, -1);
	promise(*reader_why(r) == '\0');
	tach_reader_free(r);
	return digest;
}
