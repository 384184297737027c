/* SPDX-License-Identifier: ISC */
/* progress.c: see progress.h. */
#include "progress.h"

#include <inttypes.h>
#include <stdlib.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define RUNS 4096		/* between looks at the clock */
#define FIRST_NS 1000000000	/* until the first line */
#define AGAIN_NS 200000000	/* until the next line */

struct progress {
	struct tach_source source, *from;
	const struct tach_reader *reader;
	unsigned runs; /* since the last look at the clock */
	int64_t due;   /* time of the next line, ns */
};

static bool shown;

static int64_t
now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

void
progress_clear(void)
{
	if (shown)
		fputs("\r\033[K", stderr);
	shown = false;
}

static void
show_read(const struct progress *p)
{
	uint64_t done = tach_reader_stats(p->reader)->samples;
	uint64_t all = tach_reader_info(p->reader)->samples;

	progress_clear();
	if (all != 0 && done <= all)
		fprintf(stderr, "%.0f %% read", 100. * (double)done /
		    (double)all);
	else
		fprintf(stderr, "%" PRIu64 " samples read", done);
	shown = true;
}

/* Looks at the clock now and then. */
static void
look_at_clock(struct progress *p)
{
	if (++p->runs < RUNS)
		return;
	p->runs = 0;
	if (now() < p->due)
		return;
	show_read(p);
	p->due = now() + AGAIN_NS;
}

static int
progress_next(struct tach_source *source, struct tach_run *run)
{
	struct progress *p = source->arg;
	int rc = tach_source_next(p->from, run);

	if (rc == TACH_OK)
		look_at_clock(p);
	else if (shown)
		fputs("\r\033[Kall read, writing", stderr);
	return rc;
}

static void
progress_free(struct tach_source *source)
{
	struct progress *p = source->arg;

	progress_clear();
	tach_source_free(p->from);
	free(p);
}

static enum tach_error
progress_error(const struct tach_source *source, const char **line)
{
	const struct progress *p = source->arg;

	return tach_source_error(p->from, line);
}

struct tach_source *
progress_new(struct tach_reader *r)
{
	struct tach_source *from = tach_reader_source(r);
	struct progress *p;

	if (!isatty(STDERR_FILENO) || isatty(STDOUT_FILENO))
		return from;
	if ((p = calloc(1, sizeof(*p))) == NULL)
		return NULL;
	p->source = (struct tach_source){.size = sizeof(p->source),
	    .arg = p,
	    .meta = from->meta,
	    .table = from->table,
	    .next = progress_next,
	    .free = progress_free,
	    .error = progress_error};
	p->from = from;
	p->reader = r;
	p->due = now() + FIRST_NS;
	return &p->source;
}
