/* SPDX-License-Identifier: ISC */
/* family.c: see family.h. */
#include "family.h"

#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "array.h"
#include "cmd.h"
#include "confine.h"
#include "finisher.h"
#include "giveup.h"
#include "hint.h"
#include "merging.h"
#include "recording.h"
#include "sampler.h"
#include "summary.h"
#include "tempdir.h"

#define LOOK_EVERY 4000000 /* ns, between two looks for new and for ended processes */
#define NS_PER_S UINT64_C(1000000000)
#define PROGRESS_EVERY 0.2  /* s */
#define PATIENCE UINT64_C(5000000000) /* ns that a round may take */
#define LIVE_MAX 256	    /* recorded at once */
#define LIST_MAX 20	    /* processes that the summary names */

/* The thread that has a process.  The main thread has it while it has no Python,
 * the sampler takes its rounds, and the finisher completes its profile. */
enum keeper {
	WITH_US,
	WITH_SAMPLER,
	WITH_FINISHER,
	FINISHED,
};

struct member {
	struct recording r;
	struct tach_recorder *recorder;
	pid_t pid;
	char *path;
	bool first; /* the caller owns its recorder */
	enum keeper keeper;
	bool told_stuck; /* there was a message that its round does not end */
	struct sampled sampled;
	struct finished finished;
	struct tach_recorder_stats stats;
};

struct family {
	const struct family_options *options;
	struct tach_recorder_options recorder;
	struct part part; /* of what is merged */
	char *directory; /* temporary directory of the profiles to merge; NULL: they
			  * lie beside the output */
	struct tach_children *children;
	struct sampler *sampler;
	struct finisher *finisher;
	struct member **members; /* all members, in the order of their start */
	size_t count, max;
	struct member *live[LIVE_MAX]; /* members that are not finished */
	size_t live_count;
	struct member *stuck; /* member whose round does not end; NULL: none */
	uint64_t samples; /* of finished members */
	size_t missed; /* not recorded: too many at once */
	double start;  /* time of the first sample, s; 0: none yet */
	double pause, pauses; /* start of this pause, or 0; length of all pauses
			       * before it; s */
	double seconds;	      /* from the first sample to the end, without pauses */
	int64_t bytes;	      /* of the merged profile; -1: not known */
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

/* ---- names --------------------------------------------------------------- */

/* The path of a process's profile: p.PID.bin for p.bin, and p.PID-n.bin for the
 * n-th process of that number. */
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
	if (f->directory == NULL)
		return name_of(f->options->output, pid, n);
	if (asprintf(&in, "%s/tach.bin", f->directory) < 0)
		return NULL;
	name = name_of(in, pid, n);
	free(in);
	return name;
}

/* ---- a member ------------------------------------------------------------ */

static void
drop_recorder(struct member *m)
{
	if (m->first)
		return; /* the other recorders share its pace and interrupts */
	tach_recorder_free(m->recorder);
	m->recorder = NULL;
}

/* Gives a member whose rounds are over to the finisher. */
static void
finish_member(struct family *f, struct member *m)
{
	m->finished.recording = &m->r;
	m->keeper = WITH_FINISHER;
	finisher_give(f->finisher, &m->finished);
}

static bool
is_sampled(const struct member *m)
{
	return tach_recorder_state(m->recorder) == TACH_RECORDER_SAMPLING;
}

/* Looks for the Python of a member without one.  The sampler takes it over as soon
 * as there are rounds. */
static void
look_for_python(struct family *f, struct member *m)
{
	if (m->sampled.over || (!is_sampled(m) && !recording_step(&m->r))) {
		finish_member(f, m);
	} else if (is_sampled(m)) {
		m->keeper = WITH_SAMPLER;
		sampler_give(f->sampler, &m->sampled);
	}
}

/* Moves a member on, to the next thread that has it.  False: it is finished. */
static bool
look_after(struct family *f, struct member *m)
{
	if (m->keeper == WITH_SAMPLER && handover_is_back(&m->sampled.handover))
		m->keeper = WITH_US;
	if (m->keeper == WITH_US)
		look_for_python(f, m);
	if (m->keeper != WITH_FINISHER ||
	    !handover_is_back(&m->finished.handover))
		return true;
	m->stats = *tach_recorder_stats(m->recorder);
	f->samples += m->stats.samples;
	m->keeper = FINISHED;
	drop_recorder(m);
	return false;
}

static void
member_free(struct member *m)
{
	drop_recorder(m);
	free(m->path);
	free(m);
}

/* NULL: the process has ended, or out of memory. */
static struct tach_recorder *
new_recorder(const struct family *f, pid_t pid)
{
	struct tach_recorder *r = tach_recorder_new(&f->recorder);

	if (r == NULL)
		return NULL;
	tach_recorder_share(r, f->members[0]->recorder);
	if (tach_recorder_follow(r, pid) == TACH_OK)
		return r;
	tach_recorder_free(r);
	return NULL;
}

/* Opens the recording of a member.  A process that has ended meanwhile is no
 * failure. */
static bool
begin_member(struct family *f, struct member *m, struct tach_recorder *told)
{
	m->recorder = told != NULL ? told : new_recorder(f, m->pid);
	m->finished.result = RECORDING_EMPTY;
	if (m->recorder == NULL)
		return false;
	m->finished.result = RECORDING_FAILED;
	if (!recording_open(&m->r, m->recorder, tach_steps_new(m->recorder),
		m->path, f->options->profile))
		return false;
	m->r.needs_samples = true;
	m->r.quiet = f->options->quiet || f->options->merge;
	m->sampled.recording = &m->r;
	m->keeper = WITH_US;
	return true;
}

/* Makes room for one more member.  False: out of memory. */
static bool
grow_members(struct family *f)
{
	struct member **list = array_grow(f->members, f->count, &f->max,
	    sizeof(*list));

	if (list != NULL)
		f->members = list;
	return list != NULL;
}

/* NULL: out of memory. */
static struct member *
new_member(const struct family *f, pid_t pid)
{
	struct member *m = calloc(1, sizeof(*m));

	if (m == NULL || (m->path = path_of(f, pid)) == NULL) {
		free(m);
		return NULL;
	}
	m->pid = pid;
	m->first = f->count == 0;
	m->keeper = FINISHED;
	return m;
}

/* Adds a process.  A recorder that is given becomes the member's.  False: there is
 * no room for another member. */
static bool
add_member(struct family *f, pid_t pid, struct tach_recorder *told)
{
	struct member *m;

	if (f->live_count >= LIVE_MAX || !grow_members(f) ||
	    (m = new_member(f, pid)) == NULL)
		return false;
	f->members[f->count++] = m;
	if (begin_member(f, m, told))
		f->live[f->live_count++] = m;
	else
		drop_recorder(m);
	return true;
}

/* ---- all members --------------------------------------------------------- */

/* Whether a process of this number is being recorded. */
static bool
is_recorded(const struct family *f, pid_t pid)
{
	for (size_t i = 0; i < f->live_count; i++)
		if (f->live[i]->pid == pid &&
		    f->live[i]->keeper != WITH_FINISHER)
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
		if (!add_member(f, tach_recorder_pid(fork), fork)) {
			tach_recorder_free(fork);
			f->missed++;
		}
	while ((rc = tach_children_next(f->children, &pid)) != TACH_END) {
		if (rc == TACH_WARN)
			warnx("%s", children_hinted(f->children, pid));
		else if (!is_recorded(f, pid) && !add_member(f, pid, NULL))
			f->missed++;
	}
}

static void
look_after_all(struct family *f)
{
	size_t kept = 0;

	for (size_t i = 0; i < f->live_count; i++) {
		struct member *m = f->live[i];
		if (look_after(f, m))
			f->live[kept++] = m;
	}
	f->live_count = kept;
}

/* Reaps orphans, which become children of this process, and the command once it is
 * recorded.  Returns whether the command has been reaped. */
static bool
reap(struct family *f, bool ended)
{
	const struct member *first = f->members[0];
	siginfo_t si = {0};

	while (waitid(P_ALL, 0, &si, WEXITED | WNOHANG | WNOWAIT |
		   __WNOTHREAD) == 0 && si.si_pid != 0) {
		if (ended || si.si_pid != first->pid) {
			waitpid(si.si_pid, NULL, WNOHANG | __WNOTHREAD);
		} else if (first->keeper == FINISHED) {
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
	uint64_t n = f->samples;

	for (size_t i = 0; i < f->live_count; i++)
		n += f->live[i]->sampled.samples;
	return n;
}

/* Seconds of recording, without pauses. */
static double
elapsed(const struct family *f, double now)
{
	return f->start == 0 ? 0 :
	    (f->pause != 0 ? f->pause : now) - f->start - f->pauses;
}

static void
show_family_progress(const struct family *f)
{
	static double next;
	double now = recording_clock();

	if (now < next)
		return;
	next = now + PROGRESS_EVERY;
	fprintf(stderr, "\r\033[K%.1f s, %" PRIu64 " samples, %zu process%s%s",
	    elapsed(f, now), samples_of(f), f->live_count,
	    f->live_count == 1 ? "" : "es", f->pause != 0 ? ", paused" : "");
}

/* Passes a request to pause, or to go on, to all members. */
static void
heed_pause(struct family *f)
{
	double now = recording_clock();

	for (size_t i = 0; i < f->live_count; i++)
		tach_recorder_pause(f->live[i]->recorder, paused);
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
		f->pause == 0 && elapsed(f, now) >= duration))
		return true;
	return ended && f->live_count == 0 && !tach_children_young(f->children);
}

/* Sleeps until the next look for new processes, or until a member with the main
 * thread is due. */
static void
rest(const struct family *f)
{
	struct timespec t;
	uint64_t due;

	clock_gettime(CLOCK_MONOTONIC, &t);
	due = (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec + LOOK_EVERY;
	for (size_t i = 0; i < f->live_count; i++) {
		const struct member *m = f->live[i];
		uint64_t its = m->keeper == WITH_US ?
		    tach_recorder_due(m->recorder) : due;
		due = its < due ? its : due;
	}
	t = (struct timespec){(time_t)(due / NS_PER_S), (long)(due % NS_PER_S)};
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
	giveup_beat();
}

/* ---- rounds that do not end ---------------------------------------------- */

/* The member that the sampler names; NULL: none. */
static struct member *
member_of(const struct family *f, const struct sampled *s)
{
	for (size_t i = 0; i < f->live_count; i++)
		if (&f->live[i]->sampled == s)
			return f->live[i];
	return NULL;
}

static void
tell_stuck(const struct family *f)
{
	struct member *m = member_of(f, sampler_stuck(f->sampler, PATIENCE));

	if (m == NULL || m->told_stuck)
		return;
	m->told_stuck = true;
	warnx("process %d: a read of its memory does not end (userfaultfd, FUSE "
	    "or a server that does not answer); no process is sampled until "
	    "this read or this process ends", (int)m->pid);
}

/* Saves the members that the sampler has not given back, except for the member
 * whose round does not end. */
static void
save_others(struct family *f)
{
	struct sampled *stuck = sampler_free(f->sampler);

	f->sampler = NULL;
	for (size_t i = 0; i < f->live_count; i++) {
		struct member *m = f->live[i];
		if (m->keeper == WITH_SAMPLER && &m->sampled != stuck)
			finish_member(f, m);
	}
	if ((f->stuck = member_of(f, stuck)) != NULL)
		warnx("process %d: a read of its memory does not end; the "
		    "recording until then is in %s%s", (int)f->stuck->pid,
		    f->stuck->path, TACH_PART_SUFFIX);
}

/* ---- the end ------------------------------------------------------------- */

static bool
has_rounds(const struct family *f)
{
	for (size_t i = 0; i < f->live_count; i++)
		if (f->live[i]->keeper <= WITH_SAMPLER)
			return true;
	return false;
}

static void
finish_all(struct family *f)
{
	while (look_after_all(f), f->live_count > (f->stuck != NULL))
		rest(f);
}

static void
stop_all(struct family *f)
{
	double end = recording_clock() + (double)PATIENCE / 1e9;

	giveup_start();
	for (size_t i = 0; i < f->live_count; i++)
		tach_recorder_stop(f->live[i]->recorder);
	while (look_after_all(f), has_rounds(f) && recording_clock() < end)
		rest(f);
	save_others(f);
	giveup_stop();
	finish_all(f);
	finisher_free(f->finisher);
	f->finisher = NULL;
}

static void
watch(struct family *f)
{
	bool progress = !f->options->quiet && isatty(STDERR_FILENO);
	bool ended = false;

	do {
		rest(f);
		find_new(f);
		look_after_all(f);
		heed_pause(f);
		if (f->options->command)
			ended = reap(f, ended);
		else
			ended = f->members[0]->keeper == FINISHED;
		tell_stuck(f);
		if (progress)
			show_family_progress(f);
	} while (!is_over(f, ended));
	f->seconds = elapsed(f, recording_clock());
	stop_all(f);
	if (progress)
		fprintf(stderr, "\r\033[K");
}

/* ---- the result ---------------------------------------------------------- */

static size_t
count_results(const struct family *f, enum recording_result result)
{
	size_t n = 0;

	for (size_t i = 0; i < f->count; i++)
		n += f->members[i]->finished.result == result;
	return n;
}

static bool
is_inside(const struct family *f)
{
	return f->recorder.engine == TACH_ENGINE_INPROCESS;
}

/* The sums of all members, which have ended. */
static struct tach_recorder_stats
stats_of(const struct family *f)
{
	struct tach_recorder_stats all = {
	    .inprocess.size = sizeof(all.inprocess)};

	for (size_t i = 0; i < f->count; i++)
		summary_add(&all, &f->members[i]->stats);
	return all;
}

/* The counts of all members. */
static struct sample_counts
counts_of(const struct family *f)
{
	struct sample_counts all = {0};

	for (size_t i = 0; i < f->count; i++)
		if (f->members[i]->finished.result == RECORDING_OK)
			counts_add(&all, &f->members[i]->r.counts);
	return all;
}

static void
show_member(const struct member *m)
{
	warnx("%s: %" PRIu64 " sample%s of %" PRIu32 " thread%s in %.2f s, "
	    "%" PRIu64 " bytes", m->path, m->stats.samples,
	    m->stats.samples == 1 ? "" : "s", m->stats.threads,
	    m->stats.threads == 1 ? "" : "s",
	    (double)m->stats.elapsed_ns / 1e9, m->finished.bytes);
}

static void
show_members(const struct family *f)
{
	size_t shown = 0;

	for (size_t i = 0; i < f->count; i++)
		if (f->members[i]->finished.result == RECORDING_OK &&
		    shown++ < LIST_MAX)
			show_member(f->members[i]);
	if (shown > LIST_MAX)
		warnx("and %zu more profiles", shown - LIST_MAX);
}

/* The size of all profiles, or -1 if it is not known. */
static int64_t
bytes_of(const struct family *f)
{
	int64_t all = 0;

	if (f->options->merge)
		return f->bytes;
	for (size_t i = 0; i < f->count; i++)
		if (f->members[i]->finished.result == RECORDING_OK)
			all += (int64_t)f->members[i]->finished.bytes;
	return all;
}

static void
show_family_summary(const struct family *f, bool merged)
{
	struct tach_recorder_stats all = stats_of(f);
	struct sample_counts counts = counts_of(f);
	struct summary s = {.stats = &all, .counts = &counts,
	    .processes = count_results(f, RECORDING_OK),
	    .seconds = f->seconds, .rate = recording_rate(&all),
	    .bytes = bytes_of(f), .recorder = &f->recorder,
	    .profile = merged && f->part.copy_to < 0 ? f->part.name : NULL};

	if (!f->options->merge)
		show_members(f);
	summary_show(&s);
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

/* ---- merging ------------------------------------------------------------- */

/* Closes all descriptors except for the standard streams and the output: a recorder
 * has targets, BPF maps and other files open. */
static void
close_others(int output)
{
	const int first = STDERR_FILENO + 1;

	if (output > first)
		syscall(SYS_close_range, first, output - 1, 0);
	syscall(SYS_close_range, output < first ? first : output + 1, ~0U, 0);
}

/* Merges in a process of its own, which can be confined, and which merging ends if
 * it fails.  The output is open, and gets its name from the parent. */
static noreturn void
merge_all(const struct family *f)
{
	struct tach_recorder_stats all = stats_of(f);
	struct merging m = {.clock = true, .quiet = f->options->quiet};

	if (is_inside(f) &&
	    (m.sum = tach_inprocess_note(&all.inprocess)) == NULL)
		err(CMD_FAILED, NULL);
	for (size_t i = 0; i < f->count; i++)
		if (f->members[i]->finished.result == RECORDING_OK)
			merging_add(&m, f->members[i]->path);
	close_others(f->part.fd);
	confine(NULL, 0);
	merging_open(&m);
	_exit(merging_write(&m, f->part.fd, f->part.name,
	    &f->options->profile->writer));
}

static void
remove_merged(const struct family *f)
{
	for (size_t i = 0; i < f->count; i++)
		if (f->members[i]->finished.result == RECORDING_OK)
			unlink(f->members[i]->path);
}

static bool
merge_members(struct family *f)
{
	int status = CMD_FAILED;
	pid_t pid = fork();
	struct stat st;

	if (pid == 0)
		merge_all(f);
	if (pid < 0)
		warn("cannot merge");
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	if (fstat(f->part.fd, &st) != 0 || !S_ISREG(st.st_mode))
		st.st_size = -1;
	if (status == 0 && part_commit(&f->part)) {
		f->bytes = st.st_size;
		remove_merged(f);
		return true;
	}
	if (status == 0)
		warn("%s: cannot write", f->part.name);
	warnx("the profiles of the processes are kept: tach-merge --align "
	    "clock makes one of them");
	return false;
}

/* ---- the family ---------------------------------------------------------- */

static bool
open_output(struct family *f)
{
	int fd;

	if (!f->options->merge)
		return part_check(f->options->output);
	if (!part_open(&f->part, f->options->output, false))
		return false;
	if (f->part.copy_to < 0)
		return true;
	if ((fd = tempdir_make("tach", &f->directory)) < 0) {
		warn("cannot make a temporary directory");
		return false;
	}
	close(fd);
	return true;
}

static void
family_free(struct family *f)
{
	for (size_t i = 0; i < f->count; i++)
		member_free(f->members[i]);
	free(f->members);
	tach_children_free(f->children);
	sampler_free(f->sampler);
	finisher_free(f->finisher);
	if (f->options->merge)
		part_close(&f->part);
	if (f->directory != NULL)
		rmdir(f->directory);
	free(f->directory);
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
	f->bytes = -1;
	f->recorder = *options->recorder;
	f->recorder.duration_ns = 0; /* the family's own duration counts */
	/* Processes that lose their parent become our children.  So the family
	 * keeps a daemon that forks twice, and Yama lets us read it. */
	if (options->command)
		prctl(PR_SET_CHILD_SUBREAPER, 1UL, 0UL, 0UL, 0UL);
	if (open_output(f))
		return f;
	family_free(f);
	return NULL;
}

static enum family_result
finish_family(struct family *f)
{
	bool ok = count_results(f, RECORDING_FAILED) == 0;
	struct tach_recorder_stats all = stats_of(f);
	bool merged;

	tell_missed(f);
	summary_refused(&all.inprocess);
	summary_strays(&all);
	summary_files(&all);
	if (count_results(f, RECORDING_OK) == 0)
		return !ok ? FAMILY_FAILED :
		    all.rounds > 0 ? FAMILY_UNSAMPLED : FAMILY_EMPTY;
	merged = f->options->merge && merge_members(f);
	if (!f->options->quiet)
		show_family_summary(f, merged);
	ok = ok && merged == f->options->merge;
	return ok ? FAMILY_OK : FAMILY_FAILED;
}

enum family_result
family_record(struct family *f, struct tach_recorder *first)
{
	enum family_result result = FAMILY_FAILED;
	pid_t pid = tach_recorder_pid(first);

	f->children = tach_children_new(f->options->command ? getpid() : pid,
	    f->options->recorder->pre_release);
	f->sampler = sampler_new();
	f->finisher = finisher_new();
	if (f->children == NULL || f->sampler == NULL || f->finisher == NULL ||
	    !add_member(f, pid, first)) {
		warn("cannot record");
	} else {
		watch(f);
		result = finish_family(f);
	}
	if (f->stuck != NULL)
		return FAMILY_STUCK;
	family_free(f);
	return result;
}
