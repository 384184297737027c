/* SPDX-License-Identifier: ISC */
/* status.c: see status.h. */
#include "engine/threads/status.h"

#include "python/status.h"
#include "tach-record.h"

static struct task_state
state_of_task(const struct thread *t)
{
	return task_state(t->task, t->state_fd);
}

bool
status_runs(const struct thread *t)
{
	return state_of_task(t).is == TASK_RUNS;
}

bool
status_waits_for(const struct thread *t, const struct py_offsets *o,
    uint64_t gil)
{
	struct task_state s = state_of_task(t);

	return s.is != TASK_UNKNOWN && status_waits(o, gil, s.futex);
}

bool
status_is_blocked(const struct thread *t)
{
	return state_of_task(t).is == TASK_BLOCKED;
}

bool
status_is_in_call(const struct thread *t, const struct task_call *c)
{
	struct task_state s = state_of_task(t);

	return s.is == TASK_BLOCKED && task_call_is(&s.call, c);
}

bool
status_was_blocked(const struct thread *t)
{
	return (t->last.is == LAST_GOOD || t->last.is == LAST_PASSED) &&
	    (t->status.bits & (TACH_STATUS_CPU | TACH_STATUS_UNKNOWN)) == 0;
}

bool
status_rests(const struct thread *t)
{
	return status_was_blocked(t) && switches_rests(&t->switches);
}

/* Whether a thread that waits for a CPU still waits for the GIL: it was seen to,
 * and has had no CPU since. */
static bool
still_waits(const struct process *p, struct thread *t)
{
	if (t->looks.waiting != SWITCHES_UNKNOWN &&
	    switches_count(&t->switches, p, t->task) == t->looks.waiting)
		return true;
	t->looks.waiting = SWITCHES_UNKNOWN;
	return false;
}

/* ---- musl ------------------------------------------------------------------ */

/* A thread that waits for a condition has a node for that on its stack, and waits at a
 * word of it.  The condition has the newest node.  See pthread_cond_timedwait.c. */
struct musl_node {
	uint64_t newer, older; /* addresses; 0: none */
	uint32_t state, barrier; /* the second is the word */
};

#define NODE_WITHIN 1024 /* bytes above the stack pointer */
#define NODES_MAX 256
#define HEAD_AT 8 /* of the newest node's address, in a pthread_cond_t */
#define NEXT_CONDITION 88 /* the GIL's second condition, behind the first one */

static bool
read_word(const struct process *p, uint64_t addr, void *word)
{
	return memory_read(p->pid, &(struct memory_piece){addr, sizeof(uint64_t), word}, 1);
}

/* The newest node of the list that a node is in.  0 if that cannot be told. */
static uint64_t
newest_node(const struct process *p, uint64_t node)
{
	uint64_t newer;

	for (int i = 0; i < NODES_MAX; i++) {
		if (!read_word(p, node, &newer))
			return 0;
		if (newer == 0)
			return node;
		node = newer;
	}
	return 0;
}

/* Whether a blocked thread waits for a condition of the GIL by such a node. */
static bool
waits_by_node(const struct process *p, const struct moment *m,
    const struct task_state *s)
{
	uint64_t condition = m->gil + m->offsets->gil_cond, newest, head;

	if (!py_has(m->offsets->gil_cond) || s->futex <= s->call.stack ||
	    s->futex - s->call.stack > NODE_WITHIN ||
	    (newest = newest_node(p, s->futex - offsetof(struct musl_node, barrier))) == 0)
		return false;
	for (int i = 0; i < 2; i++, condition += NEXT_CONDITION)
		if (read_word(p, condition + HEAD_AT, &head) && head == newest)
			return true;
	return false;
}

/* ---- status ------------------------------------------------------------------ */

/* The status bits of a blocked thread. */
static uint8_t
blocked(const struct process *p, struct thread *t, const struct moment *m,
    const struct task_state *s)
{
	bool waits = !m->holds_gil && m->gil != 0 &&
	    (status_waits(m->offsets, m->gil, s->futex) || waits_by_node(p, m, s));

	t->looks.waiting = waits ? switches_count(&t->switches, p, t->task) :
			     SWITCHES_UNKNOWN;
	return waits ? TACH_STATUS_GIL_WANTED : 0;
}

/* The status bits of a thread now.  To 3.14, only the call that a thread is blocked
 * in tells that it wants the GIL. */
static uint8_t
look_at_task(const struct process *p, struct thread *t, const struct moment *m)
{
	struct task_state s;

	t->looks.call.number = TASK_NO_CALL;
	if (m->waits)
		return TACH_STATUS_GIL_WANTED;
	if (t->held != HOLD_NONE || m->ran)
		return TACH_STATUS_CPU;
	s = state_of_task(t);
	t->looks.call = s.call;
	if (s.is == TASK_UNKNOWN)
		return TACH_STATUS_UNKNOWN;
	if (s.is == TASK_BLOCKED)
		return blocked(p, t, m, &s);
	return TACH_STATUS_CPU | (!m->holds_gil && still_waits(p, t) ?
	    TACH_STATUS_GIL_WANTED : 0);
}

uint8_t
status_of(const struct process *p, struct thread *t,
    const struct moment *m)
{
	uint8_t status = look_at_task(p, t, m);

	if (t->task == p->pid)
		status |= TACH_STATUS_MAIN;
	if (m->holds_gil)
		status |= TACH_STATUS_GIL;
	else if (m->wants_gil)
		status |= TACH_STATUS_GIL_WANTED;
	if (m->exception)
		status |= TACH_STATUS_EXCEPTION;
	return status;
}

bool
status_kept(const struct tach_recorder_options *o, uint8_t status)
{
	static const uint8_t needed[] = {
		[TACH_MODE_WALL] = 0,
		[TACH_MODE_CPU] = TACH_STATUS_CPU,
		[TACH_MODE_GIL] = TACH_STATUS_GIL,
		[TACH_MODE_EXCEPTION] = TACH_STATUS_EXCEPTION,
	};

	if (o->drop_idle && tach_status_idle(status))
		return false;
	return (status & needed[o->mode]) == needed[o->mode];
}
