/* SPDX-License-Identifier: ISC */
/*
 * recorder.c: a running Python as a source; see tach-record.h.  It starts or opens a
 * target, sleeps until an engine's step is due, and notices when the target ends or
 * becomes another program.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/engine.h"
#include "engine/locate/find.h"
#include "engine/lines/late_lines.h"
#include "engine/os/os.h"
#include "engine/sched/caller.h"
#include "engine/sched/realtime.h"
#include "engine/target/target.h"
#include "error.h"
#include "options.h"
#include "tach-record.h"

/* Time in which a process must show its Python when a recorder attaches to it. */
#define ATTACH_PATIENCE NS_PER_S

struct tach_recorder {
	struct target target;
	struct engine *engine; /* of the target, now: one of these */
	struct engine *of_python, *plain; /* plain: NULL if it is not wanted */
	struct caller caller;
	/* The rounds are over, but threads that have yet to stop are waited for
	 * until `leaving` (ns; 0: the rounds are not over).  The result is returned
	 * then; after TACH_OK a Python is looked for again. */
	uint64_t leaving;
	int result;
};

/* ---- life -------------------------------------------------------------- */

static struct engine *
engine_new(struct target *t)
{
	return t->options.engine == TACH_ENGINE_INPROCESS ?
	    inprocess_engine_new(t) : remote_engine_new(t);
}

/* Makes the engines.  False if out of memory. */
static bool
make_engines(struct tach_recorder *r)
{
	struct target *t = &r->target;
	bool plain = t->options.plain && t->options.engine == TACH_ENGINE_REMOTE;

	r->engine = r->of_python = engine_new(t);
	return r->engine != NULL &&
	    (!plain || (r->plain = plain_engine_new(t)) != NULL);
}

/* Makes what gathers source lines, if these are wanted.  False if out of memory. */
static bool
make_lines(struct target *t)
{
	if (!t->options.native_lines)
		return true;
	t->lines = late_lines_new(t->table);
	return t->lines != NULL;
}

/* Whether there is an interval, and no value that there is not. */
static bool
options_good(const struct tach_recorder_options *o)
{
	return o->interval_ns != 0 &&
	    (unsigned)o->engine <= TACH_ENGINE_INPROCESS &&
	    (unsigned)o->mode <= TACH_MODE_EXCEPTION &&
	    (unsigned)o->async <= TACH_ASYNC_ALL &&
	    (unsigned)o->waits <= TACH_WAITS_EXACT;
}

struct tach_recorder *
tach_recorder_new(const struct tach_recorder_options *o)
{
	struct tach_recorder_options options;
	struct tach_recorder *r;

	if (!options_take(&options, sizeof(options), o) ||
	    !options_good(&options)) {
		errno = EINVAL;
		return NULL;
	}
	if ((r = calloc(1, sizeof(*r))) == NULL)
		return NULL;
	if (target_init(&r->target, &options) && make_lines(&r->target) &&
	    make_engines(r))
		return r;
	tach_recorder_free(r);
	return NULL;
}

void
tach_recorder_free(struct tach_recorder *r)
{
	struct target *t;

	if (r == NULL)
		return;
	t = &r->target;
	if (r->plain != NULL)
		r->plain->ops->free(r->plain);
	if (r->of_python != NULL)
		r->of_python->ops->free(r->of_python);
	pace_leave(t->pace, &t->mark);
	caller_drop(&r->caller);
	late_lines_free(t->lines);
	target_free(t);
	free(r);
}

/* Prepares the recorder's own process: sharp timers, a descriptor for each thread
 * and all that the engine needs.  To be called after a command is started, which
 * would inherit them.  TACH_FATAL if the engine cannot start. */
static int
prepare_self(struct tach_recorder *r)
{
	int result;

	caller_hold(&r->caller);
	result = r->engine->ops->start(r->engine);
	realtime_prepare();
	return result;
}

static void
start_waiting(struct tach_recorder *r)
{
	r->engine->ops->leave(r->engine);
	target_wait(&r->target);
}

/* Makes the part of the engine that has to be there before the process is sampled.
 * False, with the error, if it cannot be had. */
static bool
prepare_engine(struct tach_recorder *r, struct launch *l)
{
	const struct engine_ops *ops = r->engine->ops;

	return ops->prepare == NULL || ops->prepare(r->engine, l);
}

int
tach_recorder_launch(struct tach_recorder *r, char *const argv[], int stdout_fd)
{
	struct target *t = &r->target;
	struct launch l = {.stdout_fd = stdout_fd, .stopped = &t->stopped,
	    .kept_fd = -1};
	int result;

	if (!prepare_engine(r, &l)) {
		errno = EAGAIN;
		return TACH_FATAL;
	}
	if (!process_launch(&t->process, argv, &l)) {
		int saved = errno;
		error_set(&t->error, error_code(saved), "%s: %s", argv[0],
		    strerror(saved));
		errno = saved;
		return TACH_FATAL;
	}
	result = prepare_self(r);
	start_waiting(r);
	if (result == TACH_OK)
		return TACH_OK;
	process_abandon(&t->process);
	errno = ENOMEM;
	return TACH_FATAL;
}

/* ---- finding ----------------------------------------------------------- */

/* Sets the error that says why there is no process of this number. */
static int
no_process(struct target *t, pid_t pid, int error)
{
	const struct process of = {.pid = process_of_thread(pid), .pidfd = -1};
	char name[64];

	if (of.pid == 0 || of.pid == pid)
		return error_set(&t->error, error_code(error), "%s: %d",
		    error == ESRCH ? "no such process" : strerror(error),
		    (int)pid);
	process_name(&of, name, sizeof(name));
	return error_set(&t->error, TACH_EUSE, "%d is a thread of process %d "
	    "(%s): give the PID %d", (int)pid, (int)of.pid, name, (int)of.pid);
}

int
tach_recorder_follow(struct tach_recorder *r, pid_t pid)
{
	int result;

	if (!process_open(&r->target.process, pid))
		return no_process(&r->target, pid, errno);
	result = prepare_self(r);
	start_waiting(r);
	return result;
}

void
tach_recorder_share(struct tach_recorder *r, const struct tach_recorder *first)
{
	if (r->engine->ops == first->engine->ops)
		r->engine->ops->share(r->engine, first->engine);
	pace_drop(r->target.pace);
	r->target.pace = pace_hold(first->target.pace);
}

static bool
follow_fork(struct tach_recorder *r, const struct engine_fork *fork)
{
	if (!r->engine->ops->open_fork(r->engine, fork))
		return false;
	start_waiting(r);
	return r->engine->ops->start(r->engine) == TACH_OK;
}

struct tach_recorder *
tach_recorder_fork(const struct tach_recorder *first)
{
	const struct engine_ops *ops = first->engine->ops;
	struct engine_fork fork;
	struct tach_recorder *r;

	if (ops->find_fork == NULL || !ops->find_fork(first->engine, &fork))
		return NULL;
	r = tach_recorder_new(&first->target.options);
	if (r == NULL)
		return NULL;
	tach_recorder_share(r, first);
	if (follow_fork(r, &fork))
		return r;
	tach_recorder_free(r);
	return NULL;
}

/* Lets go the threads that have stopped late.  True if some have yet to stop. */
static bool
holds_late(struct tach_recorder *r)
{
	const struct engine_ops *ops = r->engine->ops;

	return ops->holds_late != NULL && ops->holds_late(r->engine);
}

/* Sleeps until a time, and lets late threads go meanwhile.  False if something woke
 * the recorder. */
static bool
sleep_alone(struct tach_recorder *r, uint64_t until)
{
	uint64_t next;

	while (holds_late(r) && (next = clock_ns() + LATE_STEP) < until)
		if (process_sleep(&r->target.process, r->target.wake_fd, next))
			return false;
	return !process_sleep(&r->target.process, r->target.wake_fd, until);
}

/* Sleeps until a time, or until something wakes the recorder.  False if the target
 * has ended, or the recorder was told to stop. */
static bool
sleep_awake(struct tach_recorder *r, uint64_t until)
{
	if (r->target.gone)
		return false;
	if (sleep_alone(r, until))
		return true;
	target_heed_wake(&r->target);
	return !r->target.stopped && !process_ended(&r->target.process);
}

/* The descriptors of a step; see tach_recorder_fds. */
static size_t
find_fds(const struct tach_recorder *r, struct pollfd fds[TACH_RECORDER_FDS])
{
	return r->leaving != 0 ? 0 : r->engine->ops->fds(r->engine, fds);
}

/* The same without a sleep.  True if there are no descriptors to poll: then a round
 * is about to notice the end. */
static bool
goes_on(struct tach_recorder *r)
{
	struct pollfd fds[TACH_RECORDER_FDS];

	if (r->target.stopped || r->target.gone)
		return false;
	return find_fds(r, fds) == 0 || sleep_awake(r, 0);
}

/* Sets the error that says why there is no Python in the process. */
static int
no_python(struct target *t, enum find_result why)
{
	int pid = (int)t->process.pid;
	char name[64];

	process_name(&t->process, name, sizeof(name));
	if (process_is_kernel(&t->process))
		error_set(&t->error, TACH_EUSE,
		    "process %d (%s) is a thread of the "
		    "kernel: give the PID of a Python 3.6 to 3.%u",
		    pid, name, py_newest_minor());
	else if (process_borrows_memory(&t->process))
		error_set(&t->error, TACH_EUSE,
		    "process %d (%s) has the memory of its "
		    "parent until it starts a program: give the PID of that",
		    pid, name);
	else if (why == FIND_GONE)
		error_set(&t->error, TACH_ENOENT, "process %d has ended", pid);
	else
		error_set(&t->error, TACH_EFOREIGN,
		    "process %d (%s) is not a running "
		    "Python: give the PID of a Python 3.6 to 3.%u",
		    pid, name, py_newest_minor());
	return TACH_FATAL;
}

/* Whether the process is to be sampled without a Python. */
static bool
runs_no_python(const struct tach_recorder *r)
{
	return r->plain != NULL && target_shows_none(&r->target, clock_ns());
}

static int
begin_plain(struct tach_recorder *r)
{
	r->engine = r->plain;
	return r->engine->ops->attach(r->engine);
}

int
tach_recorder_attach(struct tach_recorder *r, pid_t pid)
{
	struct target *t = &r->target;
	uint64_t end = clock_ns() + ATTACH_PATIENCE;
	enum find_result f;

	if (!prepare_engine(r, NULL) || tach_recorder_follow(r, pid) != TACH_OK)
		return TACH_FATAL;
	t->search.deep_at = 0;
	while ((f = target_look(t)) == FIND_NONE || f == FIND_EMPTY)
		if (clock_ns() > end || (f == FIND_NONE && runs_no_python(r)) ||
		    !sleep_awake(r, clock_ns() + 10 * NS_PER_MS))
			break;
	if (f == FIND_OK && target_lacks_tasks(t))
		return error_set(&t->error, TACH_EVERSION,
		    "--async needs Python "
		    "3.14 or later; process %d runs %u.%u.%u",
		    (int)pid, PY_MAJOR(t->runtime.version),
		    PY_MINOR(t->runtime.version), PY_MICRO(t->runtime.version));
	if (f == FIND_OK)
		return r->engine->ops->attach(r->engine);
	return runs_no_python(r) ? begin_plain(r) : no_python(t, f);
}

int
tach_recorder_locals(struct tach_recorder *r, const struct tach_locals *l)
{
	struct tach_locals known;

	error_forget(&r->target.error);
	if (!options_take(&known, sizeof(known), l)) {
		error_warn(&r->target.error, TACH_EUSE,
		    "the locals " OPTIONS_FAULT);
		return TACH_FATAL;
	}
	if (r->engine->ops->locals != NULL)
		r->engine->ops->locals(r->engine, &known);
	return TACH_OK;
}

void
tach_recorder_mix(struct tach_recorder *r, bool on)
{
	if (r->engine->ops->mix != NULL)
		r->engine->ops->mix(r->engine, on);
}

/* ---- rounds ------------------------------------------------------------ */

/* Ends the rounds for good. */
static void
close_rounds(struct tach_recorder *r)
{
	r->engine->ops->leave(r->engine);
	pace_leave(r->target.pace, &r->target.mark);
	r->target.state = TACH_RECORDER_ENDED;
}

/* Ends rounds that are over, unless a thread has yet to stop: a later step lets it
 * go, as to wait for it here would hold up other recorders. */
static int
leave(struct tach_recorder *r)
{
	uint64_t now = clock_ns();

	r->target.next = now + LATE_STEP;
	if (holds_late(r) && now < r->leaving)
		return TACH_OK;
	r->leaving = 0;
	if (r->result == TACH_OK)
		start_waiting(r);
	else
		close_rounds(r);
	return r->result;
}

static int
begin_leaving(struct tach_recorder *r, int result)
{
	r->leaving = clock_ns() + LATE_PATIENCE;
	r->result = result;
	return leave(r);
}

/* Completes the stats of the engines that have sampled the process. */
static int
complete_stats(struct tach_recorder *r)
{
	const struct tach_meta *m = &r->target.meta;

	if (r->engine == r->plain && m->python[0] == 0)
		return r->plain->ops->stats(r->plain);
	return r->of_python->ops->stats(r->of_python);
}

static int
end(struct tach_recorder *r)
{
	if (r->target.paused_at != 0)
		target_end_pause(&r->target, clock_ns());
	return begin_leaving(r, complete_stats(r));
}

/* Ends with the sink's error.  If it has none, the recorder has run out of memory, or
 * the sink does not tell errors. */
static int
fail(struct tach_recorder *r, const struct tach_sink *sink)
{
	const char *text;
	enum tach_error code = tach_sink_error(sink, &text);

	if (code != TACH_ENONE)
		error_set(&r->target.error, code, "%s", text);
	else if (OPTIONS_HAS(sink, error) && sink->error != NULL)
		error_memory(&r->target.error);
	else
		error_set(&r->target.error, TACH_EFAILED,
		    "the sink failed, or memory ran out");
	return begin_leaving(r, TACH_FATAL);
}

/* Goes on after a step of the engine. */
static int
go_on(struct tach_recorder *r, enum engine_result result,
    const struct tach_sink *sink)
{
	switch (result) {
	case ENGINE_OK:
		return TACH_OK;
	case ENGINE_LOST:
		return begin_leaving(r, TACH_OK);
	case ENGINE_FAILED:
		return fail(r, sink);
	case ENGINE_FATAL:
		break;
	}
	return TACH_FATAL;
}

/* Ends the rounds, after their last samples. */
static int
stop_rounds(struct tach_recorder *r, struct tach_sink *sink)
{
	const struct engine_ops *ops = r->engine->ops;
	enum engine_result result = ops->stop != NULL ?
	    ops->stop(r->engine, sink) : ENGINE_OK;

	return result == ENGINE_OK ? end(r) : go_on(r, result, sink);
}

/* Begins or ends a pause.  A pause that is asked for while nothing is sampled yet
 * begins with the samples. */
static void
heed_pause(struct tach_recorder *r)
{
	struct target *t = &r->target;
	uint64_t now = clock_ns();

	if (r->engine->ops->pause != NULL)
		r->engine->ops->pause(r->engine, t->pause);
	if (t->start == 0)
		return;
	if (t->pause && t->paused_at == 0)
		target_begin_pause(t, now);
	else if (!t->pause && t->paused_at != 0)
		target_end_pause(t, now);
}

uint64_t
tach_recorder_due(struct tach_recorder *r)
{
	const struct target *t = &r->target;

	if (r->leaving != 0)
		return t->next;
	if (t->gone || t->stopped)
		return 0;
	return r->engine->ops->due(r->engine);
}

size_t
tach_recorder_fds(const struct tach_recorder *r, struct pollfd *fds, size_t max)
{
	struct pollfd all[TACH_RECORDER_FDS];
	size_t n = find_fds(r, all);

	if (n > max)
		n = max;
	memcpy(fds, all, n * sizeof(*fds));
	return n;
}

static bool
is_ahead(const struct tach_recorder *r)
{
	const struct engine_ops *ops = r->engine->ops;

	return ops->is_ahead != NULL && ops->is_ahead(r->engine);
}

static enum engine_result
step_engine(struct tach_recorder *r, struct tach_sink *sink)
{
	const struct engine_ops *ops = r->engine->ops;

	if (r->target.paused_at != 0)
		return ops->rest(r->engine, sink);
	if (r->target.state != TACH_RECORDER_WAITING)
		return ops->round(r->engine, sink);
	r->engine = r->of_python;
	if (runs_no_python(r))
		return begin_plain(r) == TACH_OK ? ENGINE_OK : ENGINE_FATAL;
	return r->engine->ops->wait(r->engine, sink);
}

int
tach_recorder_step(struct tach_recorder *r, struct tach_sink *sink)
{
	error_forget(&r->target.error);
	if (r->target.state == TACH_RECORDER_ENDED)
		return TACH_END;
	if (r->leaving != 0)
		return leave(r);
	if (tach_sink_begin(sink, &r->target.meta, r->target.table) != TACH_OK)
		return fail(r, sink);
	if (!is_ahead(r)) {
		heed_pause(r);
		if (!goes_on(r) || target_is_over(&r->target, clock_ns()))
			return stop_rounds(r, sink);
	}
	return go_on(r, step_engine(r, sink), sink);
}

/* Sleeps until the next round.  A stop that comes between the look and the sleep is
 * noticed after the sleep. */
static void
sleep_round(struct tach_recorder *r)
{
	struct pollfd fds[TACH_RECORDER_FDS];
	uint64_t due = tach_recorder_due(r), now = clock_ns();
	size_t n = find_fds(r, fds);

	if (n > 0 && due > now)
		clock_poll(fds, n, due);
	while (n == 0 && !(r->target.stopped && r->leaving == 0) &&
	    due > now + SHORT_SLEEP && !clock_sleep(due))
		continue;
}

int
tach_recorder_round(struct tach_recorder *r, struct tach_sink *sink)
{
	int result;

	do {
		if (r->target.state != TACH_RECORDER_ENDED)
			sleep_round(r);
		result = tach_recorder_step(r, sink);
	} while (r->leaving != 0);
	return result;
}

static void
wake(struct tach_recorder *r)
{
	uint64_t one = 1;
	int saved = errno;
	ssize_t n = write(r->target.wake_fd, &one, sizeof(one));

	(void)n; /* a full counter is readable, too */
	errno = saved;
}

void
tach_recorder_stop(struct tach_recorder *r)
{
	r->target.stopped = true;
	wake(r);
}

void
tach_recorder_pause(struct tach_recorder *r, bool pause)
{
	if (r->target.pause == pause)
		return;
	r->target.pause = pause;
	wake(r);
}

bool
tach_recorder_paused(const struct tach_recorder *r)
{
	return r->target.paused_at != 0;
}

/* ---- source lines of C ------------------------------------------------- */

/* Notes how many places in code of C have got a line. */
static bool
note_lines(struct target *t, const struct late_lines_found *found)
{
	char note[64];

	t->stats.native_addresses = found->addresses;
	t->stats.native_lines = found->known;
	snprintf(note, sizeof(note), "native-lines addresses=%zu known=%zu",
	    found->addresses, found->known);
	return tach_table_add_note(t->table, note) != TACH_NONE;
}

int
tach_recorder_lines(struct tach_recorder *r)
{
	struct late_lines *lines = r->target.lines;
	struct late_lines_found found;
	bool ok;

	if (lines == NULL)
		return TACH_OK;
	error_forget(&r->target.error);
	r->target.lines = NULL;
	ok = late_lines_find(lines, &found) && note_lines(&r->target, &found);
	late_lines_free(lines);
	if (!ok)
		return error_memory(&r->target.error);
	return *found.missing == '\0' ? TACH_OK :
	    error_warn(&r->target.error, TACH_EFAILED, "%s", found.missing);
}

/* ---- state and results ------------------------------------------------- */

enum tach_recorder_state
tach_recorder_state(const struct tach_recorder *r)
{
	return r->target.state;
}

const struct tach_meta *
tach_recorder_meta(const struct tach_recorder *r)
{
	return &r->target.meta;
}

const struct tach_table *
tach_recorder_table(const struct tach_recorder *r)
{
	return r->target.table;
}

const struct tach_recorder_stats *
tach_recorder_stats(const struct tach_recorder *r)
{
	return &r->target.stats;
}

pid_t
tach_recorder_pid(const struct tach_recorder *r)
{
	return r->target.process.pid;
}

int
tach_recorder_wait(struct tach_recorder *r, int *status)
{
	pid_t pid;

	if (!r->target.process.child)
		return error_set(&r->target.error, TACH_EUSE, "not our child");
	while ((pid = waitpid(r->target.process.pid, status, 0)) < 0 && errno == EINTR)
		continue;
	if (pid < 0)
		return error_system(&r->target.error, "waitpid", errno);
	r->target.process.child = false;
	return TACH_OK;
}

enum tach_error
tach_recorder_error(const struct tach_recorder *r, const char **line)
{
	return error_get(&r->target.error, line);
}
