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

/* The status bits of a blocked thread.  futex: the address that it waits at. */
static uint8_t
blocked(const struct process *p, struct thread *t, const struct moment *m,
    uint64_t futex)
{
	bool waits = !m->holds_gil && m->gil != 0 &&
	    status_waits(m->offsets, m->gil, futex);

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
		return blocked(p, t, m, s.futex);
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
