/* SPDX-License-Identifier: ISC */
/*
 * tach-record.h: the public header of libtach-record, which records running Pythons.
 * What tach.h says of results, errors and threads holds here as well.  Recorders that
 * share are one handle in this: see tach_recorder_share.  What a recorder changes of
 * its thread and its process, tach_recorder_new says.
 */
#ifndef TACH_RECORD_H
#define TACH_RECORD_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tach.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

/* ---- recorder: a running Python as a source ----------------------------- */

struct tach_recorder;

/* Who takes the samples: we, from outside; or the program's threads, of
 * themselves, by a library that is preloaded into it. */
enum tach_recorder_engine {
	TACH_ENGINE_REMOTE,
	TACH_ENGINE_INPROCESS,
};

/* Which samples are kept: those of all threads; or of those that were on a
 * CPU, held the GIL, or were handling an exception. */
enum tach_recorder_mode {
	TACH_MODE_WALL,
	TACH_MODE_CPU,
	TACH_MODE_GIL,
	TACH_MODE_EXCEPTION,
};

/* Whose awaiting tasks are under the frames of a thread that runs asyncio:
 * nobody's, the running task's, or in stacks of their own all tasks'. */
enum tach_recorder_async {
	TACH_ASYNC_NONE,
	TACH_ASYNC_RUNNING,
	TACH_ASYNC_ALL,
};

/* Whether samples of blocked threads have a frame for the reason: none; those that wait
 * for another thing than the GIL or a CPU, by its kind; all, by the kind; all, with
 * names of paths, peers and processes. */
enum tach_recorder_waits {
	TACH_WAITS_NONE,
	TACH_WAITS_CALLS,
	TACH_WAITS_KIND,
	TACH_WAITS_FULL,
	TACH_WAITS_EXACT, /* the kind, and samples at each wait's begin and end, which
			   * have TACH_STATUS_SWITCH: needs BPF; not in-process */
};

/* Which frames of C are in stacks: none; those that Python called or that called
 * Python, without functions of the interpreter that only pass a call on; or all. */
enum tach_recorder_mixed {
	TACH_MIXED_NONE,
	TACH_MIXED_CALLS,
	TACH_MIXED_ALL,
};

struct tach_recorder_options {
	size_t size;
	enum tach_recorder_engine engine;
	bool follow; /* in-process: all processes that come from it as well */
	uint64_t interval_ns;
	uint64_t duration_ns; /* 0: until the target ends */
	enum tach_recorder_mode mode;
	enum tach_recorder_async async;
	bool jitter;	/* rounds at random distances, interval_ns on average */
	bool blocking;	/* stop the threads that run for each round; one that
			 * stops too late for that is let go by the calls of
			 * tach_recorder_round and tach_recorder_step, and by
			 * tach_recorder_free */
	bool careful;	/* read them from their own CPUs, as far as that can be:
			 * for a round that counts for itself, as it takes time
			 * from them */
	bool main_only; /* the main thread alone */
	bool drop_idle; /* keep no sample whose status is idle */
	bool no_gc;	/* no <GC> frames */
	bool native;	/* <native> frames where C code was called through */
	bool opcodes;	/* frames say which instruction they are at */
	bool pre_release; /* Pythons before their release candidates, too: the
			   * known layout may not be theirs, so a note in the
			   * table says that samples may be wrong */
	bool no_callees; /* no frame for the function of C that the innermost Python
			  * frame calls, where that is known for sure */
	enum tach_recorder_waits waits; /* in-process, of waits that are read from
					 * outside */
	enum tach_recorder_mixed mixed; /* other than none: a thread that runs is
			 * stopped for each of its samples, for a moment, and one
			 * that is blocked if its stack cannot be told else; if
			 * ->careful, each thread; in-process no thread is */
	bool plain; /* frames of C of a process without Python, too, as long as it is
		     * one: see ->plain of the stats; not in-process */
	bool kernel; /* frames of the kernel above all others, of threads that are in it;
		      * needs rights, which the call that starts the recorder tells; not
		      * in-process */
	bool native_lines; /* frames of C are to get source lines: see
			    * tach_recorder_lines */
};

/* What tells a thread that it is to take a sample of itself. */
enum tach_clock {
	TACH_CLOCK_PERF, /* its CPU time, exactly */
	TACH_CLOCK_CPU,	 /* the same, at the kernel's tick only */
	TACH_CLOCK_WALL,
};

/* Room for this many clocks: more of them change no struct. */
#define TACH_CLOCKS 8

#define TACH_HANDLER_TIMES 64

/*
 * What the in-process engine counts.  Ticks are intervals: a sample stands for
 * as many as have gone by.  The struct lies in tach_recorder_stats and is also a
 * caller's, who adds to it.  So it begins with its size, which never changes: new
 * counts take the place of `reserved`, which is zero.
 */
struct tach_inprocess_stats {
	size_t size;
	uint64_t records; /* samples that threads took */
	uint64_t weight;  /* ticks that they stand for */
	uint64_t overruns; /* signals that came as part of another */
	/* Ticks without a sample: */
	uint64_t early;	    /* Python was not found yet */
	uint64_t stateless; /* a thread without Python: no loss */
	uint64_t invalid;   /* what was there was no stack */
	uint64_t full;	    /* there was no room */
	uint64_t late;	    /* at a thread's end, with no signal any more */
	uint64_t damaged; /* records that made no sense when they came */
	uint64_t handler_ns; /* what samples cost, in all ... */
	/* ... and how many cost how much: class i has those below 2^(i/4) * 100
	 * ns, the last one all others. */
	uint64_t handler_times[TACH_HANDLER_TIMES];
	uint64_t handler_mean_ns, handler_p99_ns; /* what one cost */
	uint32_t ring_high; /* bytes between a thread and us that were used at
			     * most ... */
	uint32_t ring_size; /* ... of so many */
	uint64_t frames, frames_known; /* names asked for, and known before */
	uint32_t clocks[TACH_CLOCKS]; /* threads that had each; by tach_clock */
	uint32_t refused; /* threads that could have none, so that they took no
			   * samples ... */
	int refused_errno; /* ... and why not the last of them */
	uint64_t reserved[16];
};

#define TACH_NATIVE_FAULTS 8

/* Stacks with functions of C that are not whole, for one cause. */
struct tach_native_fault {
	uint64_t count;
	char cause[248]; /* its beginning, with a NUL: words, and a module's path */
};

struct tach_recorder_stats {
	uint64_t elapsed_ns;  /* since the first round, without pauses */
	uint64_t paused_ns;   /* in pauses that are over */
	uint64_t rounds;      /* moments at which all threads were sampled */
	uint64_t missed;      /* rounds whose time had passed: not made up;
			       * in-process, ticks for which no sample was taken:
			       * there was no room, or the thread ended */
	uint64_t spared;      /* of these, left out as all of a family's would
			       * have taken too much of the CPUs */
	uint64_t samples;     /* thread samples given to the sink */
	uint64_t torn;	      /* of these, kept from their root only */
	uint64_t interrupted; /* of these, read in an interrupt of the thread */
	uint64_t dear;	      /* of these, not so, as it would take the thread too
			       * much of its time ... */
	uint64_t unfit;	      /* ... or as its stack is too deep to be copied so */
	uint64_t compiled;    /* of these, in code that Python's JIT made */
	uint64_t failed;      /* thread samples lost, because: */
	uint64_t unreadable;  /* memory could not be read */
	uint64_t moving;      /* the stack never held still */
	uint64_t unknown;     /* code objects could not be read */
	uint64_t retries;     /* reads repeated because the target moved on */
	uint32_t threads;     /* that have samples */
	uint32_t strays;      /* thread states of which no thread is known */
	uint32_t unkept;      /* threads for which there was no descriptor left */
	bool no_tasks;	      /* they were asked for, but this Python does not tell
			       * of them */
	struct tach_inprocess_stats inprocess;
	/* Known at the end of the rounds: */
	uint64_t native;       /* stacks with functions of C that were made ... */
	uint64_t native_whole; /* ... and of these, exact and without a gap */
	struct tach_native_fault native_faults[TACH_NATIVE_FAULTS]; /* the most
			       * frequent ones first; a count of 0: no more */
	uint64_t plain; /* of the samples, without Python in the process */
	/* With TACH_WAITS_EXACT: waits that were recorded; of these, without a stack;
	 * waits whose end the kernel has not told; and switches that were lost, as too
	 * many came at once. */
	uint64_t waits, waits_bare, waits_open, waits_lost;
	/* With ->kernel of the options: stacks that were made; of these, with frames of the
	 * kernel; and those of which it is not known whether they would have some. */
	uint64_t kernel, kernel_inside, kernel_unknown;
	/* After tach_recorder_lines: places in code of C that can have a line, and of these,
	 * places that have got one. */
	uint64_t native_addresses, native_lines;
};

/* What a recorder is doing. */
enum tach_recorder_state {
	TACH_RECORDER_WAITING, /* no Python found in the target yet */
	TACH_RECORDER_SAMPLING,
	TACH_RECORDER_ENDED,
};

/*
 * NULL, with errno: out of memory; EINVAL: an interval of 0, an engine, a mode or an
 * async that there is not, or a size that cannot be used.
 *
 * From the call that starts it until tach_recorder_free, a recorder changes the
 * thread that calls it: its scheduling class, slice and timer slack, and from
 * one round to the next the CPUs that it may run on; and the process: its soft
 * limit of open files is the hard one.  tach_recorder_free, which is to be
 * called by the same thread, gives all of that back, the last one of a thread or
 * of the process where there are more.  A thread without CAP_SYS_NICE that may
 * be real-time nevertheless keeps SCHED_RESET_ON_FORK.  A command that is
 * launched while another recorder runs inherits some of that.
 */
struct tach_recorder *tach_recorder_new(const struct tach_recorder_options *)
    TACH_CHECKED TACH_NONNULL(1);
void tach_recorder_free(struct tach_recorder *);

/* Starts a command, whose stdin, stdout and stderr are the caller's; with
 * stdout_fd >= 0 its standard output is that descriptor.  TACH_FATAL: it
 * could not be run, with errno as execvp left it; EINTR: tach_recorder_stop was
 * called before.  It never gets to run a signal handler of the caller's. */
int tach_recorder_launch(struct tach_recorder *, char *const argv[],
    int stdout_fd) TACH_CHECKED TACH_NONNULL(1, 2);
int tach_recorder_attach(struct tach_recorder *, pid_t)
    TACH_CHECKED TACH_NONNULL(1);
/* The same for a process that may become a Python at any time, as a command
 * may: that there is none in it yet is no failure.  In-process only for one that
 * shares: see tach_recorder_share. */
int tach_recorder_follow(struct tach_recorder *, pid_t)
    TACH_CHECKED TACH_NONNULL(1);

/*
 * Of processes that come from the one that a recorder follows: one that is to
 * follow such a process shares the deadlines and the interval of the first, and
 * what their rounds may take of the CPUs, so one thread is to take the rounds of
 * both; in-process also what the first has put into it.  To be called when the
 * first was started, and before tach_recorder_follow.
 *
 * What is shared lives as long as one of them: the first may be freed before the
 * others, and any of them is as good as the first for those that come later.
 * Neither call waits for anything; tach_recorder_free of the last one can take some
 * milliseconds more.  Another thread may take the rounds of the first meanwhile, but
 * it must not free it.
 *
 * One thread at a time calls a recorder, but for tach_recorder_stop and
 * tach_recorder_pause.  While its state is TACH_RECORDER_SAMPLING, that is the one
 * thread which takes the rounds of all that share and are in that state; before and
 * after that it may be any thread.
 *
 * That thread can be real-time, if nobody has chosen its class, from the first of
 * their rounds until none of them is in that state any more.  It may then use the
 * CPUs of the thread that called the recorder before its rounds.  If it is another
 * thread than the one that started the recorder, it keeps short slices and sharp
 * timers: tach_recorder_free gives these back only where it was started.
 *
 * And a new recorder, which has been told to follow, of one that has been forked
 * and that nobody follows; NULL: there is none now.
 */
void tach_recorder_share(struct tach_recorder *,
    const struct tach_recorder *first) TACH_NONNULL(1, 2);
struct tach_recorder *tach_recorder_fork(const struct tach_recorder *first)
    TACH_CHECKED TACH_NONNULL(1);

/*
 * From now on, each local variable of each frame of a sample is told before
 * the sink gets that sample, with its value as repr() would give it, shortened.
 * outer counts the frames outside of that one.  No name: the variables of this
 * frame changed while they were read.  Takes its time: not for many rounds.  No
 * function: they are not told any more.
 * TACH_FATAL, TACH_EUSE: the struct cannot be used, and nothing has changed.
 */
struct tach_locals {
	size_t size;
	void (*tell)(void *arg, uint32_t outer, struct tach_string name,
	    struct tach_string value);
	void *arg;
};
int tach_recorder_locals(struct tach_recorder *, const struct tach_locals *)
    TACH_CHECKED TACH_NONNULL(1, 2);
/* Whether the next rounds have the frames of C of ->mixed of the options; the first
 * ones do.  Without them no thread is stopped. */
void tach_recorder_mix(struct tach_recorder *, bool);

/* Waits for the next deadline and samples every thread of every
 * interpreter once.  TACH_OK: go on; TACH_END: the target is gone, the
 * duration is over, or tach_recorder_stop was called. */
int tach_recorder_round(struct tach_recorder *, struct tach_sink *)
    TACH_CHECKED TACH_NONNULL(1, 2);

/*
 * The same for a caller who sleeps for several recorders.  All three are for one
 * thread, which the recorder may make real-time and move to other CPUs while it
 * takes rounds.
 * tach_recorder_step does what tach_recorder_round does, if it is due, with the
 * same results; it does not wait for the next round.  With blocking it waits for a
 * thread that does not stop, for 10 ms at most and not again before that has.  At
 * the end of the rounds it returns TACH_OK as long as such a thread has yet to be
 * let go, which can take two seconds; tach_recorder_round waits for that, and so
 * does tach_recorder_free if the rounds were not over.
 * tach_recorder_due: when that is (ns, CLOCK_MONOTONIC); 0: now.
 * tach_recorder_fds: descriptors by which it may be due earlier, to be polled for
 * the events that are set; they are the recorder's, and hold until its next step.
 * Returns how many it has put into fds: max at most.  The library has up to
 * TACH_RECORDER_FDS of them, a later one perhaps more; by those that are left out
 * nothing is due earlier.
 */
#define TACH_RECORDER_FDS 18
uint64_t tach_recorder_due(struct tach_recorder *);
size_t tach_recorder_fds(const struct tach_recorder *, struct pollfd *fds,
    size_t max);
int tach_recorder_step(struct tach_recorder *, struct tach_sink *)
    TACH_CHECKED TACH_NONNULL(1, 2);

void tach_recorder_stop(struct tach_recorder *); /* async-signal-safe */
/* No rounds from now on, or again: a gap in the profile, in which the duration
 * stands still.  async-signal-safe. */
void tach_recorder_pause(struct tach_recorder *, bool);
/* Whether there is such a gap now. */
bool tach_recorder_paused(const struct tach_recorder *);

/*
 * The recorder as a source: the runs of a round, then TACH_AGAIN, and so on until
 * TACH_END.  Rounds are taken by tach_recorder_round, steps by tach_recorder_step.
 * A source is freed before its recorder, which stays the caller's.  NULL: out of
 * memory.
 */
struct tach_source *tach_rounds_new(struct tach_recorder *)
    TACH_CHECKED TACH_NONNULL(1);
struct tach_source *tach_steps_new(struct tach_recorder *)
    TACH_CHECKED TACH_NONNULL(1);
/* tach_recorder_locals for such a source. */
int tach_rounds_locals(struct tach_source *, const struct tach_locals *)
    TACH_CHECKED TACH_NONNULL(1, 2);

/*
 * Gives the frames of C that are in the table the source files and lines of their debug
 * information, if ->native_lines of the options asks for that.  To be called once, by any
 * thread, when the rounds are over and before a writer is finished.  Takes 20 s at most;
 * children of this process, without rights, read the files.  TACH_WARN: some lines are
 * missing, and the error says of which file.
 */
int tach_recorder_lines(struct tach_recorder *) TACH_CHECKED TACH_NONNULL(1);

enum tach_recorder_state tach_recorder_state(const struct tach_recorder *);
/* Complete once the state has been TACH_RECORDER_SAMPLING. */
const struct tach_meta *tach_recorder_meta(const struct tach_recorder *);
const struct tach_table *tach_recorder_table(const struct tach_recorder *);
const struct tach_recorder_stats *tach_recorder_stats(
    const struct tach_recorder *);
pid_t tach_recorder_pid(const struct tach_recorder *);
/* Waits until a launched command ends and reaps it; gives its wait(2)
 * status. */
int tach_recorder_wait(struct tach_recorder *, int *status)
    TACH_CHECKED TACH_NONNULL(1, 2);
enum tach_error tach_recorder_error(const struct tach_recorder *,
    const char **line) TACH_NONNULL(1);

/* Adds what was counted in another process: sums, what was most in any, and
 * what a sample cost in all.  False, and nothing is added: the size of one
 * was not set. */
bool tach_inprocess_add(struct tach_inprocess_stats *,
    const struct tach_inprocess_stats *) TACH_NONNULL(1, 2);
/* As the note of a profile, see tach(5).  NULL: out of memory, or no size;
 * else to be freed. */
char *tach_inprocess_note(const struct tach_inprocess_stats *)
    TACH_CHECKED TACH_NONNULL(1);

/* ---- children: the Pythons that a Python starts ------------------------- */

struct tach_children;

/* Of all processes that one has forked, and those have, by now or later; the
 * one itself is none of them.  If its orphans become its children again
 * (PR_SET_CHILD_SUBREAPER) no descendant is overlooked; else one can be whose
 * parent ended between two calls.  pre_release: see tach_recorder_options.
 * NULL: out of memory, or there is no /proc. */
struct tach_children *tach_children_new(pid_t, bool pre_release) TACH_CHECKED;
void tach_children_free(struct tach_children *);

/* To be called every few milliseconds until it returns TACH_END: none is left
 * for now.  TACH_OK: *pid has become a Python, which it is told of only once.
 * TACH_WARN: *pid cannot be recorded as it is, and tach_children_error says
 * why. */
int tach_children_next(struct tach_children *, pid_t *)
    TACH_CHECKED TACH_NONNULL(1, 2);
enum tach_error tach_children_error(const struct tach_children *,
    const char **line) TACH_NONNULL(1);
/* Whether one that is no Python yet is less than a second old. */
bool tach_children_young(const struct tach_children *);
/* How many came while there were too many to look at. */
uint64_t tach_children_missed(const struct tach_children *);

/* ---- check: what is permitted here -------------------------------------- */

/* What a recorder asks of the kernel, of this user's rights, or of a process. */
enum tach_check {
	TACH_CHECK_COMMAND,    /* to read a process that this one has started */
	TACH_CHECK_OTHERS,     /* ... and one of this user that it has not ... */
	TACH_CHECK_STRANGERS,  /* ... and those of other users, which takes the
				* same right as one that may not be dumped */
	TACH_CHECK_INTERRUPTS, /* to load the BPF programs that copy a thread */
	TACH_CHECK_EVENTS,     /* to open a perf event of a thread; TACH_WARN: of
				* its time outside of the kernel only */
	TACH_CHECK_REALTIME,   /* to be real-time; TACH_WARN: another class or
				* niceness was chosen, which stays */
	TACH_CHECK_AGENT,      /* to preload the in-process engine's library, whose
				* path the line gives */
	TACH_CHECK_MEMORY,     /* to read the memory of the process */
	TACH_CHECK_ATTACH,     /* to have a Python that runs load that library */
	TACH_CHECK_SWITCHES,   /* to have a BPF program run at each switch, as
				* TACH_WAITS_EXACT needs it */
};

/*
 * Tries one of them by the calls that a recorder makes, and undoes what they did: it
 * starts processes and threads that end before it returns, and never writes to the
 * process.  The pid is for the last two; TACH_CHECK_EVENTS takes the main thread of
 * that process, or with 0 a process of its own.
 *
 * TACH_OK: it can be done; TACH_WARN: in part; TACH_FATAL: it cannot, with errno of
 * the call that was refused, or 0 if none was.  The line has at most size bytes with
 * its NUL, and says why not; "" if there is nothing to say.
 */
int tach_check(enum tach_check, pid_t, char *line, size_t size)
    TACH_CHECKED;

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
