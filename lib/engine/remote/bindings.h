/* SPDX-License-Identifier: ISC */
/*
 * bindings.h: which thread of the process uses a thread state.
 *
 * A state names its thread by an id, or by pthread_self() (to 3.10).  After a fork by
 * C, or where another thread has taken it over, it names a wrong one: then the thread
 * is found by other evidence (identity.h).  A thread with several states, such as one
 * in each interpreter, runs by one of them.
 */
#ifndef ENGINE_REMOTE_BINDINGS_H
#define ENGINE_REMOTE_BINDINGS_H

#include "engine/remote/plan.h"
#include "engine/stack/stack_reader.h"
#include "engine/threads/identity.h"
#include "engine/threads/status.h"
#include "engine/threads/tids.h"

struct bindings {
	struct plan *plan;
	const struct stack_reader *reader;
	const struct process *process;
	const struct py_offsets *offsets;
	struct tids tids;
	struct identity identity;
	bool twofold; /* some thread has had two states at once */
};

/* The plan and its reader must outlive the bindings. */
void bindings_init(struct bindings *, struct plan *);
void bindings_free(struct bindings *);

/* Finds a thread that has no sample yet before it is read: whether its stack is
 * believed depends on the CPU that it runs on.  A new state has the id of the thread that
 * made it, until its own thread begins. */
void bindings_find(struct bindings *, struct thread *);
/* Gives a state the id of its thread.  id: as a copy of the state has it.  False if
 * there is none, or if it is not known. */
bool bindings_bind(struct bindings *, struct thread *, uint64_t id);
/* Seeks a thread that uses a state which names another thread.  If there is one, gives
 * the state its id, and returns true. */
bool bindings_seek_user(struct bindings *, struct thread *, const struct moment *);

/* Whether a thread runs by another state now.  True also if another state has the
 * thread's sample of this moment already. */
bool bindings_elsewhere(const struct bindings *, const struct thread *,
    uint64_t time_us);
/* Whether the thread has ended, and left its state behind. */
bool bindings_was_left(const struct bindings *, struct thread *, uint8_t status);

/* Leaves out a state that belongs to no thread, until its thread is sought again:
 * bindings_seek_again says when. */
void bindings_leave_out(struct thread *, uint64_t time_us,
    struct tach_recorder_stats *);
void bindings_seek_again(struct thread *, uint64_t time_us);

#endif
