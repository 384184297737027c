/* SPDX-License-Identifier: ISC */
/*
 * engine.h: the ways to take samples of a target, behind one table.
 *
 * The remote engine reads the target from outside (engine/remote/); by the in-process
 * engine the target's threads sample themselves (engine/inprocess/); the plain engine
 * samples a process without Python (engine/plain/).  The recorder
 * (recorder.c) starts and ends the target and knows no engine but by this table.
 * Both sides share struct target.  An engine never calls the recorder: its results
 * say how the recording goes on.  HACKING.md, section 7, has the words.
 *
 * The calls come in this order: prepare, start; wait until a Python is sampled; then
 * round, or rest in a pause; leave, and wait again, if the Python is lost; at the end
 * stop, stats and leave; free.  One thread at a time calls an engine.
 */
#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/os/os.h"
#include "engine/target/target.h"
#include "tach-record.h"

/* Time between two looks for a Python, while there is none. */
#define WAIT_INTERVAL NS_PER_MS
/* Time between two returns to the caller in a pause. */
#define PAUSE_STEP (100 * NS_PER_MS)
/* Each sleep takes longer than this, so a round that is due sooner begins early. */
#define SHORT_SLEEP (10 * NS_PER_US)
/* Time between two tries to let go a thread that stops too late for its round. */
#define LATE_STEP (2 * NS_PER_MS)
/* Time to wait for such a thread at the end: a thread that is to have no CPU for a
 * while has one again after a second at most. */
#define LATE_PATIENCE (2 * NS_PER_S)

/* A step of an engine, as its recorder goes on after it. */
enum engine_result {
	ENGINE_OK,
	ENGINE_LOST,   /* the Python is gone: the process has ended, or is another
			* program */
	ENGINE_FAILED, /* the sink failed, or memory ran out */
	ENGINE_FATAL,  /* the target's error says why; there are no more rounds */
};

/* A process that was forked from a target, as its engine knows it. */
struct engine_fork {
	pid_t pid; /* as the process says itself: it may be any process's */
	uint32_t slot;
};

/* Begins each engine's own struct. */
struct engine {
	const struct engine_ops *ops;
	struct target *target;
};

/* A call that may be NULL has nothing to do, or returns false. */
struct engine_ops {
	/* ---- its start --------------------------------------------------- */

	/* Makes all that has to be there before the process is sampled, and
	 * changes how the command is started.  The launch is NULL if the process
	 * runs already.  False, with the target's error.  May be NULL. */
	bool (*prepare)(struct engine *, struct launch *);
	/* The target's process is open.  TACH_OK, or TACH_FATAL with the target's
	 * error. */
	int (*start)(struct engine *);
	/* Begins with the Python that was found in a process that runs already.
	 * TACH_OK, or TACH_FATAL with the target's error. */
	int (*attach)(struct engine *);
	/* Shares what the recorders of a family share with the first one's engine,
	 * which is of the same kind.  To be called before start. */
	void (*share)(struct engine *, const struct engine *first);
	/* Finds a process that was forked from the target's, and that no recorder
	 * has.  False if there is none now.  May be NULL. */
	bool (*find_fork)(const struct engine *, struct engine_fork *);
	/* Opens that process as the target's, after share and in place of
	 * process_open.  If it has ended, ->gone of the target is set.  False if
	 * it is not of the family, or cannot be opened.  NULL with find_fork. */
	bool (*open_fork)(struct engine *, const struct engine_fork *);
	/* See tach_recorder_locals.  May be NULL. */
	void (*locals)(struct engine *, const struct tach_locals *);
	/* See tach_recorder_mix.  May be NULL. */
	void (*mix)(struct engine *, bool);

	/* ---- its steps --------------------------------------------------- */

	/* When the next step is due; 0: now. */
	uint64_t (*due)(struct engine *);
	/* Fills in descriptors by which it may be due earlier, until the next step.
	 * Returns how many; 0: a step will notice the end of the process by
	 * itself, and nothing else is worth a poll. */
	size_t (*fds)(const struct engine *, struct pollfd fds[TACH_RECORDER_FDS]);
	/* Whether rounds are taken ahead.  Each step is then a round, which looks
	 * by itself for stops, pauses and ends: it has to end a batch first.  May
	 * be NULL. */
	bool (*is_ahead)(const struct engine *);
	/* A step while no Python is sampled, in a round, and in a pause.  Each sets
	 * ->next of the target if there are no rounds after it. */
	enum engine_result (*wait)(struct engine *, struct tach_sink *);
	enum engine_result (*round)(struct engine *, struct tach_sink *);
	enum engine_result (*rest)(struct engine *, struct tach_sink *);
	/* Says before each step, unless it is ahead, whether a pause is asked for.
	 * May be NULL. */
	void (*pause)(struct engine *, bool);
	/* Lets the threads go that have stopped late.  True if some have yet to
	 * stop.  May be NULL. */
	bool (*holds_late)(struct engine *);

	/* ---- its end ----------------------------------------------------- */

	/* Has the target stop to sample, and gives its last samples to the sink.
	 * May be NULL. */
	enum engine_result (*stop)(struct engine *, struct tach_sink *);
	/* Completes the target's stats and adds its notes to the profile, once the
	 * rounds are over.  TACH_END; or TACH_FATAL if the target could not be
	 * sampled, with the error.  After TACH_END the error, if it is set, says
	 * why there are no samples. */
	int (*stats)(struct engine *);
	/* Leaves the Python, if one is sampled, and waits for nothing. */
	void (*leave)(struct engine *);
	/* Waits for threads that have yet to stop, for LATE_PATIENCE at most.  The
	 * target's process is still open. */
	void (*free)(struct engine *);
};

/* Each makes an engine for a target, which must outlive it.  NULL if out of memory,
 * with errno. */
struct engine *remote_engine_new(struct target *);
struct engine *inprocess_engine_new(struct target *);
struct engine *plain_engine_new(struct target *);

#endif
