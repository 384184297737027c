/* SPDX-License-Identifier: ISC */
/*
 * plan.h: the plan of a round: the target's interpreters and threads, the
 * threads that can have run since the last look at them, and a copy, made by one
 * call, of all memory that is needed of these threads.
 */
#ifndef ENGINE_REMOTE_PLAN_H
#define ENGINE_REMOTE_PLAN_H

#include "engine/copy/snapshot.h"
#include "engine/stack/chains.h"
#include "engine/stack/interrupted.h"
#include "engine/threads/interps.h"
#include "engine/threads/threads.h"

/* The interpreters in the plan's copy. */
struct globals_copy {
	size_t first, count; /* their ranges */
	size_t at;	     /* offset of their bytes */
	size_t head_at;	     /* offset of the first interpreter's address */
};

/* How a plan's copy was made. */
enum plan_kind {
	PLAN_FULL,
	PLAN_LEAN,  /* it has no links of the lists */
	PLAN_ALONE, /* it has one thread, copied in an interrupt */
	PLAN_PAST,  /* the same, ahead of its round */
};

/* The threads that are copied ahead. */
struct asked_ahead {
	/* Addresses of their thread states.  Two or more of them are takers. */
	uint64_t states[INTERRUPT_TAKERS];
	size_t takers;
	unsigned in_its_way; /* times in a batch that a thread lost its CPU */
};

struct plan {
	/* Borrowed from the caller, and valid as long as the plan. */
	const struct process *process;
	const struct py_runtime *runtime;
	struct chains *chains;
	struct interrupts *interrupts; /* or NULL */
	bool stops; /* threads that run are stopped and read again */
	struct interps interps;
	struct threads threads;
	struct py_threads list; /* as it was read last */
	bool listed;		/* the lists are up to date */
	struct snapshot all;	/* the newest copy */
	struct globals_copy globals;
	enum plan_kind kind; /* of the copy */
	bool kept;	/* no GIL changed hands between the last two looks */
	struct asked_ahead ahead;
	uint64_t time_us, lists_due; /* us: of the round; lists are due */
	struct spans spans;
};

/* All pointers must outlive the plan.  The interrupts may be NULL. */
void plan_init(struct plan *, const struct process *,
    const struct py_runtime *, struct chains *, struct interrupts *,
    bool stops);
void plan_free(struct plan *);

/* Copies in an interrupt the only thread that can have run without a sign of it, if
 * it runs, and marks the other threads as plan_copy does.  Unless ->kept is true
 * then, plan_copy has more to copy.  COPY_FAILED if there is no such copy: plan_copy
 * has to make the round's first one. */
enum copy_result plan_interrupt(struct plan *);

/* The number of threads that a batch could copy ahead now: 1 if the GILs are kept
 * and one thread can have run, more if there are takers, else 0. */
size_t plan_may_go_ahead(const struct plan *, const struct batch *);
/* Begins a batch of these threads.  It wakes the recorder after `size` records.
 * False if it cannot be had. */
bool plan_go_ahead(struct plan *, struct batch *, uint64_t interval_ns,
    uint32_t size);
/* Takes the batch's current record as plan_interrupt takes its copy.  COPY_FAILED if
 * the record is of no use. */
enum copy_result plan_take(struct plan *, const struct batch *);
/* Whether a thread of the batch has ended, or waits for something other than a CPU
 * or its turn.  Else the recorder or another thread took its CPU; now and then
 * the recorder leaves that CPU. */
bool plan_ahead_rests(struct plan *);
/* Whether the copy was made ahead and a thread is one of its takers, so that it has
 * the GIL or waits for it. */
bool plan_takes_turns(const struct plan *, const struct thread *);

/*
 * Copies threads: in a round's first copy the threads that can have run without a
 * sign of it, later the stale threads that are not done.  Marks a thread as stale
 * if its last sample may not hold any more, and as unsure if only its status may
 * have changed.  COPY_FAILED if the lists cannot be read.
 */
enum copy_result plan_copy(struct plan *, bool first);
/* Makes the first copy without the links of the lists.  COPY_FAILED if plan_copy has
 * to make it: the lists are due or have changed, or a GIL has changed hands. */
enum copy_result plan_copy_lean(struct plan *);

/* The capture of a thread that the newest copy has; valid until the next copy. */
struct capture plan_capture(const struct plan *, const struct thread *);
/* The interpreter of a thread; valid until the next copy. */
struct interp *plan_interp(const struct plan *, const struct thread *);
/* Whether a thread may have run between the last two looks. */
bool plan_may_have_run(const struct plan *, const struct thread *);

#endif
