/* SPDX-License-Identifier: ISC */
/* summary.c: see summary.h. */
#include "summary.h"

#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

void
summary_causes(const struct tach_recorder_stats *s, char *buf, size_t size)
{
	const struct {
		uint64_t count;
		const char *name;
	} causes[] = {{s->unreadable, "unreadable"}, {s->moving, "moving"},
	    {s->unknown, "unknown"}, {s->inprocess.invalid, "invalid"},
	    {s->inprocess.damaged, "damaged"}};
	size_t n = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < sizeof(causes) / sizeof(*causes); i++)
		if (causes[i].count != 0)
			n += (size_t)snprintf(buf + n, size - n,
			    "%s%" PRIu64 " %s", n == 0 ? ": " : ", ",
			    causes[i].count, causes[i].name);
}

/* Which clock told the threads to sample themselves. */
static const char *
clock_text(const struct tach_inprocess_stats *s)
{
	if (s->clocks[TACH_CLOCK_WALL] > 0)
		return "wall clock";
	return s->clocks[TACH_CLOCK_CPU] > s->clocks[TACH_CLOCK_PERF] ?
	    "CPU clock, looked at on the kernel's tick" : "exact CPU clock";
}

void
summary_inside(const struct tach_inprocess_stats *s,
    enum tach_recorder_mode mode)
{
	if (s->records == 0)
		return;
	warnx("in-process by the %s: %" PRIu64 " stacks taken in %.1f us each "
	    "(99%% in %.1f us), %" PRIu64 " signals in others, rings %.0f%% "
	    "full at most, %.1f%% of names known", clock_text(s), s->records,
	    (double)s->handler_mean_ns / 1e3, (double)s->handler_p99_ns / 1e3,
	    s->overruns, 100 * (double)s->ring_high / (double)s->ring_size,
	    s->frames > 0 ?
		100 * (double)s->frames_known / (double)s->frames : 0);
	if (mode == TACH_MODE_CPU && s->clocks[TACH_CLOCK_WALL] > 0)
		warnx("CPU clocks were refused to %" PRIu32 " threads, whose "
		    "samples are of wall time", s->clocks[TACH_CLOCK_WALL]);
}

void
summary_refused(const struct tach_inprocess_stats *s)
{
	bool limit = s->refused_errno == EAGAIN;

	if (s->refused > 0 && s->refused_errno == EBUSY)
		warnx("%" PRIu32 " thread%s could not be sampled: the program "
		    "has masked the signal that we use: use --engine=remote",
		    s->refused, s->refused == 1 ? "" : "s");
	else if (s->refused > 0)
		warnx("%" PRIu32 " thread%s could not be sampled, for want of "
		    "a timer: %s: %s, or use --engine=remote", s->refused,
		    s->refused == 1 ? "" : "s", limit ? "the user's limit of "
		    "pending signals is used up" : strerror(s->refused_errno),
		    limit ? "raise it (ulimit -i), end the program that holds "
		    "them (SigQ in /proc/PID/status)" : "try again");
}

void
summary_strays(const struct tach_recorder_stats *s)
{
	if (s->strays > 0)
		warnx("%" PRIu32 " thread state%s left out: no thread of the "
		    "process runs %s, as in a child of a fork by C",
		    s->strays, s->strays == 1 ? " was" : "s were",
		    s->strays == 1 ? "it" : "them");
}

void
summary_files(const struct tach_recorder_stats *s)
{
	struct rlimit files;

	if (s->unkept > 0 && getrlimit(RLIMIT_NOFILE, &files) == 0)
		warnx("there were too few descriptors for %" PRIu32 " thread%s, "
		    "which takes longer to look at: raise the limit (ulimit -n, "
		    "it is %" PRIu64 ")", s->unkept, s->unkept == 1 ? "" : "s",
		    (uint64_t)files.rlim_max);
}

void
summary_add(struct tach_recorder_stats *s, const struct tach_recorder_stats *of)
{
	s->samples += of->samples;
	s->failed += of->failed;
	s->unreadable += of->unreadable;
	s->moving += of->moving;
	s->unknown += of->unknown;
	s->strays += of->strays;
	s->unkept += of->unkept;
	tach_inprocess_add(&s->inprocess, &of->inprocess);
}
