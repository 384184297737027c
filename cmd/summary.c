/* SPDX-License-Identifier: ISC */
/* summary.c: see summary.h. */
#include "summary.h"

#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "cmd.h"
#include "print.h"

#define CAUSES 256	/* bytes for the causes of failures */
#define MISSED_MANY 20	/* a hint if one of so many rounds was missed */
#define SPARED_MANY 20	/* the same for spared rounds */

/* Lists why samples failed, if any did: ": 2 unreadable, 1 moving". */
static void
list_causes(const struct tach_recorder_stats *s, char *buf, size_t size)
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

/* The clock by which the threads sampled themselves. */
static const char *
clock_text(const struct tach_inprocess_stats *s)
{
	if (s->clocks[TACH_CLOCK_WALL] > 0)
		return "wall clock";
	return s->clocks[TACH_CLOCK_CPU] > s->clocks[TACH_CLOCK_PERF] ?
	    "CPU clock, looked at on the kernel's tick" : "exact CPU clock";
}

/* Prints the cost of samples that threads took of themselves. */
static void
show_inside(const struct tach_inprocess_stats *s, enum tach_recorder_mode mode)
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
		warnx("CPU clocks were refused to %" PRIu32 " thread%s, whose "
		    "samples are of wall time", s->clocks[TACH_CLOCK_WALL],
		    s->clocks[TACH_CLOCK_WALL] == 1 ? "" : "s");
}

static uint64_t
due(const struct tach_recorder_stats *s)
{
	return s->rounds + s->missed;
}

/* Whether the samples are of all threads, however these were: only their shares say how
 * the time went. */
static bool
has_all_samples(const struct summary *s)
{
	const struct tach_recorder_options *o = s->recorder;

	return o->mode == TACH_MODE_WALL && !o->drop_idle && !o->main_only &&
	    o->async != TACH_ASYNC_ALL && s->counts->samples > 0;
}

/* Prints that there was no Python, and how the threads were. */
static void
show_plain(const struct summary *s)
{
	const struct sample_counts *c = s->counts;

	if (s->stats->plain < s->stats->samples)
		warnx("%" PRIu64 " of the samples are without Python in the process: "
		    "all their frames are of C", s->stats->plain);
	else if (has_all_samples(s))
		warnx("there is no Python in the process, so all frames are of C; "
		    "of the threads' time %.0f%% was on a CPU, %.0f%% idle",
		    cmd_percent(c->cpu, c->samples),
		    cmd_percent(c->idle, c->samples));
	else
		warnx("there is no Python in the process, so all frames are of C");
}

/* Prints how the threads were. */
static void
show_states(const struct summary *s)
{
	const struct sample_counts *c = s->counts;

	if (s->stats->plain > 0)
		show_plain(s);
	if (has_all_samples(s) && s->stats->plain < s->stats->samples)
		warnx("of the threads' time %.0f%% was on a CPU, %.0f%% with the "
		    "GIL, %.0f%% waiting for the GIL, %.0f%% idle",
		    cmd_percent(c->cpu, c->samples),
		    cmd_percent(c->gil, c->samples),
		    cmd_percent(c->wanted, c->samples),
		    cmd_percent(c->idle, c->samples));
}

/* Prints what to do next.  A round is missed if reading takes too long, so the code
 * that runs then has too few samples, but not too little time.  With all tasks, the
 * samples of a round are of one thread at one time, and only the last one of them
 * has any. */
static void
show_next(const struct summary *s)
{
	const struct tach_recorder_stats *st = s->stats;
	bool many = s->recorder->engine == TACH_ENGINE_REMOTE &&
	    st->missed > due(st) / MISSED_MANY;

	if (many && s->recorder->async == TACH_ASYNC_ALL) {
		warnx("%.0f%% of the rounds were missed: to read all tasks takes "
		    "longer than the interval, so use a lower rate (-r)",
		    cmd_percent(st->missed, due(st)));
		many = false;
	}
	if (many)
		warnx("%.0f%% of the rounds were missed: shares are truer by "
		    "--weight time, which counts the time between samples",
		    cmd_percent(st->missed, due(st)));
	if (s->profile != NULL)
		warnx("next: tach-info %s; tach-convert --collapsed %s%s%s",
		    s->profile, many ? "--weight time " : "",
		    has_all_samples(s) && s->counts->idle > s->counts->samples / 2 ?
			"--idle drop " : "", s->profile);
}

/* Prints a hint if rounds were left out, as those of the family would have taken
 * too much of the CPUs. */
static void
show_spared(const struct summary *s)
{
	double asked = 1e9 / (double)s->recorder->interval_ns;

	if (s->stats->spared > due(s->stats) / SPARED_MANY)
		warnx("the rate was lowered to %.0f Hz on average: rounds of all "
		    "processes at %.0f Hz would take more than a tenth of the "
		    "CPUs", s->rate, asked);
}

/* Prints the numbers of samples that an interrupt could not take. */
static void
show_outside(const struct tach_recorder_stats *st)
{
	if (st->dear > 0)
		warnx("%" PRIu64 " samples were read from outside, as interrupts "
		    "would take the program more than a quarter of its time: "
		    "with a lower -r they do not", st->dear);
	if (st->unfit > 0)
		warnx("%" PRIu64 " samples were read from outside, as their "
		    "stacks are too deep to be copied in an interrupt",
		    st->unfit);
}

/* Lists why stacks with functions of C are not whole.  NULL if out of memory; to be
 * freed. */
static char *
native_causes(const struct tach_recorder_stats *st)
{
	const char *before = "; not whole: ";
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (out == NULL)
		return NULL;
	for (size_t i = 0; i < TACH_NATIVE_FAULTS; i++) {
		const struct tach_native_fault *f = &st->native_faults[i];
		if (f->count == 0)
			break;
		fprintf(out, "%s%" PRIu64 " ", before, f->count);
		print_plain(out, f->cause, strlen(f->cause));
		before = ", ";
	}
	fclose(out);
	return text;
}

/* Prints how many stacks with functions of C are whole, and whether source lines that
 * were asked for are nowhere to be found. */
static void
show_native(const struct summary *s)
{
	const struct tach_recorder_stats *st = s->stats;
	char *causes;

	if (st->native == 0)
		return;
	if (s->recorder->native_lines && st->native_addresses == 0)
		warnx("no source lines of C: no debug information was found, or "
		    "this build lacks libdw");
	causes = native_causes(st);
	warnx("native: %" PRIu64 " stacks, %.1f%% whole%s", st->native,
	    cmd_percent(st->native_whole, st->native), causes != NULL ? causes : "");
	free(causes);
}

/* Prints how many stacks have frames of the kernel. */
static void
show_kernel(const struct tach_recorder_stats *st)
{
	if (st->kernel == 0)
		return;
	warnx("kernel: %" PRIu64 " stacks, %.1f%% in the kernel", st->kernel,
	    cmd_percent(st->kernel_inside, st->kernel));
	if (st->kernel_unknown > 0)
		warnx("kernel: of %" PRIu64 " stacks it is not known whether they were in "
		    "the kernel: these have no frames of it", st->kernel_unknown);
}

/* Prints the numbers of exact waits. */
static void
show_waits(const struct summary *s)
{
	const struct tach_recorder_stats *st = s->stats;

	if (s->recorder->waits != TACH_WAITS_EXACT)
		return;
	if (st->plain > 0 && st->plain == st->samples) {
		warnx("--waits=exact notes no waits of a process without Python");
		return;
	}
	warnx("%" PRIu64 " waits from begin to end, %" PRIu64 " of them without a stack",
	    st->waits, st->waits_bare);
	if (st->waits_open > 0)
		warnx("waits of which the kernel did not tell the end: %" PRIu64,
		    st->waits_open);
	if (st->waits_lost > 0)
		warnx("%" PRIu64 " switches were lost, as too many came at once: a higher "
		    "-r reads them more often", st->waits_lost);
}

void
summary_show(const struct summary *s)
{
	const struct tach_recorder_stats *st = s->stats;
	char bytes[32] = "", processes[48] = "", causes[CAUSES];

	list_causes(st, causes, sizeof(causes));
	if (s->bytes >= 0)
		snprintf(bytes, sizeof(bytes), ", %" PRId64 " bytes", s->bytes);
	if (s->processes > 0)
		snprintf(processes, sizeof(processes), " of %zu process%s",
		    s->processes, s->processes == 1 ? "" : "es");
	warnx("%" PRIu64 " sample%s of %" PRIu32 " thread%s%s in %.2f s at "
	    "%.0f Hz (%" PRIu64 " missed, %" PRIu64 " torn, %" PRIu64
	    " failed%s)%s", st->samples, st->samples == 1 ? "" : "s",
	    st->threads, st->threads == 1 ? "" : "s", processes, s->seconds,
	    s->rate, st->missed, st->torn, st->failed, causes, bytes);
	show_states(s);
	if (s->natives != NULL && st->plain == 0)
		natives_show(s->natives, s->counts, s->seconds);
	if (s->recorder->engine == TACH_ENGINE_INPROCESS)
		show_inside(&st->inprocess, s->recorder->mode);
	if (st->paused_ns > 0)
		warnx("paused for %.2f s, which is a gap in the profile",
		    (double)st->paused_ns / 1e9);
	if (st->compiled > 0)
		warnx("%" PRIu64 " samples in code that Python's JIT compiled: "
		    "their innermost line is the one at which that was entered",
		    st->compiled);
	show_native(s);
	show_kernel(st);
	show_waits(s);
	show_outside(st);
	show_spared(s);
	show_next(s);
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
		warnx("too few descriptors for %" PRIu32 " thread%s, so rounds "
		    "take longer: raise the limit (ulimit -n, it is %" PRIu64
		    ")", s->unkept, s->unkept == 1 ? "" : "s",
		    (uint64_t)files.rlim_max);
}

/* Adds stacks that are not whole to the ones for the same cause, or in place of none. */
static void
add_native_fault(struct tach_recorder_stats *s, const struct tach_native_fault *f)
{
	for (size_t i = 0; i < TACH_NATIVE_FAULTS; i++) {
		struct tach_native_fault *to = &s->native_faults[i];
		if (to->count > 0 && strcmp(to->cause, f->cause) != 0)
			continue;
		memcpy(to->cause, f->cause, sizeof(to->cause));
		to->count += f->count;
		return;
	}
}

static void
add_native(struct tach_recorder_stats *s, const struct tach_recorder_stats *of)
{
	s->native += of->native;
	s->native_whole += of->native_whole;
	for (size_t i = 0; i < TACH_NATIVE_FAULTS; i++)
		if (of->native_faults[i].count > 0)
			add_native_fault(s, &of->native_faults[i]);
}

void
summary_add(struct tach_recorder_stats *s, const struct tach_recorder_stats *of)
{
	s->elapsed_ns += of->elapsed_ns;
	if (of->paused_ns > s->paused_ns)
		s->paused_ns = of->paused_ns; /* all pause at once */
	s->rounds += of->rounds;
	s->missed += of->missed;
	s->spared += of->spared;
	s->samples += of->samples;
	s->torn += of->torn;
	s->interrupted += of->interrupted;
	s->compiled += of->compiled;
	s->failed += of->failed;
	s->unreadable += of->unreadable;
	s->moving += of->moving;
	s->unknown += of->unknown;
	s->strays += of->strays;
	s->unkept += of->unkept;
	s->retries += of->retries;
	s->dear += of->dear;
	s->unfit += of->unfit;
	s->plain += of->plain;
	s->threads += of->threads;
	s->waits += of->waits;
	s->waits_bare += of->waits_bare;
	s->waits_open += of->waits_open;
	s->waits_lost += of->waits_lost;
	s->native_addresses += of->native_addresses;
	s->native_lines += of->native_lines;
	tach_inprocess_add(&s->inprocess, &of->inprocess);
	add_native(s, of);
	s->kernel += of->kernel;
	s->kernel_inside += of->kernel_inside;
	s->kernel_unknown += of->kernel_unknown;
}
