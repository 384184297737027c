/* SPDX-License-Identifier: ISC */
/* threads.h: the target's threads, as a recorder keeps them between rounds. */
#ifndef ENGINE_THREADS_THREADS_H
#define ENGINE_THREADS_THREADS_H

#include "engine/copy/workset.h"
#include "engine/os/process.h"
#include "engine/os/switches.h"
#include "python/frames.h"
#include "python/runtime.h"
#include "set.h"
#include "tach.h"

/* ---- numbers: (interpreter, thread id) -> a dense index ---------------- */

struct thread_name {
	uint64_t tid;
	uint32_t interp;
	bool counted;	/* it has samples */
	uint64_t state; /* thread state that was sampled last under it */
};

struct thread_names {
	struct thread_name *list;
	uint32_t count;
	size_t max;
	struct set set;
};

/* TACH_NONE: out of memory. */
uint32_t thread_names_add(struct thread_names *, uint32_t interp, uint64_t tid);
/* Counts samples of one, at least one, and it with its first. */
void thread_names_count(struct thread_names *, uint32_t index,
    uint64_t samples, struct tach_recorder_stats *);
void thread_names_free(struct thread_names *);

/* ---- one thread state -------------------------------------------------- */

struct thread {
	struct py_thread py;
	uint64_t tid;	/* as the target knows it; 0: not bound yet */
	uint64_t told;	/* the id that its state gave when it was bound */
	uint64_t pthread; /* where that is found by this; see tids.h */
	pid_t task;	/* as we know it; 0: not known */
	int cpu;	/* on which it was interrupted last, or -1 */
	/* It is not to be interrupted before that (ns, by clock_ns; 0: it may be):
	 * to copy it took too long, or, if it is unfit, was in vain. */
	uint64_t spared;
	bool unfit;
	int syscall_fd; /* of /proc/PID/task/TID/syscall, or -1: not kept */
	struct switches switches;
	uint64_t waiting; /* how many it had had when it last was seen to wait
			   * for the GIL; SWITCHES_UNKNOWN: it did not */
	uint64_t parked; /* the same, to be blocked: as long as it has had no
			  * more, it stands still */
	unsigned looks;	/* at what it does, though it had not run */
	uint32_t index; /* TACH_NONE: not bound yet */
	struct workset set;
	struct workset needed; /* by the samples since the set was made */
	unsigned samples;	/* so many */
	/* Its last sample. */
	struct py_chain chain;
	uint32_t *frames; /* innermost first; chain.depth of them */
	size_t frames_max;
	uint64_t replaced; /* codes_replaced() then */
	/* Where it lies in the round's snapshot: its first range, how many
	 * there are, and the offset of its bytes; and those of what was copied
	 * before them. */
	size_t first, ranges, copy;
	size_t before, before_copy;
	size_t link; /* where the link to it lies in there, or SIZE_MAX */
	bool gone; /* its state could not be read, or is ... */
	bool stray; /* ... of no thread of the process, as far as was seen */
	unsigned sought; /* how often that was seen */
	uint64_t seek_us; /* when its thread may be sought again */
	bool holds_gil; /* in this round */
	bool still;	/* it was copied in an interrupt, in this round */
	bool held;	/* it ran, and was made to stop to be read */
	bool copied; /* it is in the round's snapshot */
	bool done;   /* in this round */
	/* Where no GIL tells who ran: it was blocked at the last look and has
	 * had no CPU since; and it was read last in the time since then. */
	bool blocked, rests;
	/* Its last sample may be no longer what it does: read it. */
	bool stale;
	/* Only the status of that may be another one: look for it. */
	bool unsure;
	bool live;	/* it has a last sample */
	bool passed;	/* it has none, as one of its status is not wanted */
	bool lost;	/* it has none that holds, as reading it failed, or gave a
			 * part of it */
	bool sound;	/* and all calls in that are known */
	uint64_t count; /* of its stamp: see codes.h */
	uint8_t status; /* of that */
	uint64_t time_us; /* when it was read */
	/* Time of its newest sample, also a repeated one; UINT64_MAX: none. */
	uint64_t sampled_us;
	bool wants_gil, exception; /* what it said of these */
	size_t interp;	/* number of its interpreter in the list */
	uint64_t stack; /* of its last chain, if that has frames; else 0 */
};

/* One of which nothing is known yet; and what it has comes to an end. */
struct thread thread_new(struct py_thread);
void thread_free(struct thread *);

/* Threads in the order of the target's list. */
struct threads {
	struct thread *list;
	size_t count;
};

/* Makes the threads those of a new list; what is known of the ones that stay
 * is kept.  False: out of memory. */
bool threads_update(struct threads *, const struct py_threads *);
void threads_free(struct threads *);

/* Finds a thread that has not been found yet, by an id that may soon be another:
 * so that it can be looked at.  And takes note of the id that the target's memory
 * gives for it. */
void thread_find(struct thread *, const struct process *, uint64_t tid);
void thread_bind(struct thread *, const struct process *, uint64_t tid);

#endif
