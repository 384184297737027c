/* SPDX-License-Identifier: ISC */
/*
 * plan.h: which threads of a round are read, and how: which interpreters and
 * threads there are, which of these can have run since they were looked at last,
 * and a copy of all that is needed of those, by one call.
 */
#ifndef ENGINE_REMOTE_PLAN_H
#define ENGINE_REMOTE_PLAN_H

#include "engine/copy/snapshot.h"
#include "engine/stack/chains.h"
#include "engine/stack/interrupted.h"
#include "engine/threads/interps.h"
#include "engine/threads/threads.h"

struct plan {
	const struct process *process;
	const struct py_runtime *runtime;
	struct chains *chains;
	struct interrupts *interrupts; /* or NULL */
	bool stops; /* threads stand still when they are copied */
	struct interps interps;
	struct threads threads;
	struct py_threads list; /* as they were read last */
	bool listed;		/* that is what there is */
	struct snapshot all;	/* the newest copy */
	size_t globals_first, globals_count; /* ranges of it, ... */
	size_t globals_at; /* ... and where they lie in it */
	size_t head_at; /* and the address of the first interpreter */
	bool lean;	/* it has no lists */
	bool alone;	/* it has one thread, copied in an interrupt */
	bool kept;	/* no GIL has changed hands of late */
	bool past;	/* and was made ahead of its round */
	/* The thread states that are copied so: if there are more than one, they
	 * take turns. */
	uint64_t ahead[INTERRUPT_TAKERS];
	size_t takers;
	unsigned in_its_way; /* how often we took its CPU since then */
	uint64_t time_us, lists_due; /* of the round; when lists are due */
	struct spans spans;
};

/* All must outlive it; there may be no interrupts. */
void plan_init(struct plan *, const struct process *,
    const struct py_runtime *, struct chains *, struct interrupts *,
    bool stops);
void plan_free(struct plan *);

/* Copies the one thread that can have run without a sign of it in an interrupt,
 * if there is one and it runs, and marks the others as below.  Unless ->kept,
 * there is more to copy.  False: it has to be copied otherwise, too. */
bool plan_interrupt(struct plan *);

/* Has the one thread that can have run copied ahead, if the GILs are kept, or
 * those that take turns, and says beforehand how many that would be; and takes
 * what was copied of one as plan_interrupt does. */
size_t plan_may_go_ahead(const struct plan *, const struct batch *);
bool plan_go_ahead(struct plan *, struct batch *, uint64_t interval_ns,
    uint32_t size);
bool plan_take(struct plan *, const struct batch *);
/* Whether one of them, which has left its CPU, waits for something but that,
 * and its turn; if not, it was we who took it, or another one. */
bool plan_ahead_rests(struct plan *);
/* Whether a thread is one of those that take turns, as was copied ahead: then
 * it has its own, or waits for it. */
bool plan_takes_turns(const struct plan *, const struct thread *);

/*
 * Copies the threads that are stale and not done, and in a round's first copy
 * those that can have run without a sign of it; marks as stale those whose last
 * sample does not hold any more, and as unsure those of which only the status
 * may not.  False: the lists are not to be had.
 */
bool plan_copy(struct plan *, bool first);
/* The first copy without the lists.  False: they may matter. */
bool plan_copy_lean(struct plan *);

/* The interpreter of a thread. */
struct interp *plan_interp(const struct plan *, const struct thread *);
/* Whether a thread may have run between the last two looks. */
bool plan_may_have_run(const struct plan *, const struct thread *);

#endif
