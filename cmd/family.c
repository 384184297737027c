/* SPDX-License-Identifier: ISC */
/* family.c: see family.h. */
#include "family.h"

#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cmd.h"
#include "confine.h"
#include "merging.h"
#include "recording.h"
#include "summary.h"

#define LOOK_EVERY 4000000L /* ns: for new processes, and for ended ones */
#define PROGRESS_EVERY 0.2  /* s */
#define LIVE_MAX 256	    /* recorded at once */
#define LIST_MAX 20	    /* processes that the summary names */

struct member {
	struct recording r;
	struct tach_recorder *recorder;
	const struct family *family;
	pid_t pid;
	char *path;
	bool first; /* its recorder was started by others, and is theirs */
	bool told;  /* its recorder knows whom to follow */
	bool joined;
	pthread_t thread;
	atomic_bool over; /* what follows is complete */
	atomic_uint_fast64_t samples;
	enum recording_result result;
	uint64_t bytes;
	struct tach_recorder_stats stats;
};

struct family {
	const struct family_options *options;
	struct tach_recorder_options recorder;
	struct part part; /* of what is merged */
	char *folder; /* temporary, of what is merged; NULL: beside it */
	struct tach_children *children;
	struct member **members;
	size_t count, max, live;
	size_t missed; /* not recorded: too many at once */
	double start;  /* of the first sample; 0: there is none */
	double pause, pauses; /* since when; and how long the others were, s */
};

static volatile sig_atomic_t stopped, paused;

void
family_stop(void)
{
	stopped = 1;
}

void
family_pause(bool pause)
{
	paused = pause;
}

/* ---- names ------------------------------------------------------------- */

/* p.bin: p.PID.bin; for the n-th process of that number p.PID-n.bin. */
static char *
name_of(const char *output, pid_t pid, int n)
{
	const char *slash = strrchr(output, '/');
	const char *base = slash != NULL ? slash + 1 : output;
	const char *dot = strrchr(base, '.');
	size_t stem = dot != NULL && dot != base ? (size_t)(dot - output) :
	    strlen(output);
	char again[16] = "", *name;

	if (n > 1)
		snprintf(again, sizeof(again), "-%d", n);
	if (asprintf(&name, "%.*s.%d%s%s", (int)stem, output, (int)pid, again,
		output + stem) < 0)
		return NULL;
	return name;
}

static char *
path_of(const struct family *f, pid_t pid)
{
	char *in, *name;
	int n = 1;

	for (size_t i = 0; i < f->count; i++)
		n += f->members[i]->pid == pid;
	if (f->folder == NULL)
		return name_of(f->options->output, pid, n);
	if (asprintf(&in, "%s/tach.bin", f->folder) < 0)
		return NULL;
	name = name_of(in, pid, n);
	free(in);
	return name;
}

/* ---- one of them ------------------------------------------------------- */

static void
note_progress(const struct recording *r, bool over)
{
	struct member *m = (struct member *)(uintptr_t)r;

	(void)over;
	m->samples = tach_recorder_stats(r->recorder)->samples;
}

static enum recording_result
run(struct member *m)
{
	const struct tach_recorder_stats *s = tach_recorder_stats(m->recorder);
	enum recording_result result;

	if (!m->told && tach_recorder_follow(m->recorder, m->pid) != TACH_OK)
		return RECORDING_EMPTY;
	if (!recording_open(&m->r, m->recorder, m->path,
		m->family->options->writer))
		return RECORDING_FAILED;
	m->r.progress = note_progress;
	m->r.needs_samples = true;
	result = recording_run(&m->r);
	m->bytes = tach_writer_bytes(m->r.writer);
	m->stats = *s;
	recording_close(&m->r);
	return result;
}

static void *
run_member(void *arg)
{
	struct member *m = arg;

	m->result = run(m);
	m->over = true;
	return NULL;
}

/* Signals are for the thread that looks for new ones. */
static bool
start(struct member *m)
{
	sigset_t all, old;
	int e;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	e = pthread_create(&m->thread, NULL, run_member, m);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return e == 0;
}

static void
member_free(struct member *m)
{
	if (!m->first)
		tach_recorder_free(m->recorder);
	free(m->path);
	free(m);
}

/* One that is to be told whom to follow. */
static struct tach_recorder *
new_recorder(const struct family *f)
{
	struct tach_recorder *r = tach_recorder_new(&f->recorder);

	if (r != NULL)
		tach_recorder_share(r, f->members[0]->recorder);
	return r;
}

static struct member *
member_new(const struct family *f, pid_t pid, struct tach_recorder *told)
{
	struct member *m = calloc(1, sizeof(*m));

	if (m == NULL)
		return NULL;
	m->family = f;
	m->pid = pid;
	m->first = f->count == 0;
	m->told = told != NULL;
	m->recorder = told != NULL ? told : new_recorder(f);
	m->path = path_of(f, pid);
	if (m->recorder != NULL && m->path != NULL)
		return m;
	m->recorder = told != NULL ? NULL : m->recorder;
	member_free(m);
	return NULL;
}

/* A recorder that was told is its, once there is room for it; false: there is
 * none. */
static bool
add(struct family *f, pid_t pid, struct tach_recorder *told)
{
	struct member *m;

	if (f->live >= LIVE_MAX)
		return false;
	if (f->count == f->max) {
		size_t max = f->max * 2 + 16;
		struct member **list = reallocarray(f->members, max,
		    sizeof(*list));
		if (list == NULL)
			return false;
		f->members = list;
		f->max = max;
	}
	if ((m = member_new(f, pid, told)) == NULL)
		return false;
	if (!start(m)) {
		m->recorder = told != NULL ? NULL : m->recorder;
		member_free(m);
		return false;
	}
	f->members[f->count++] = m;
	f->live++;
	return true;
}

static void
join(struct family *f, struct member *m)
{
	pthread_join(m->thread, NULL);
	m->joined = true;
	f->live--;
	if (m->first)
		return;
	tach_recorder_free(m->recorder);
	m->recorder = NULL;
}

/* ---- all of them ------------------------------------------------------- */

/* The one that has this number and is being recorded, by whatever name. */
static bool
is_recorded(const struct family *f, pid_t pid)
{
	for (size_t i = 0; i < f->count; i++)
		if (f->members[i]->pid == pid && !f->members[i]->over)
			return true;
	return false;
}

static void
find_new(struct family *f)
{
	struct tach_recorder *fork;
	pid_t pid;
	int rc;

	while ((fork = tach_recorder_fork(f->members[0]->recorder)) != NULL)
		if (!add(f, tach_recorder_pid(fork), fork)) {
			tach_recorder_free(fork);
			f->missed++;
		}
	while ((rc = tach_children_next(f->children, &pid)) != TACH_END) {
		if (rc == TACH_WARN)
			warnx("%s", tach_children_error(f->children));
		else if (!is_recorded(f, pid) && !add(f, pid, NULL))
			f->missed++;
	}
}

static void
join_ended(struct family *f)
{
	for (size_t i = 0; i < f->count; i++)
		if (!f->members[i]->joined && f->members[i]->over)
			join(f, f->members[i]);
}

/* Orphans are ours to reap; the command is, once it is recorded. */
static bool
reap(struct family *f, bool ended)
{
	const struct member *first = f->members[0];
	siginfo_t si = {0};

	while (waitid(P_ALL, 0, &si, WEXITED | WNOHANG | WNOWAIT |
		   __WNOTHREAD) == 0 && si.si_pid != 0) {
		if (ended || si.si_pid != first->pid) {
			waitpid(si.si_pid, NULL, WNOHANG | __WNOTHREAD);
		} else if (first->joined) {
			f->options->reap();
			ended = true;
		} else {
			break;
		}
		si.si_pid = 0;
	}
	return ended;
}

static uint64_t
samples_of(const struct family *f)
{
	uint64_t n = 0;

	for (size_t i = 0; i < f->count; i++)
		n += f->members[i]->samples;
	return n;
}

static void
show_progress(const struct family *f)
{
	static double next;
	double now = recording_clock();

	if (now < next)
		return;
	next = now + PROGRESS_EVERY;
	fprintf(stderr, "\r\033[K%.1f s, %" PRIu64 " samples, %zu process%s%s",
	    f->start > 0 ? (f->pause != 0 ? f->pause : now) - f->start -
	    f->pauses : 0, samples_of(f), f->live,
	    f->live == 1 ? "" : "es", f->pause != 0 ? ", paused" : "");
}

/* Passes on whether they are to pause. */
static void
heed_pause(struct family *f)
{
	double now = recording_clock();

	for (size_t i = 0; i < f->count; i++)
		if (!f->members[i]->joined)
			tach_recorder_pause(f->members[i]->recorder, paused);
	if (paused && f->pause == 0) {
		f->pause = now;
	} else if (!paused && f->pause != 0) {
		f->pauses += now - f->pause;
		f->pause = 0;
	}
}

static bool
is_over(struct family *f, bool ended)
{
	double duration = (double)f->options->recorder->duration_ns / 1e9;
	double now = recording_clock();

	if (f->start == 0 && samples_of(f) > 0)
		f->start = now;
	if (stopped || (duration > 0 && f->start > 0 &&
		f->pause == 0 && now >= f->start + f->pauses + duration))
		return true;
	return ended && f->live == 0 && !tach_children_young(f->children);
}

static void
watch(struct family *f)
{
	const struct timespec pause = {0, LOOK_EVERY};
	bool progress = !f->options->quiet && isatty(STDERR_FILENO);
	bool ended = false;

	do {
		clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
		find_new(f);
		join_ended(f);
		heed_pause(f);
		if (f->options->command)
			ended = reap(f, ended);
		else
			ended = f->members[0]->joined;
		if (progress)
			show_progress(f);
	} while (!is_over(f, ended));
	for (size_t i = 0; i < f->count; i++)
		if (!f->members[i]->joined)
			tach_recorder_stop(f->members[i]->recorder);
	for (size_t i = 0; i < f->count; i++)
		if (!f->members[i]->joined)
			join(f, f->members[i]);
	if (progress)
		fprintf(stderr, "\r\033[K");
}

/* ---- what came of it --------------------------------------------------- */

static size_t
count_results(const struct family *f, enum recording_result result)
{
	size_t n = 0;

	for (size_t i = 0; i < f->count; i++)
		n += f->members[i]->result == result;
	return n;
}

static bool
is_inside(const struct family *f)
{
	return f->recorder.engine == TACH_ENGINE_INPROCESS;
}

/* Of all of them, which have ended. */
static struct tach_recorder_stats
stats_of(const struct family *f)
{
	struct tach_recorder_stats all = {0};

	for (size_t i = 0; i < f->count; i++)
		summary_add(&all, &f->members[i]->stats);
	return all;
}

static void
show_member(const struct member *m)
{
	warnx("%s: %" PRIu64 " sample%s of %" PRIu32 " thread%s in %.2f s, "
	    "%" PRIu64 " bytes", m->path, (uint64_t)m->samples,
	    m->samples == 1 ? "" : "s", m->stats.threads,
	    m->stats.threads == 1 ? "" : "s",
	    (double)m->stats.elapsed_ns / 1e9, m->bytes);
}

static void
show_summary(const struct family *f)
{
	struct tach_recorder_stats all = stats_of(f);
	size_t n = count_results(f, RECORDING_OK), shown = 0;
	char causes[SUMMARY_CAUSES];

	for (size_t i = 0; i < f->count; i++) {
		const struct member *m = f->members[i];
		if (m->result == RECORDING_OK && !f->options->merge &&
		    shown++ < LIST_MAX)
			show_member(m);
	}
	if (shown > LIST_MAX)
		warnx("and %zu more profiles", shown - LIST_MAX);
	summary_causes(&all, causes, sizeof(causes));
	warnx("%" PRIu64 " sample%s of %zu process%s, %" PRIu64 " failed%s",
	    all.samples, all.samples == 1 ? "" : "s", n, n == 1 ? "" : "es",
	    all.failed, causes);
	if (is_inside(f))
		summary_inside(&all.inprocess, f->recorder.mode);
}

static void
tell_missed(const struct family *f)
{
	uint64_t unseen = tach_children_missed(f->children);

	if (f->missed > 0)
		warnx("%zu processes were not recorded: more than %d at once",
		    f->missed, LIVE_MAX);
	if (unseen > 0)
		warnx("%" PRIu64 " processes were not looked at: there were "
		    "too many at once", unseen);
}

/* ---- merging ----------------------------------------------------------- */

/* Closes all but the standard streams and the output: targets, BPF maps and
 * other files that a recorder has open. */
static void
close_others(int output)
{
	const int first = STDERR_FILENO + 1;

	if (output > first)
		syscall(SYS_close_range, first, output - 1, 0);
	syscall(SYS_close_range, output < first ? first : output + 1, ~0U, 0);
}

/* Runs in a process of its own: merging exits when it fails, and can then be
 * confined.  The output is open, and has its name from the parent. */
static noreturn void
merge_all(const struct family *f)
{
	struct tach_recorder_stats all = stats_of(f);
	struct merging m = {.clock = true};

	if (is_inside(f) &&
	    (m.sum = tach_inprocess_note(&all.inprocess)) == NULL)
		err(CMD_FAILED, NULL);
	for (size_t i = 0; i < f->count; i++)
		if (f->members[i]->result == RECORDING_OK)
			merging_add(&m, f->members[i]->path);
	close_others(f->part.fd);
	confine(NULL, 0);
	merging_open(&m);
	_exit(merging_write(&m, f->part.fd, f->part.name, f->options->writer));
}

static void
remove_merged(const struct family *f)
{
	for (size_t i = 0; i < f->count; i++)
		if (f->members[i]->result == RECORDING_OK)
			unlink(f->members[i]->path);
}

static bool
merge(struct family *f)
{
	int status = CMD_FAILED;
	pid_t pid = fork();

	if (pid == 0)
		merge_all(f);
	if (pid < 0)
		warn("cannot merge");
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	if (status == 0 && part_commit(&f->part)) {
		remove_merged(f);
		return true;
	}
	if (status == 0)
		warn("%s: cannot write", f->part.name);
	warnx("the profiles of the processes are kept: tach-merge --align "
	    "clock makes one of them");
	return false;
}

/* ---- the family -------------------------------------------------------- */

static bool
open_output(struct family *f)
{
	const char *tmp = getenv("TMPDIR");

	if (!f->options->merge)
		return part_check(f->options->output);
	if (!part_open(&f->part, f->options->output, false))
		return false;
	if (f->part.copy_to < 0)
		return true;
	if (asprintf(&f->folder, "%s/tach.XXXXXX",
		tmp != NULL && *tmp != '\0' ? tmp : "/tmp") < 0)
		f->folder = NULL;
	if (f->folder != NULL && mkdtemp(f->folder) != NULL)
		return true;
	warn("no temporary folder");
	return false;
}

static void
family_free(struct family *f)
{
	for (size_t i = 0; i < f->count; i++)
		member_free(f->members[i]);
	free(f->members);
	tach_children_free(f->children);
	if (f->options->merge)
		part_close(&f->part);
	if (f->folder != NULL)
		rmdir(f->folder);
	free(f->folder);
	free(f);
}

struct family *
family_open(const struct family_options *options)
{
	struct family *f = calloc(1, sizeof(*f));

	if (f == NULL) {
		warn(NULL);
		return NULL;
	}
	f->options = options;
	f->recorder = *options->recorder;
	f->recorder.duration_ns = 0; /* that of all counts */
	/* What loses its parent comes to us, so that nothing is lost that a
	 * daemon forks twice, and so that we may read it under Yama. */
	if (options->command)
		prctl(PR_SET_CHILD_SUBREAPER, 1UL, 0UL, 0UL, 0UL);
	if (open_output(f))
		return f;
	family_free(f);
	return NULL;
}

static enum family_result
finish(struct family *f)
{
	bool ok = count_results(f, RECORDING_FAILED) == 0;
	struct tach_recorder_stats all = stats_of(f);

	tell_missed(f);
	summary_refused(&all.inprocess);
	summary_strays(&all);
	summary_files(&all);
	if (count_results(f, RECORDING_OK) == 0)
		return ok ? FAMILY_EMPTY : FAMILY_FAILED;
	if (f->options->merge && !merge(f))
		ok = false;
	if (!f->options->quiet)
		show_summary(f);
	return ok ? FAMILY_OK : FAMILY_FAILED;
}

enum family_result
family_record(struct family *f, struct tach_recorder *first)
{
	enum family_result result = FAMILY_FAILED;
	pid_t pid = tach_recorder_pid(first);

	f->children = tach_children_new(f->options->command ? getpid() : pid);
	if (f->children == NULL || !add(f, pid, first)) {
		warn("cannot record");
	} else {
		watch(f);
		result = finish(f);
	}
	family_free(f);
	return result;
}
