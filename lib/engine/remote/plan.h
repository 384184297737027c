/* SPDX-License-Identifier: ISC */
/*
 * plan.h: the plan of a round: the target's interpreters and threads, the
 * threads that can have run since the last look at them, and a copy, made by one
 * call, of all memory that is needed of these threads.
 */
#ifndef ENGINE_REMOTE_PLAN_H
#define ENGINE_REMOTE_PLAN_H

#include "engine/copy/snapshot.h"
#include "engine/stack/stack_reader.h"
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
	PLAN_PAST,  /* the same, in a record that was made ahead of its round */
};

/* The threads that a batch copies. */
struct asked {
	/* Addresses of their thread states.  Two or more of them are takers. */
	uint64_t states[INTERRUPT_TAKERS];
	size_t count;
};

struct plan {
	/* Borrowed from the caller, and valid as long as the plan. */
	const struct process *process;
	const struct py_runtime *runtime;
	struct stack_reader *reader;
	struct interrupts *interrupts; /* or NULL */
	bool stops; /* threads that run are stopped and read again */
	bool moves; /* a thread moves whenever it has a CPU, not only with a GIL: its
		     * frames of C are wanted */
	struct interps interps;
	struct threads threads;
	struct py_threads list; /* as it was read last */
	bool listed;		/* the lists are up to date */
	struct snapshot all;	/* the newest copy */
	struct globals_copy globals;
	enum plan_kind kind; /* of the copy */
	bool kept;	/* no GIL changed hands between the last two looks */
	const struct asked *asked; /* if it is a record: of its batch */
	uint64_t time_us, lists_due; /* us: of the round; lists are due */
	struct spans spans;
};

/* All pointers must outlive the plan.  The interrupts may be NULL. */
void plan_init(struct plan *, const struct process *,
    const struct py_runtime *, struct stack_reader *, struct interrupts *,
    bool stops);
void plan_free(struct plan *);

/* Copies in an interrupt the only thread that can have run without a sign of it, if
 * it runs, and marks the other threads as plan_copy does.  Unless ->kept is true
 * then, plan_copy has more to copy.  COPY_FAILED if there is no such copy: plan_copy
 * has to make the round's first one. */
enum copy_result plan_interrupt(struct plan *);

/* Takes the current record of a batch, which is of that thread, as plan_interrupt
 * takes its copy.  COPY_FAILED if the record is of no use.  The batch's threads must
 * outlive the copy. */
enum copy_result plan_take(struct plan *, struct thread *, const struct batch *,
    const struct asked *);
/* Whether the copy is a record of takers and a thread is one of them, so that it has
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
/* The only thread that can have run without a sign of it.  NULL if there are more
 * such threads or none, or if it did not run at the last look at it. */
struct thread *plan_runner(const struct plan *);
/* Empties the copy, and adds all that comes before the thread in a copy of one
 * thread.  False if out of memory. */
bool plan_begin_alone(struct plan *, struct thread *);
/* The address of the link to a thread, in the thread before it in its interpreter's
 * list.  0 if it is the first one. */
uint64_t plan_link(const struct plan *, const struct thread *);

/* The interpreter of a thread; valid until the next copy. */
struct interp *plan_interp(const struct plan *, const struct thread *);
/* Whether the GIL of a thread's interpreter tells whether its last sample holds. */
bool plan_is_told(const struct plan *, const struct thread *);
/* Whether a thread may have run between the last two looks. */
bool plan_may_have_run(const struct plan *, const struct thread *);

#endif
