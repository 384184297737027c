/* SPDX-License-Identifier: ISC */
/* bindings.c: see bindings.h. */
#include "engine/remote/bindings.h"

#include "engine/os/os.h"
#include "python/traits.h"

#define DOUBT_AFTER 1000000 /* us between two searches for a state's user */
#define SEEK_AFTER 10000 /* us, after which a lost thread is sought again */
#define STACK_MAX (8u << 20) /* bytes: no C stack is larger, by default */

void
bindings_init(struct bindings *b, struct plan *plan)
{
	*b = (struct bindings){.plan = plan, .reader = plan->reader,
	    .process = plan->process, .offsets = &plan->runtime->offsets};
}

void
bindings_free(struct bindings *b)
{
	identity_free(&b->identity);
}

static const struct py_memory *
memory_of(const struct bindings *b)
{
	return &b->reader->memory.memory;
}

/* ---- ids --------------------------------------------------------------- */

/* Whether no other thread can run Python code now. */
static bool
is_only(const struct bindings *b, const struct thread *t)
{
	return b->plan->threads.count == 1 || (!py_is_free_threaded(b->offsets) &&
	    plan_interp(b->plan, t)->gil.locked &&
	    plan_interp(b->plan, t)->gil.holder == t->py.addr);
}

/* Seeks the id of a thread whose state does not give it; or, with `other`, of one that
 * uses the state of the given thread.  0 if there is none, or if it is not known. */
static uint64_t
seek_tid(struct bindings *b, const struct thread *t, uint64_t pthread, bool other)
{
	struct claim claim = {pthread, t->last.stack, is_only(b, t), other};

	return identity_find(&b->identity, b->process, &claim,
	    b->plan->time_us);
}

static bool
read_pthread(const struct bindings *b, const struct thread *t, uint64_t *pthread)
{
	return py_read(memory_of(b), t->py.addr + b->offsets->thread_ident, pthread,
	    sizeof(*pthread));
}

/* The id that a state gives, if the process has such a thread; else the id that
 * other evidence tells, or 0. */
static uint64_t
told_tid(struct bindings *b, struct thread *t, uint64_t id)
{
	uint64_t pthread;

	if (id == t->id.told && t->id.tid != 0)
		return t->id.tid;
	t->id.told = id;
	if (process_thread(b->process, id) != 0)
		return id;
	return read_pthread(b, t, &pthread) ? seek_tid(b, t, pthread, false) : 0;
}

/* The kernel's id of the thread whose state gives an id.  To 3.10, if nothing tells
 * it, pthread_self() takes its place, which at least tells threads apart; but not
 * where something has told it once, nor at the first search: a process that begins or
 * ends has moments at which nothing does.  0 if there is none, or if it is not known
 * now. */
static uint64_t
find_tid(struct bindings *b, struct thread *t, uint64_t id)
{
	uint64_t tid;

	if (py_state_names_thread(b->offsets))
		return told_tid(b, t, id);
	tid = tids_find(&b->tids, b->process, memory_of(b), b->offsets,
	    &b->plan->list, id, t->id.pthread == id ? t->id.tid : 0);
	t->id.pthread = id;
	if (tid != 0 || (tid = seek_tid(b, t, id, false)) != 0)
		return tid;
	if (identity_can_be_known(&b->identity))
		return 0;
	return t->id.tid == id || t->id.sought > 0 ? id : 0;
}

void
bindings_find(struct bindings *b, struct thread *t)
{
	uint64_t id;

	if (t->task != 0 && (t->id.tid != 0 || !py_state_names_thread(b->offsets)))
		return;
	if (py_read(memory_of(b), t->py.addr + b->reader->part.id, &id, sizeof(id)))
		thread_find(t, b->process, find_tid(b, t, id));
}

/* Gives a state a new thread id. */
static void
rebind(struct bindings *b, struct thread *t, uint64_t tid)
{
	thread_bind(t, b->process, tid);
	t->id.sought = 0;
	t->index = TACH_NONE;
	for (size_t i = 0; i < b->plan->threads.count; i++) {
		const struct thread *u = &b->plan->threads.list[i];
		b->twofold |= u != t && u->id.tid == tid;
	}
}

bool
bindings_bind(struct bindings *b, struct thread *t, uint64_t id)
{
	uint64_t tid = find_tid(b, t, id);

	if (tid == 0)
		return false;
	if (tid != t->id.tid)
		rebind(b, t, tid);
	return t->task != 0 || !py_state_names_thread(b->offsets);
}

/* ---- other users ------------------------------------------------------- */

/* The named thread is blocked though the state has the GIL, and the C stack that the
 * state's code runs on is the user's. */
bool
bindings_seek_user(struct bindings *b, struct thread *t, const struct moment *m)
{
	uint64_t tid, pthread;

	if (!py_state_names_thread(b->offsets) || !m->holds_gil ||
	    (m->status & TACH_STATUS_CPU) != 0 || m->time_us < t->id.seek_us)
		return false;
	t->id.seek_us = m->time_us + DOUBT_AFTER;
	if (!read_pthread(b, t, &pthread))
		return false;
	tid = seek_tid(b, t, pthread, true);
	if (tid == 0 || tid == t->id.tid)
		return false;
	rebind(b, t, tid);
	return true;
}

/* The state is counted if it is left out a second time, after the first search's
 * result has had its time: until then its thread may just be ending. */
void
bindings_leave_out(struct thread *t, uint64_t time_us,
    struct tach_recorder_stats *stats)
{
	uint64_t left = t->id.seek_us - time_us;

	t->fresh = FRESH_STRAY;
	if (t->id.seek_us > time_us && left <= SEEK_AFTER)
		return;
	t->id.seek_us = time_us + SEEK_AFTER;
	stats->strays += t->id.sought++ == 1;
}

bool
bindings_was_left(const struct bindings *b, struct thread *t, uint8_t status)
{
	if ((status & TACH_STATUS_UNKNOWN) == 0 || t->task == 0 ||
	    process_thread_id(b->process, t->task) != 0)
		return false;
	t->id.told = 0;
	return true;
}

void
bindings_seek_again(struct thread *t, uint64_t time_us)
{
	if (t->fresh != FRESH_STRAY || time_us < t->id.seek_us)
		return;
	t->fresh = FRESH_STALE;
}

/*
 * A thread has a state in each interpreter that it has entered, and can have more, all
 * with frames.  It runs by the state whose code began deepest in its C stack.  Before
 * 3.13 a state can name a thread that does not use it, but its C stack is apart from
 * that thread's.
 */
bool
bindings_elsewhere(const struct bindings *b, const struct thread *t, uint64_t time_us)
{
	if (b->plan->interps.count < 2 && !b->twofold)
		return false;
	for (size_t i = 0; i < b->plan->threads.count; i++) {
		const struct thread *u = &b->plan->threads.list[i];
		if (u == t || u->id.tid != t->id.tid)
			continue;
		if (u->last.sampled_us == time_us)
			return true;
		if (u->last.stack != 0 && !thread_is_gone(u) &&
		    u->last.stack < t->last.stack &&
		    t->last.stack - u->last.stack < STACK_MAX)
			return true;
	}
	return false;
}
