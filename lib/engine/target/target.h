/* SPDX-License-Identifier: ISC */
/*
 * target.h: the process that is recorded, its Python, and the state of the
 * recording, which the recorder and its engine (engine/engine.h) share.
 *
 * The recorder makes and frees a target, opens its process, and decides on pauses and
 * on the end.  The engine looks for the Python, says when its samples begin, and
 * counts rounds.  All times are ns of CLOCK_MONOTONIC.
 */
#ifndef ENGINE_TARGET_TARGET_H
#define ENGINE_TARGET_TARGET_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/locate/find.h"
#include "engine/os/os.h"
#include "engine/sched/pace.h"
#include "engine/threads/threads.h"
#include "error.h"
#include "python/runtime.h"
#include "tach-record.h"

/* The search for a Python. */
struct python_search {
	bool found; /* the target's runtime is loaded */
	uint64_t seen; /* for find_python */
	uint64_t deep_at, deep_step; /* next search of memory, its pause */
	uint64_t began;
	enum find_result last;
};

struct target {
	struct tach_recorder_options options;
	struct tach_recorder_stats stats;
	struct tach_meta meta;
	struct tach_table *table;
	struct late_lines *lines; /* of frames of C; NULL: none are wanted */
	struct thread_names names;
	struct process process;
	bool gone; /* the process ended before it was opened */
	struct py_runtime runtime;
	struct python_search search;
	enum tach_recorder_state state;
	struct pace *pace; /* of the family's rounds */
	struct pace_mark mark;
	uint64_t start; /* of the first round; 0: there was none */
	uint64_t next; /* when a step is due while there are no rounds */
	volatile sig_atomic_t stopped, pause; /* asked for */
	uint64_t paused_at; /* when the pause began; 0: none */
	int wake_fd;
	struct error error;
};

/* Makes the table, the pace and the descriptor that wakes the recorder, in a target
 * that is all zero.  False, with errno, if one cannot be had; target_free is to be
 * called all the same. */
bool target_init(struct target *, const struct tach_recorder_options *);
void target_free(struct target *);

/* Whether the process has ended. */
bool target_has_ended(const struct target *);
/* Empties the descriptor that wakes the recorder.  The reason is found by other
 * means. */
void target_heed_wake(const struct target *);
/* Fills in the descriptors that become readable when the recorder is woken, and when
 * the process has ended.  Returns how many: 2. */
#define TARGET_FDS 2
size_t target_fds(const struct target *, struct pollfd fds[TARGET_FDS]);

/* ---- its Python ---------------------------------------------------------- */

/* Ends the rounds, if there were any, and begins the search for a Python. */
void target_wait(struct target *);
/* Looks for a Python; if one was found, looks whether it has begun. */
enum find_result target_look(struct target *);
/* Whether the looks since target_wait say that there is no Python, as it is now. */
bool target_shows_none(const struct target *, uint64_t now);
/* Whether tasks are asked for, but cannot be read in the Python that was found. */
bool target_lacks_tasks(const struct target *);
/* Begins to sample the Python that was found.  Only the first call sets the
 * profile's start and version. */
void target_begin(struct target *, uint64_t now);
/* Begins to sample the process without a Python.  From then on, no look searches its
 * memory. */
void target_begin_plain(struct target *, uint64_t now);

/* ---- its rounds ---------------------------------------------------------- */

/* ns since the first round, without pauses. */
uint64_t target_elapsed(const struct target *, uint64_t now);
/* Whether the duration is over. */
bool target_is_over(const struct target *, uint64_t now);
/* Counts deadlines without a round; `spared` of them were left out, as all of a
 * family's would cost too much. */
void target_count_missed(struct target *, uint64_t missed, uint64_t spared);
void target_begin_pause(struct target *, uint64_t now);
void target_end_pause(struct target *, uint64_t now);

#endif
