/* SPDX-License-Identifier: ISC */
/* progress.c: see progress.h. */
#include "progress.h"

#include <inttypes.h>
#include <stdlib.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define RUNS 4096		/* between looks at the clock */
#define FIRST_NS 1000000000	/* until something is said */
#define AGAIN_NS 200000000	/* until it is said anew */

struct progress {
	struct tach_sink sink;
	struct tach_sink *next;
	const struct tach_reader *reader;
	unsigned runs; /* since the last look */
	int64_t due;   /* when to say something */
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

static int
progress_run(struct tach_sink *sink, const struct tach_run *run)
{
	struct progress *p = sink->arg;

	if (++p->runs == RUNS) {
		p->runs = 0;
		if (now() >= p->due) {
			show_read(p);
			p->due = now() + AGAIN_NS;
		}
	}
	return p->next->run(p->next, run);
}

static int
progress_end(struct tach_sink *sink)
{
	struct progress *p = sink->arg;
	int rc;

	if (shown)
		fputs("\r\033[Kall read, writing", stderr);
	rc = tach_sink_end(p->next);
	progress_clear();
	return rc;
}

static void
progress_free(struct tach_sink *sink)
{
	struct progress *p = sink->arg;

	tach_sink_free(p->next);
	free(p);
}

static enum tach_error
progress_error(const struct tach_sink *sink, const char **line)
{
	const struct progress *p = sink->arg;

	progress_clear();
	return tach_sink_error(p->next, line);
}

struct tach_sink *
progress_new(const struct tach_reader *r, struct tach_sink *next)
{
	struct progress *p;

	if (next == NULL || !isatty(STDERR_FILENO) || isatty(STDOUT_FILENO))
		return next;
	if ((p = calloc(1, sizeof(*p))) == NULL) {
		tach_sink_free(next);
		return NULL;
	}
	p->sink = (struct tach_sink){.arg = p, .run = progress_run,
	    .end = progress_end, .free = progress_free,
	    .error = progress_error};
	p->next = next;
	p->reader = r;
	p->due = now() + FIRST_NS;
	return &p->sink;
}
