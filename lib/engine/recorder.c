/* SPDX-License-Identifier: ISC */
/*
 * recorder.c: a running Python as a source; see tach.h.  It finds the Python
 * in a target, keeps the time, and notices when the target ends or becomes
 * another program.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/inprocess/agents.h"
#include "engine/inprocess/inprocess.h"
#include "engine/kernel/interrupt.h"
#include "engine/kernel/stock.h"
#include "engine/locate/attach.h"
#include "engine/os/os.h"
#include "engine/remote/remote.h"
#include "engine/sched/caller.h"
#include "engine/sched/gap.h"
#include "engine/target/target.h"
#include "error.h"
#include "tach.h"

/* Time between two looks for a Python, while there is none. */
#define WAIT_INTERVAL NS_PER_MS
/* Time in which a process must show its Python when a recorder attaches to it. */
#define ATTACH_PATIENCE NS_PER_S
/* A Python that has been there for so long without an agent gets none. */
#define AGENT_PATIENCE NS_PER_S
/* A process that is not the command itself counts as one without an agent only after
 * this time, as it may be about to run another program. */
#define PYTHON_PATIENCE (100 * NS_PER_MS)
/* Time to wait for all that the agent needs to know of a Python that only begins. */
#define TELL_PATIENCE (100 * NS_PER_MS)
/* Time between two drains of the threads' rings, and the same if one gets full. */
#define DRAIN_INTERVAL (5 * NS_PER_MS)
#define HURRY_INTERVAL NS_PER_MS
/* The shortest interval of rounds for which an interrupt is quick enough. */
#define INTERRUPT_INTERVAL (50 * NS_PER_US)
/* Each sleep takes longer than this, so a round that is due sooner begins early. */
#define SHORT_SLEEP (10 * NS_PER_US)
/* A sleep between rounds that is this long must end when the recorder is woken. */
#define LONG_SLEEP (20 * NS_PER_MS)
/* Rounds of the kernel are read after this time at the latest, and AHEAD_MAX at once
 * at most: to wake the recorder costs the thread another interrupt.  The time is
 * shorter if there are other threads, as their status is only looked at then. */
#define AHEAD_LATEST (10 * NS_PER_MS)
#define AHEAD_LATEST_ALONE (20 * NS_PER_MS)
#define DOUBT_ROUNDS 3 /* intervals without a record, if a thread may have no CPU */
#define AHEAD_MAX 100
#define AHEAD_MIN 2
/* A process that may have fewer files open gets no interrupts: they take some
 * descriptors, which it needs itself. */
#define FILES_MIN 128
/* Time between two tries to let go a thread that stops too late for its round. */
#define LATE_STEP (2 * NS_PER_MS)
/* Time to wait for such a thread at the end: a thread that is to have no CPU for a
 * while has one again after a second at most. */
#define LATE_PATIENCE (2 * NS_PER_S)
/* Rounds after which a process is there to stay, and is worth interrupts. */
#define SETTLED 50
/* Time to wait for rounds of the kernel, if the thread gets no CPU. */
#define AHEAD_PATIENCE NS_PER_S
/* Time between two returns to the caller in a pause. */
#define PAUSE_STEP (100 * NS_PER_MS)

struct tach_recorder {
	struct target target;
	struct remote *remote;
	struct interrupts *interrupts; /* or NULL */
	struct stock *stock; /* the family's, of interrupts */
	bool follows;	/* it is not the first recorder of its family */
	bool asked;	/* for interrupts of the stock */
	struct agents *agents; /* in-process */
	struct inprocess *inprocess;
	uint64_t python_at; /* ns: when a Python was found; 0: not yet */
	bool agentless; /* the Python runs without an agent */
	bool attached; /* the agent was loaded by a running Python */
	/* The rounds are over, but threads that have yet to stop are waited for
	 * until `leaving` (ns; 0: the rounds are not over).  The result is returned
	 * then; after TACH_OK a Python is looked for again. */
	uint64_t leaving;
	int result;
	/* The last round that was taken ahead on time, and the last sign that the
	 * batch goes on; ns, CLOCK_MONOTONIC. */
	uint64_t last, heard;
	uint64_t newest; /* ns: the last such round, on time or not */
	uint64_t cost;	/* ns of CPU time to read one of them */
	uint64_t left;	/* ns: when a thread was last seen to leave its CPU */
	struct gap gap; /* the samples that it is owed since */
	struct caller caller;
	struct tach_locals locals;
};

/* ---- life -------------------------------------------------------------- */

struct tach_recorder *
tach_recorder_new(const struct tach_recorder_options *o)
{
	struct tach_recorder *r;

	if (o->interval_ns == 0) {
		errno = EINVAL;
		return NULL;
	}
	if ((r = calloc(1, sizeof(*r))) == NULL)
		return NULL;
	if (target_init(&r->target, o) &&
	    (r->stock = stock_new(o->interval_ns)) != NULL)
		return r;
	tach_recorder_free(r);
	return NULL;
}

/* Ends the remote engine.  It lets go all threads that it holds; it waits for late
 * ones until `until`. */
static void
drop_remote(struct tach_recorder *r, uint64_t until)
{
	remote_free(r->remote, until);
	r->remote = NULL;
}

void
tach_recorder_free(struct tach_recorder *r)
{
	if (r == NULL)
		return;
	drop_remote(r, clock_ns() + LATE_PATIENCE);
	if (r->stock != NULL)
		stock_give(r->stock, r->interrupts);
	stock_drop(r->stock);
	inprocess_free(r->inprocess, target_has_ended(&r->target));
	agents_drop(r->agents);
	pace_leave(r->target.pace, &r->target.mark);
	caller_drop(&r->caller);
	target_free(&r->target);
	free(r);
}

/* Whether threads are to be read in interrupts, if these can be had.  They are not
 * needed if threads are stopped (--blocking), or held up until they are read
 * (--dump). */
static bool
interrupts(const struct tach_recorder_options *o)
{
	return o->engine == TACH_ENGINE_REMOTE && !o->blocking &&
	    !o->careful && o->interval_ns >= INTERRUPT_INTERVAL;
}

/* Prepares the recorder's own process: sharp timers, a descriptor for each thread
 * and, if wanted, interrupts.  To be called after a command is started, which would
 * inherit them. */
static void
prepare_self(struct tach_recorder *r)
{
	struct rlimit files;
	bool few = getrlimit(RLIMIT_NOFILE, &files) == 0 &&
	    files.rlim_max < FILES_MIN;

	caller_hold(&r->caller);
	if (!r->follows && interrupts(&r->target.options) &&
	    (few || (r->interrupts = interrupts_new(
		r->target.options.interval_ns)) == NULL))
		stock_refuse(r->stock);
	realtime_prepare();
}

static void
start_waiting(struct tach_recorder *r)
{
	drop_remote(r, 0);
	r->python_at = 0;
	target_wait(&r->target);
}

/* Makes the memory, environment and descriptor by which a command samples itself.
 * False, with the error, if they cannot be had. */
static bool
make_agents(struct tach_recorder *r, struct launch *l)
{
	r->agents = agents_new(&r->target.options, &r->target.error);
	if (r->agents == NULL)
		return false;
	l->environment = agents_environment(r->agents);
	l->kept_fd = agents_fd(r->agents);
	/* It writes its number itself: in its PID namespace that can be another. */
	l->pid = &agents_control(r->agents)->pid;
	return true;
}

static int
make_inprocess(struct tach_recorder *r)
{
	r->inprocess = inprocess_new(r->agents, &r->target.process, &r->target.options,
	    r->target.table, &r->target.names);
	return r->inprocess != NULL ? TACH_OK :
	    error_set(&r->target.error, TACH_FATAL, "out of memory");
}

int
tach_recorder_launch(struct tach_recorder *r, char *const argv[], int stdout_fd)
{
	struct launch l = {.stdout_fd = stdout_fd, .stopped = &r->target.stopped,
	    .kept_fd = -1};
	bool inside = r->target.options.engine == TACH_ENGINE_INPROCESS;

	if (inside && !make_agents(r, &l)) {
		errno = EAGAIN;
		return TACH_FATAL;
	}
	if (!process_launch(&r->target.process, argv, &l)) {
		int saved = errno;
		error_set(&r->target.error, 0, "%s: %s", argv[0], strerror(saved));
		errno = saved;
		return TACH_FATAL;
	}
	prepare_self(r);
	start_waiting(r);
	if (!inside || make_inprocess(r) == TACH_OK)
		return TACH_OK;
	process_abandon(&r->target.process);
	errno = ENOMEM;
	return TACH_FATAL;
}

/* ---- finding ----------------------------------------------------------- */

/* Whether tasks are asked for, but cannot be read in the Python that was found. */
static bool
lacks_tasks(const struct tach_recorder *r)
{
	return r->target.options.async != TACH_ASYNC_NONE &&
	    !py_has(r->target.runtime.offsets.generator_state);
}

static int
start_sampling(struct tach_recorder *r)
{
	uint64_t now = clock_ns();
	pid_t tracer = r->target.options.blocking ? stop_tracer(&r->target.process) : 0;

	if (tracer != 0)
		return error_set(&r->target.error, TACH_FATAL, "process %d is traced "
		    "by process %d, so it cannot be stopped: end that, or "
		    "record without --blocking", (int)r->target.process.pid,
		    (int)tracer);
	r->remote = remote_new(&r->target.process, &r->target.runtime, &r->target.options,
	    r->interrupts, r->target.table, &r->target.names);
	if (r->remote == NULL)
		return error_set(&r->target.error, TACH_FATAL, "out of memory");
	remote_locals(r->remote, &r->locals);
	target_begin(&r->target, now);
	return TACH_OK;
}

/* Sets the error that says why there is no process of this number. */
static int
no_process(struct tach_recorder *r, pid_t pid, int error)
{
	const struct process of = {.pid = process_of_thread(pid), .pidfd = -1};
	char name[64];

	if (of.pid == 0 || of.pid == pid)
		return error_set(&r->target.error, TACH_FATAL, "%s: %d",
		    error == ESRCH ? "no such process" : strerror(error),
		    (int)pid);
	process_name(&of, name, sizeof(name));
	return error_set(&r->target.error, TACH_FATAL, "%d is a thread of process %d "
	    "(%s): give the PID %d", (int)pid, (int)of.pid, name, (int)of.pid);
}

int
tach_recorder_follow(struct tach_recorder *r, pid_t pid)
{
	if (!process_open(&r->target.process, pid))
		return no_process(r, pid, errno);
	prepare_self(r);
	start_waiting(r);
	return r->agents != NULL ? make_inprocess(r) : TACH_OK;
}

void
tach_recorder_share(struct tach_recorder *r, const struct tach_recorder *first)
{
	r->agents = first->agents != NULL ? agents_hold(first->agents) : NULL;
	r->follows = true;
	stock_drop(r->stock);
	r->stock = stock_hold(first->stock);
	pace_drop(r->target.pace);
	r->target.pace = pace_hold(first->target.pace);
}

/* Opens the process whose number a slot gives.  Only the slot says that the process
 * is of the family, so the agent must be in it; else false.  If the process has
 * ended, its samples are still in the shared memory, and no more is read of it. */
static bool
open_fork(struct tach_recorder *r, uint32_t slot, pid_t pid)
{
	bool there = process_open(&r->target.process, pid);

	if (!there && errno != ESRCH)
		return false;
	if (there && agents_are_in(r->agents, &r->target.process, true))
		return true;
	if (there && !process_ended(&r->target.process)) {
		agents_refuse(r->agents, slot, pid);
		return false;
	}
	process_close(&r->target.process);
	r->target.process.pid = r->target.process.own_id = pid;
	r->target.gone = true;
	return true;
}

static bool
follow_fork(struct tach_recorder *r, uint32_t slot, pid_t pid)
{
	if (!open_fork(r, slot, pid))
		return false;
	start_waiting(r);
	return make_inprocess(r) == TACH_OK;
}

struct tach_recorder *
tach_recorder_fork(const struct tach_recorder *first)
{
	pid_t pid;
	uint32_t slot = first->agents != NULL ?
	    agents_fork(first->agents, &pid) : AGENTS_NONE;
	struct tach_recorder *r = slot != AGENTS_NONE ?
	    tach_recorder_new(&first->target.options) : NULL;

	if (r == NULL)
		return NULL;
	tach_recorder_share(r, first);
	if (follow_fork(r, slot, pid))
		return r;
	tach_recorder_free(r);
	return NULL;
}

/* Lets go the threads that have stopped late.  True if some have yet to stop. */
static bool
holds_late(struct tach_recorder *r)
{
	return r->remote != NULL && !remote_let_go(r->remote);
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

/* The same without a sleep.  True if there are no descriptors to poll: then a round
 * is about to notice the end. */
static bool
goes_on(struct tach_recorder *r)
{
	struct pollfd fds[TACH_RECORDER_FDS];

	if (r->target.stopped || r->target.gone)
		return false;
	return tach_recorder_fds(r, fds) == 0 || sleep_awake(r, 0);
}

/* Brings the agent into a Python that was found; its slot then appears as that of a
 * command does. */
static int
attach_inside(struct tach_recorder *r)
{
	const struct attach_offer offer = {agents_fd(r->agents),
	    agents_nonce(r->agents), agents_library(r->agents)};

	r->attached = attach_agent(&r->target.process, &r->target.runtime, &offer,
	    r->target.wake_fd, &r->target.error);
	return r->attached ? TACH_OK : TACH_FATAL;
}

int
tach_recorder_attach(struct tach_recorder *r, pid_t pid)
{
	bool inside = r->target.options.engine == TACH_ENGINE_INPROCESS;
	uint64_t end = clock_ns() + ATTACH_PATIENCE;
	enum find_result f;
	char name[64];

	if (inside &&
	    (r->agents = agents_new(&r->target.options, &r->target.error)) == NULL)
		return TACH_FATAL;
	if (tach_recorder_follow(r, pid) != TACH_OK)
		return TACH_FATAL;
	r->target.search.deep_at = 0;
	while ((f = target_look(&r->target)) == FIND_NONE || f == FIND_EMPTY)
		if (clock_ns() > end ||
		    !sleep_awake(r, clock_ns() + 10 * NS_PER_MS))
			break;
	if (f == FIND_OK && lacks_tasks(r))
		return error_set(&r->target.error, TACH_FATAL, "--async needs Python "
		    "3.14 or later; process %d runs %u.%u.%u", (int)pid,
		    PY_MAJOR(r->target.runtime.version), PY_MINOR(r->target.runtime.version),
		    PY_MICRO(r->target.runtime.version));
	if (f == FIND_OK)
		return inside ? attach_inside(r) : start_sampling(r);
	process_name(&r->target.process, name, sizeof(name));
	if (process_is_kernel(&r->target.process))
		error_set(&r->target.error, 0, "process %d (%s) is a thread of the "
		    "kernel: give the PID of a Python 3.6 to 3.%u", (int)pid,
		    name, py_newest_minor());
	else if (process_borrows_memory(&r->target.process))
		error_set(&r->target.error, 0, "process %d (%s) has the memory of its "
		    "parent until it starts a program: give the PID of that",
		    (int)pid, name);
	else if (f == FIND_GONE)
		error_set(&r->target.error, 0, "process %d has ended", (int)pid);
	else
		error_set(&r->target.error, 0, "process %d (%s) is not a running "
		    "Python: give the PID of a Python 3.6 to 3.%u",
		    (int)pid, name, py_newest_minor());
	return TACH_FATAL;
}

void
tach_recorder_locals(struct tach_recorder *r, const struct tach_locals *l)
{
	r->locals = *l;
	if (r->remote != NULL)
		remote_locals(r->remote, l);
}

/* ---- rounds ------------------------------------------------------------ */

/* Adds a note with the reasons of failed samples to the profile, which has no other
 * place for them. */
static void
note_errors(const struct tach_recorder *r)
{
	const struct tach_recorder_stats *s = &r->target.stats;
	char text[128];

	if (s->torn == 0 && s->failed == 0)
		return;
	snprintf(text, sizeof(text), "errors torn=%" PRIu64 " unreadable=%"
	    PRIu64 " moving=%" PRIu64 " unknown=%" PRIu64, s->torn,
	    s->unreadable, s->moving, s->unknown);
	tach_table_add_note(r->target.table, text);
}

/* Adds a note with the number of samples that are of one moment beyond doubt, and of
 * samples that could not be so. */
static void
note_interrupts(const struct tach_recorder *r)
{
	const struct tach_recorder_stats *s = &r->target.stats;
	char text[128];

	if (s->interrupted == 0 && s->dear == 0 && s->unfit == 0)
		return;
	snprintf(text, sizeof(text), "interrupts samples=%" PRIu64 " dear=%"
	    PRIu64 " unfit=%" PRIu64, s->interrupted, s->dear, s->unfit);
	tach_table_add_note(r->target.table, text);
}

/* Adds a note with the counts of the agents. */
static void
note_inprocess(const struct tach_recorder *r)
{
	char *text = tach_inprocess_note(&r->target.stats.inprocess);

	if (text != NULL)
		tach_table_add_note(r->target.table, text);
	free(text);
}

/* Ends the rounds for good. */
static void
close_rounds(struct tach_recorder *r)
{
	drop_remote(r, 0);
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

static int
no_agent(struct tach_recorder *r)
{
	return error_set(&r->target.error, TACH_FATAL, "process %d runs Python without "
	    "%s, which cannot be preloaded into a program that is static, has "
	    "other rights or sees other files: use --engine=remote",
	    (int)r->target.process.pid, agents_library(r->agents));
}

/* Sets the error that says why there are no samples although the agent was in a
 * Python, if nothing else tells. */
static void
tell_why_none(struct tach_recorder *r)
{
	const struct tach_inprocess_stats *s = &r->target.stats.inprocess;
	uint64_t lost = s->early + s->invalid + s->full + s->late + s->damaged;

	if (r->target.stats.samples > 0 || r->target.stats.paused_ns > 0 || s->refused > 0)
		return;
	if (s->weight > 0)
		error_set(&r->target.error, 0, "Python ran, but no sample was of the "
		    "kind that was asked for");
	else if (lost > 0)
		error_set(&r->target.error, 0, "Python ran, but all %" PRIu64
		    " ticks were lost", lost);
	else
		error_set(&r->target.error, 0, "Python ran, but hardly%s",
		    r->target.options.mode == TACH_MODE_CPU ? ": record with "
		    "--mode=wall to see where it waits" : "");
}

static int
end_inside(struct tach_recorder *r)
{
	if (r->target.start != 0) {
		inprocess_count(r->inprocess, &r->target.stats);
		note_inprocess(r);
	}
	if (r->agentless)
		return no_agent(r);
	if (r->target.start != 0)
		tell_why_none(r);
	else if (r->attached)
		error_set(&r->target.error, 0, "process %d ended as soon as its main "
		    "thread ran Python code, for which --engine=inprocess "
		    "has to wait: use --engine=remote", (int)r->target.process.pid);
	return TACH_END;
}

static int
end(struct tach_recorder *r)
{
	int result = TACH_END;

	if (r->target.paused_at != 0)
		target_end_pause(&r->target, clock_ns());
	if (r->inprocess != NULL) {
		result = end_inside(r);
	} else {
		note_errors(r);
		note_interrupts(r);
	}
	return begin_leaving(r, result);
}

/* Ends with the sink's error.  If it has none, the failure was the recorder's, which
 * can only have run out of memory. */
static int
fail(struct tach_recorder *r, const struct tach_sink *sink)
{
	const char *text = sink->error(sink);

	error_set(&r->target.error, TACH_FATAL, "%s",
	    text != NULL && *text != '\0' ? text : "out of memory");
	return begin_leaving(r, TACH_FATAL);
}

/* Looks for a Python once more: a command may become one at any time, and a program
 * that cannot be read may be replaced by one that can. */
static int
wait_round(struct tach_recorder *r)
{
	uint64_t interval = r->target.options.interval_ns < WAIT_INTERVAL ?
	    r->target.options.interval_ns : WAIT_INTERVAL;
	int result = target_look(&r->target) == FIND_OK ? start_sampling(r) : TACH_OK;

	r->target.next = clock_ns() + interval;
	return result;
}

static int
sample_round(struct tach_recorder *r, uint64_t now, struct tach_sink *sink)
{
	enum remote_result result = remote_round(r->remote,
	    (now - r->target.start) / NS_PER_US, sink, &r->target.stats);

	switch (result) {
	case REMOTE_OK:
		r->target.stats.rounds++;
		r->target.stats.elapsed_ns = target_elapsed(&r->target, now);
		return TACH_OK;
	case REMOTE_LOST:
		/* Ended, or another program: look again. */
		return begin_leaving(r, TACH_OK);
	default:
		return fail(r, sink);
	}
}

/* ---- rounds that are taken ahead --------------------------------------- */

static uint64_t
ahead_latest(const struct tach_recorder *r)
{
	return remote_is_alone(r->remote) ? AHEAD_LATEST_ALONE :
						  AHEAD_LATEST;
}

static uint64_t
least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* How many rounds of a batch are read at once.  To read them must take less than one
 * interval, or the recorder misses its first own round after them.  There are never
 * more than were read since the last new code: the code objects of functions that
 * run for the first time must still exist then. */
static uint32_t
batch_of(const struct tach_recorder *r)
{
	uint64_t interval = pace_distance(r->target.pace);
	uint64_t cheap = interval / (r->cost + 1);
	uint64_t n = least(ahead_latest(r) / interval, cheap);

	n = least(n, remote_ahead_rounds(r->remote));
	return n < AHEAD_MIN ? AHEAD_MIN :
	    n > AHEAD_MAX ? AHEAD_MAX : (uint32_t)n;
}

static void
go_ahead(struct tach_recorder *r)
{
	uint64_t interval = pace_distance(r->target.pace);

	if (r->target.options.jitter || r->target.options.blocking || r->interrupts == NULL ||
	    ahead_latest(r) / interval < AHEAD_MIN)
		return;
	r->last = r->left = r->heard = r->newest = clock_ns();
	remote_go_ahead(r->remote, interval, batch_of(r));
}

/* When the duration is over; ns, CLOCK_MONOTONIC.  UINT64_MAX if it never is. */
static uint64_t
end_of(const struct tach_recorder *r)
{
	return r->target.options.duration_ns != 0 ?
	    r->target.start + r->target.stats.paused_ns + r->target.options.duration_ns : UINT64_MAX;
}

/* When the recorder looks why no records have come; ns, CLOCK_MONOTONIC. */
static uint64_t
patience_of(const struct tach_recorder *r)
{
	uint64_t doubt = remote_doubts_ahead(r->remote);

	if (doubt == 0)
		return r->heard + 2 * ahead_latest(r);
	return (doubt > r->heard ? doubt : r->heard) +
	    DOUBT_ROUNDS * pace_distance(r->target.pace);
}

/* Whether to wait on for records: that the thread gets no CPU is no reason to end
 * the batch. */
static bool
waits_on(struct tach_recorder *r, uint64_t now)
{
	if (now >= r->last + AHEAD_PATIENCE || !remote_hurry(r->remote))
		return false;
	r->heard = now;
	return true;
}

/* Ends the batch if no more rounds are to be taken ahead, or if none come. */
static void
heed_ahead(struct tach_recorder *r)
{
	struct pollfd fds[TACH_RECORDER_FDS];
	size_t n = tach_recorder_fds(r, fds);
	uint64_t now = clock_ns();

	clock_poll(fds, n, 0);
	if (fds[0].revents != 0)
		target_heed_wake(&r->target);
	if (!remote_heed_ahead(r->remote, fds + 2, n - 2) ||
	    fds[1].revents != 0 || r->target.stopped || r->target.pause || target_is_over(&r->target, now) ||
	    (now >= patience_of(r) && !waits_on(r, now)))
		remote_end_ahead(r->remote);
}

/* Whether a round is of use.  A round that was taken as its thread left the CPU is
 * so only if the gap after it is owed a sample. */
static bool
is_owed(const struct tach_recorder *r)
{
	return !remote_left(r->remote) ||
	    gap_wants_round(&r->gap, r->target.pace, remote_gap(r->remote));
}

/* Notes a round that was taken ahead, on time or as a thread left its CPU.  False if
 * the round is of no use, or so soon after the last one that both would have the
 * same time. */
static bool
note_taken(struct tach_recorder *r, uint64_t time)
{
	uint64_t interval = r->target.options.interval_ns, n;
	bool owed = is_owed(r) && time >= r->newest + NS_PER_US;

	r->heard = r->newest = time;
	if (remote_left(r->remote)) {
		r->left = time;
		if (owed)
			gap_add_round(&r->gap, r->target.pace);
		return owed;
	}
	n = time > r->last ? (time - r->last + interval / 2) / interval : 1;
	n -= n > 0;
	target_count_missed(&r->target, n + !owed, pace_is_slow(r->target.pace) ? n : 0);
	r->last = time;
	return owed;
}

/* Lets the batch go on, at another interval if that is due.  If the batch has ended,
 * the recorder takes the next round. */
static void
keep_pace(struct tach_recorder *r)
{
	uint64_t now = clock_ns();

	if (!remote_is_ahead(r->remote)) {
		pace_resume(r->target.pace, &r->target.mark, r->last, now);
		target_count_missed(&r->target, r->target.mark.missed, r->target.mark.left);
		return;
	}
	pace_step(r->target.pace, now);
	remote_keep_ahead(r->remote, pace_distance(r->target.pace), batch_of(r));
}

static void
note_cost(struct tach_recorder *r, uint64_t ns, unsigned rounds)
{
	if (rounds > 0)
		r->cost = (7 * r->cost + ns / rounds) / 8;
}

/* Repeats the last round n times, between the moments when a thread left its CPU and
 * when it had one again.  False if the sink failed. */
static bool
repeat_round(struct tach_recorder *r, uint64_t n, uint64_t away,
    struct tach_sink *sink)
{
	for (uint64_t i = 1; i <= n; i++) {
		uint64_t time = r->left + away * i / (n + 1);
		if (!remote_again(r->remote, (time - r->target.start) / NS_PER_US,
			sink, &r->target.stats))
			return false;
		r->target.stats.rounds++;
	}
	return true;
}

/* Repeats the last round for each interval in which a thread waited for a CPU: its
 * stack was the same all the while.  Rounds that cannot be repeated are missed.
 * False if the sink failed. */
static bool
fill_gap(struct tach_recorder *r, struct tach_sink *sink)
{
	uint64_t away = remote_away(r->remote), n, spared;

	if (away == 0)
		return true;
	n = gap_rounds(&r->gap, r->target.pace, away, &spared);
	r->last += away;
	target_count_missed(&r->target, spared, spared);
	if (remote_can_repeat(r->remote))
		return repeat_round(r, n, away, sink);
	target_count_missed(&r->target, n, 0);
	return true;
}

static int
ahead_round(struct tach_recorder *r, struct tach_sink *sink)
{
	int result = TACH_OK;
	unsigned n = 0;
	uint64_t begin, time;

	heed_ahead(r);
	begin = clock_cpu_ns();
	for (; result == TACH_OK && r->target.state == TACH_RECORDER_SAMPLING &&
	    remote_next(r->remote, &time); n++) {
		if (time < r->newest) {
			target_count_missed(&r->target, 1, 0); /* times never decrease */
			continue;
		}
		if (!fill_gap(r, sink))
			return fail(r, sink);
		if (note_taken(r, time))
			result = sample_round(r, time, sink);
	}
	note_cost(r, clock_cpu_ns() - begin, n);
	pace_done(r->target.pace, clock_ns());
	if (r->target.state == TACH_RECORDER_SAMPLING)
		keep_pace(r);
	return result;
}

/* Begins or ends a pause.  A pause that is asked for while nothing is sampled yet
 * begins with the samples. */
static void
heed_pause(struct tach_recorder *r)
{
	uint64_t now = clock_ns();

	if (r->inprocess != NULL)
		inprocess_pause(r->inprocess, r->target.pause);
	if (r->target.start == 0)
		return;
	if (r->target.pause && r->target.paused_at == 0)
		target_begin_pause(&r->target, now);
	else if (!r->target.pause && r->target.paused_at != 0)
		target_end_pause(&r->target, now);
}

/* ---- rounds of the in-process engine ------------------------------------ */

static void
begin_inside(struct tach_recorder *r, uint64_t now)
{
	target_begin(&r->target, now);
	r->agentless = false;
}

/* Tells a waiting agent of its Python, as soon as that is found. */
static int
tell_agent(struct tach_recorder *r)
{
	uint64_t now = clock_ns();

	if (inprocess_inherit(r->inprocess, &r->target.runtime)) {
		begin_inside(r, now);
		return TACH_OK;
	}
	if (target_has_ended(&r->target) || target_look(&r->target) != FIND_OK)
		return TACH_OK;
	if (r->python_at == 0)
		r->python_at = now;
	if (inprocess_tell(r->inprocess, &r->target.runtime,
		now < r->python_at + TELL_PATIENCE))
		begin_inside(r, now);
	return TACH_OK;
}

/* Looks for a Python without an agent.  TACH_FATAL if it has been there for too
 * long. */
static int
miss_agent(struct tach_recorder *r)
{
	uint64_t now = clock_ns();

	if (target_has_ended(&r->target) || target_look(&r->target) != FIND_OK)
		return TACH_OK;
	if (r->python_at == 0)
		r->python_at = now;
	r->agentless = r->target.process.child ||
	    now >= r->python_at + PYTHON_PATIENCE;
	return now < r->python_at + AGENT_PATIENCE ? TACH_OK : no_agent(r);
}

static int
meet_agent(struct tach_recorder *r)
{
	switch (inprocess_look(r->inprocess)) {
	case INPROCESS_LIVE:
		return TACH_OK;
	case INPROCESS_NONE:
		if (r->target.state == TACH_RECORDER_SAMPLING)
			start_waiting(r); /* now a program without an agent */
		return miss_agent(r);
	case INPROCESS_WAITING:
		if (r->target.state == TACH_RECORDER_SAMPLING)
			start_waiting(r); /* now another program */
		return tell_agent(r);
	}
	return TACH_OK;
}

static uint64_t
next_drain(const struct tach_recorder *r)
{
	uint64_t now = clock_ns();

	if (inprocess_hurries(r->inprocess))
		return now + HURRY_INTERVAL;
	if (r->target.paused_at != 0)
		return now + PAUSE_STEP;
	return now + (r->target.state == TACH_RECORDER_WAITING ? WAIT_INTERVAL :
							  DRAIN_INTERVAL);
}

static int
drain_round(struct tach_recorder *r, struct tach_sink *sink)
{
	bool awake = goes_on(r);
	uint64_t now = clock_ns();
	bool over = !awake || target_is_over(&r->target, now);

	if (meet_agent(r) != TACH_OK)
		return TACH_FATAL;
	if (over)
		inprocess_stop(r->inprocess, target_has_ended(&r->target));
	if (!inprocess_drain(r->inprocess, r->target.start, sink, &r->target.stats))
		return fail(r, sink);
	if (r->target.state == TACH_RECORDER_SAMPLING && r->target.paused_at == 0) {
		r->target.stats.rounds++;
		r->target.stats.elapsed_ns = target_elapsed(&r->target, now);
	}
	r->target.next = next_drain(r);
	return over ? end(r) : TACH_OK;
}

/* ---- rounds of both engines --------------------------------------------- */

static bool
is_ahead(const struct tach_recorder *r)
{
	return r->target.state == TACH_RECORDER_SAMPLING && r->remote != NULL &&
	    remote_is_ahead(r->remote);
}

/* Whether the remote engine takes rounds now.  It reads nothing between two of
 * them. */
static bool
has_rounds(const struct tach_recorder *r)
{
	return r->target.state == TACH_RECORDER_SAMPLING && r->inprocess == NULL &&
	    r->target.paused_at == 0;
}

uint64_t
tach_recorder_due(struct tach_recorder *r)
{
	uint64_t due;

	if (r->leaving != 0)
		return r->target.next;
	if (r->target.gone || r->target.stopped)
		return 0;
	if (is_ahead(r))
		return least(patience_of(r), end_of(r));
	due = !has_rounds(r) ? r->target.next :
	    r->target.mark.member ? pace_due(r->target.pace, &r->target.mark) : 0;
	return holds_late(r) ? least(due, clock_ns() + LATE_STEP) : due;
}

/* A round's first read notices that the target has ended.  If the next round is too
 * far off, or nothing is read, a poll looks for that and for a stop, which costs
 * more. */
size_t
tach_recorder_fds(const struct tach_recorder *r,
    struct pollfd fds[TACH_RECORDER_FDS])
{
	bool ahead = is_ahead(r);
	size_t n;

	if (r->leaving != 0 ||
	    (has_rounds(r) && !ahead && pace_distance(r->target.pace) < LONG_SLEEP))
		return 0;
	n = target_fds(&r->target, fds);
	return n + (ahead ? remote_ahead_fds(r->remote, fds + n) : 0);
}

/* Asks for interrupts, if the recorder follows and has had SETTLED rounds. */
static void
want_interrupts(struct tach_recorder *r)
{
	if (!r->follows || r->interrupts != NULL || r->target.stats.rounds < SETTLED ||
	    !interrupts(&r->target.options))
		return;
	r->interrupts = stock_take(r->stock, &r->asked);
	if (r->interrupts != NULL)
		remote_interrupts(r->remote, r->interrupts);
}

/* Takes a round that is not taken ahead, if it is due. */
static int
own_round(struct tach_recorder *r, struct tach_sink *sink)
{
	int result;

	if (!r->target.mark.member)
		pace_enter(r->target.pace, &r->target.mark, clock_ns());
	if (!pace_take(r->target.pace, &r->target.mark, clock_ns(), SHORT_SLEEP))
		return TACH_OK;
	target_count_missed(&r->target, r->target.mark.missed, r->target.mark.left);
	want_interrupts(r);
	result = r->target.pause ? TACH_OK : sample_round(r, clock_ns(), sink);
	pace_done(r->target.pace, clock_ns());
	if (result == TACH_OK && r->target.state == TACH_RECORDER_SAMPLING &&
	    !r->target.pause)
		go_ahead(r);
	return result;
}

int
tach_recorder_step(struct tach_recorder *r, struct tach_sink *sink)
{
	if (r->target.state == TACH_RECORDER_ENDED)
		return TACH_END;
	if (r->leaving != 0)
		return leave(r);
	if (is_ahead(r))
		return ahead_round(r, sink);
	heed_pause(r);
	if (r->inprocess != NULL)
		return drain_round(r, sink);
	if (!goes_on(r) || target_is_over(&r->target, clock_ns()))
		return end(r);
	if (r->target.paused_at != 0) {
		r->target.next = clock_ns() + PAUSE_STEP;
		return TACH_OK;
	}
	return r->target.state == TACH_RECORDER_WAITING ? wait_round(r) :
						   own_round(r, sink);
}

/* Sleeps until the next round.  A stop that comes between the look and the sleep is
 * noticed after the sleep. */
static void
sleep_round(struct tach_recorder *r)
{
	struct pollfd fds[TACH_RECORDER_FDS];
	uint64_t due = tach_recorder_due(r), now = clock_ns();
	size_t n = tach_recorder_fds(r, fds);

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
		return error_set(&r->target.error, TACH_FATAL, "not our child");
	while ((pid = waitpid(r->target.process.pid, status, 0)) < 0 && errno == EINTR)
		continue;
	if (pid < 0)
		return error_set(&r->target.error, TACH_FATAL, "waitpid: %s",
		    strerror(errno));
	r->target.process.child = false;
	return TACH_OK;
}

const char *
tach_recorder_error(const struct tach_recorder *r)
{
	return r->target.error.text;
}
