/* SPDX-License-Identifier: ISC */
/* reading.c: see reading.h. */
#include "engine/remote/reading.h"

#include "engine/kernel/interrupt.h"
#include "engine/sched/colocate.h"
#include "engine/stack/interrupted.h"
#include "engine/stack/read_once.h"
#include "engine/stack/read_twice.h"
#include "engine/threads/status.h"
#include "python/traits.h"

#define RECORD_TRIES 2 /* the first may have to read code objects */

bool
reading_init(struct reading *r, const struct process *p, const struct py_runtime *rt,
    const struct tach_recorder_options *options, struct interrupts *interrupts,
    struct tach_table *table, struct native_faults *faults, struct late_lines *lines)
{
	r->process = r->stops.process = p;
	r->offsets = &rt->offsets;
	r->options = options;
	r->interrupts = interrupts;
	plan_init(&r->plan, p, rt, &r->reader, interrupts, options->blocking);
	r->plan.moves = (options->mixed != TACH_MIXED_NONE || options->kernel) &&
	    !options->careful;
	bindings_init(&r->bindings, &r->plan);
	if (options->kernel)
		kernel_frames_init(&r->kernel, table);
	return reader_init(&r->reader, p, rt, options, table) &&
	    (options->mixed == TACH_MIXED_NONE ||
		(r->mixed = mixed_new(p, r->offsets, &r->reader.memory.memory, table,
		     faults, lines, options)) != NULL);
}

void
reading_free(struct reading *r, uint64_t until)
{
	stops_free(&r->stops, until);
	mixed_free(r->mixed);
	native_room_free(&r->room);
	kernel_frames_free(&r->kernel);
	call_stack_free(&r->stack);
	reader_free(&r->reader);
	plan_free(&r->plan);
	bindings_free(&r->bindings);
}

/* Reads a thread by the copy of the round, for which it stood still. */
static struct verdict
read_round_copy(struct reading *r, struct thread *t)
{
	r->from = plan_capture(&r->plan, t);
	return read_once_still(&r->reader, t, &r->from, &r->stack);
}

bool
reading_is_record(struct reading *r, struct thread *t)
{
	return t->copy.how == COPIED_INTERRUPT && r->records != NULL;
}

/* Reads a record of the kernel.  It uses nothing but the record, as the thread has gone
 * on since then.  If that is not enough for the whole stack, the batch ends: rounds are
 * then better taken by the recorder. */
static struct verdict
read_record(struct reading *r, struct thread *t)
{
	struct verdict v = {.is = READ_RETRY};

	t->held = HOLD_COPY;
	for (int i = 0; i < RECORD_TRIES && verdict_can_improve(&v); i++)
		v = read_round_copy(r, t);
	if (v.is == READ_SURE)
		thread_make_current(t);
	else
		batches_reject(r->records);
	if (r->mixes && verdict_believes(&v))
		reading_copied_frames(r, t);
	v.trouble = TROUBLE_UNKNOWN;
	return v;
}

static bool
is_interrupted(struct reading *r, struct thread *t)
{
	(void)r;
	return t->copy.how == COPIED_INTERRUPT;
}

/* Reads the copy of the round, which was made in an interrupt. */
static struct verdict
read_interrupted_copy(struct reading *r, struct thread *t)
{
	struct verdict v = read_round_copy(r, t);

	if (r->mixes && v.is == READ_SURE && !reading_copied_frames(r, t))
		v.is = READ_RETRY;
	if (v.is == READ_SURE) {
		thread_make_current(t);
		t->held = HOLD_COPY;
	}
	return v;
}

/* Whether a thread that was copied cannot have run meanwhile. */
static bool
has_not_run(struct reading *r, struct thread *t)
{
	(void)r;
	return t->fresh == FRESH_CURRENT;
}

/* Whether the recorder had the thread's CPU when it made the copy of the round.  To
 * tell that, the thread is found first. */
static bool
is_beside(struct reading *r, struct thread *t)
{
	bindings_find(&r->bindings, t);
	return t->copy.how != COPIED_NOT &&
	    colocate_held(&r->reader.colocation, t->task);
}

static bool
is_to_be_stopped(struct reading *r, struct thread *t)
{
	(void)t;
	return r->options->blocking;
}

/* Stops a thread and reads it; it stays stopped until it is let go.  A blocked
 * thread is not stopped: it stands still anyway, and some system calls would end
 * early.  A thread that stands amid the making of a call is let go, and stopped once
 * more. */
static struct verdict
read_stopped(struct reading *r, struct thread *t)
{
	struct verdict v = {.is = READ_RETRY};

	thread_make_stale(t);
	for (int i = 0; i < READING_TRIES && verdict_can_improve(&v); i++) {
		if (i > 0) {
			stop_release_all(&r->stops);
			read_twice_wait();
		}
		t->held = t->task != 0 && status_runs(t) &&
		    stop_thread(&r->stops, t->task) ? HOLD_STOP : HOLD_NONE;
		v = read_twice(&r->reader, t, &r->stack);
		if (t->held == HOLD_NONE)
			break;
	}
	return v;
}

/* Whether a thread ran when it was seen last. */
static bool
has_run(const struct thread *t)
{
	return (t->status.bits & TACH_STATUS_CPU) != 0;
}

bool
reading_can_interrupt(const struct reading *r, const struct thread *t)
{
	return r->interrupts != NULL && t->task != 0 && status_runs(t);
}

static bool
is_to_be_interrupted(struct reading *r, struct thread *t)
{
	return has_run(t) && reading_can_interrupt(r, t);
}

struct verdict
reading_interrupted(struct reading *r, struct thread *t)
{
	struct verdict v = interrupted_read(r->interrupts, &r->reader, t, &r->from,
	    &r->stack);

	if (r->mixes && v.is == READ_SURE && !reading_copied_frames(r, t))
		v.is = READ_RETRY;
	if (v.is == READ_SURE)
		t->held = HOLD_INTERRUPT;
	return v;
}

/* Whether the stack of C is in the copy of the round: the thread need not stop. */
static bool
is_copied_with_c(struct reading *r, struct thread *t)
{
	return r->mixes && is_interrupted(r, t) && t->copy.stack.size > 0 &&
	    t->memory.deep == 0;
}

bool
reading_can_copy_c(struct reading *r, struct thread *t)
{
	return r->mixes && t->memory.deep == 0 && reading_can_interrupt(r, t) &&
	    interrupts_tell_stacks(r->interrupts);
}

static bool
is_mixed(struct reading *r, struct thread *t)
{
	(void)t;
	return r->mixes;
}

static bool
is_with_kernel(struct reading *r, struct thread *t)
{
	(void)t;
	return r->options->kernel;
}

static bool
may_have_run(struct reading *r, struct thread *t)
{
	(void)r;
	return t->copy.how != COPIED_NOT && t->fresh == FRESH_STALE;
}

/* Reads a thread by the copy of the round, which may be of more than one moment. */
static struct verdict
read_running(struct reading *r, struct thread *t)
{
	struct capture from = plan_capture(&r->plan, t);

	return read_once_running(&r->reader, t, &from, &r->stack);
}

static bool
runs_by_now(struct reading *r, struct thread *t)
{
	return !has_run(t) && reading_can_interrupt(r, t);
}

/* Reads a thread in an interrupt that is later than the copy of the round. */
static struct verdict
read_late(struct reading *r, struct thread *t)
{
	thread_make_stale(t);
	return reading_interrupted(r, t);
}

static bool
is_there(struct reading *r, struct thread *t)
{
	(void)r;
	(void)t;
	return true;
}

void
reading_park(const struct reading *r, struct thread *t)
{
	t->looks.parked = t->task != 0 ?
	    switches_count(&t->switches, r->process, t->task) : SWITCHES_UNKNOWN;
	if (!status_is_blocked(t))
		t->looks.parked = SWITCHES_UNKNOWN;
}

struct verdict
reading_racing(struct reading *r, struct thread *t)
{
	thread_make_stale(t);
	reading_park(r, t);
	return read_twice(&r->reader, t, &r->stack);
}

bool
reading_has_ended(const struct reading *r, const struct thread *t)
{
	return t->task != 0 ? process_thread_id(r->process, t->task) == 0 :
	    py_state_names_thread(r->offsets);
}

/*
 * The readers, in the order in which they are tried until one gives a whole stack.
 * A thread that ran at its last sample, too, is interrupted before its copy is used.
 * Another thread is interrupted only if its copy is of no use: to do it at once would
 * move just these samples to a later moment, and show the thread running too often.
 */
static const struct thread_reader {
	bool (*fits)(struct reading *, struct thread *);
	struct verdict (*read)(struct reading *, struct thread *);
	bool last; /* no other reader is tried after this one */
} readers[] = {
	{reading_is_record, read_record, true},
	{is_copied_with_c, read_interrupted_copy, false},
	{reading_can_copy_c, reading_interrupted, false},
	{is_mixed, reading_mixed, true},
	{is_interrupted, read_interrupted_copy, false},
	{is_with_kernel, reading_with_kernel, true},
	{has_not_run, read_round_copy, false},
	{is_beside, read_round_copy, false},
	{is_to_be_stopped, read_stopped, true},
	{is_to_be_interrupted, reading_interrupted, false},
	{may_have_run, read_running, false},
	{runs_by_now, read_late, false},
	{is_there, reading_racing, true},
};

/* Marks a thread as stale unless it was copied and cannot have run. */
static void
note_freshness(const struct reading *r, struct thread *t)
{
	if (t->copy.how == COPIED_NOT || plan_may_have_run(&r->plan, t))
		thread_make_stale(t);
	else
		thread_make_current(t);
}

struct verdict
reading_chain(struct reading *r, struct thread *t)
{
	const struct thread_reader *by = readers;
	struct verdict v = {.is = READ_RETRY};
	bool last = false;

	note_freshness(r, t);
	for (; verdict_can_improve(&v) && !last; by++)
		if (by->fits(r, t)) {
			r->from.in = NULL;
			kernel_frames_forget(&r->kernel);
			v = by->read(r, t);
			last = by->last;
		}
	return v;
}
