/* SPDX-License-Identifier: ISC */
/* fuzz.c: see fuzz.h. */
#include "fuzz.h"

#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

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

/* What was read by now. */
struct reading {
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

/* Looks at a run.  The samples of one thread are in order in every file, and
 * so make one number; threads may be mixed otherwise, and so are added. */
static void
look(struct reading *in, const struct tach_run *run,
    const struct tach_table *table)
{
	struct thread *t = thread_of(in, run);
	uint64_t id[] = {run->thread, run->interp}, stack;

	promise(run->count > 0);
	promise(run->shared <= run->depth && run->shared <= t->depth);
	for (uint32_t i = 0; i < run->depth; i++)
		promise(run->frames[i] < tach_table_frames(table));
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
	const char *why = s->sink->error(s->sink);

	if (res == TACH_OK)
		return;
	promise(res == TACH_FATAL);
	promise(strncmp(why, "the profile has too many ", 25) == 0);
	s->full = true;
}

static void
give(struct fuzz_sink *sinks, const struct tach_run *run)
{
	for (struct fuzz_sink *s = sinks; s->sink != NULL; s++)
		if (!s->full)
			check_sink(s, s->sink->run(s->sink, run));
}

static int
read_runs(struct tach_reader *r, struct reading *in, struct fuzz_sink *sinks)
{
	struct tach_run run;
	int res;

	while ((res = tach_reader_next(r, &run)) == TACH_OK) {
		in->work += run.count * ((uint64_t)run.depth + 1);
		if (in->work > ENOUGH)
			break;
		look(in, &run, tach_reader_table(r));
		give(sinks, &run);
	}
	promise(res != TACH_WARN);
	promise((res == TACH_FATAL) == (*tach_reader_error(r) != '\0'));
	return res;
}

/* The end is final, unless there is more by now. */
static void
read_on(struct tach_reader *r, int res)
{
	struct tach_run run;

	if (res == TACH_OK)
		return;
	promise(tach_reader_next(r, &run) == res);
	if (tach_reader_again(r) != TACH_OK)
		tach_reader_check(r);
}

static void
close_sinks(struct fuzz_sink *sinks)
{
	for (struct fuzz_sink *s = sinks; s->sink != NULL; s++) {
		if (!s->full)
			check_sink(s, s->sink->end(s->sink));
		s->sink->free(s->sink);
	}
}

/* What came before damage is kept: sinks end after it, too. */
uint64_t
fuzz_read_to(struct tach_reader *r, int res, struct fuzz_sink sinks[])
{
	struct reading in = {0};

	promise((res == TACH_FATAL) == (*tach_reader_error(r) != '\0'));
	promise((res == TACH_WARN) <= (*tach_reader_warning(r) != '\0'));
	if (res != TACH_FATAL)
		read_on(r, read_runs(r, &in, sinks));
	close_sinks(sinks);
	free(in.threads);
	return in.digest;
}

uint64_t
fuzz_read(struct tach_reader *r, int res, int copy)
{
	static const struct tach_writer_options options = {
	    TACH_LAYOUT_DOCUMENTED, TACH_PLAIN, 1};
	const struct tach_table *table = tach_reader_table(r);
	const struct tach_meta *meta = tach_reader_meta(r);
	struct tach_writer *writer = copy < 0 ? NULL :
	    tach_writer_new(copy, &options, table);
	FILE *null = fopen("/dev/null", "we");
	struct fuzz_sink sinks[] = {{.sink = tach_text_new(null, meta, table)},
	    {.sink = writer == NULL ? NULL : tach_writer_sink(writer)},
	    {.sink = NULL}};
	uint64_t digest = fuzz_read_to(r, res, sinks);

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
	promise(*tach_reader_error(r) == '\0');
	tach_reader_free(r);
	return digest;
}
