/* SPDX-License-Identifier: ISC */
/* remote.c: see remote.h. */
#include "engine/remote/remote.h"

#include <stdlib.h>
#include <string.h>

#include "engine/kernel/standing.h"
#include "engine/native/mixed.h"
#include "engine/os/os.h"
#include "engine/remote/bindings.h"
#include "engine/remote/plan.h"
#include "engine/remote/rests.h"
#include "engine/remote/tasks.h"
#include "engine/sample/callees.h"
#include "engine/sample/emit.h"
#include "engine/sample/names.h"
#include "engine/sample/variables.h"
#include "engine/sched/colocate.h"
#include "engine/stack/interrupted.h"
#include "engine/stack/read_once.h"
#include "engine/stack/read_twice.h"
#include "engine/waits/exact.h"
#include "engine/waits/waits.h"
#include "python/traits.h"

#define COPIES_MAX 6	  /* of a round */
#define FORGET_AFTER 2048 /* rounds after which working sets start anew */
#define STOP_TRIES 4	  /* to stop a thread outside the making of a call */
#define RECORD_TRIES 2	  /* the first may have to read code objects */
#define TASK_TRIES 4	  /* to read the tasks that wait for a running task */
#define DEEP_FOR 64	  /* samples of a thread after one with a deep stack of C */
#define RECENT 20	  /* us: as good as now */
#define STOP_PATIENCE NS_PER_S /* for a thread without which there is no
					 * stack */
#define CPU_PATIENCE (50 * NS_PER_MS) /* for a thread to get a CPU on which it stops */

/* Lets all threads go before it passes a run on, as the next sink may wait for its
 * reader. */
struct releasing_sink {
	struct tach_sink sink;
	struct stops *stops;
	struct tach_sink *to; /* of the round */
};

struct remote {
	/* Borrowed from the caller, and valid as long as the remote: these four and
	 * the interrupts. */
	const struct process *process;
	const struct py_offsets *offsets;
	const struct tach_recorder_options *options;
	struct thread_names *names;
	struct stack_reader reader;
	struct call_stack stack; /* of the thread that is sampled */
	struct capture from;	 /* in which the stack was walked, if it was an
				  * interrupt's; ->in NULL: it was another one */
	struct bindings bindings;
	struct stops stops;
	struct releasing_sink releasing; /* with --blocking */
	struct interrupts *interrupts; /* or NULL */

	struct plan plan;
	struct batches *records; /* that the round is made of; or NULL */
	uint64_t taken; /* ns: no thread of the round was copied before */
	struct rests rests;
	uint64_t rounds; /* so far */
	struct emitter emitter;
	struct callees callees;
	struct waits *waits; /* NULL: not asked for */
	struct exact *exact; /* likewise: each wait from its begin to its end */
	uint64_t start; /* ns: time 0 of the samples */
	uint32_t gap; /* the reason in it, as a frame; TACH_NONE: not asked for */
	struct mixed *mixed; /* NULL: frames of C are not asked for */
	struct native_room room; /* for copies of stacks */
	bool mixes;	     /* they are in this round */
	struct names *called; /* names of the threads */
	struct tasks *tasks; /* NULL: not asked for, or not in this Python */
	struct tach_locals locals; /* no function: not asked for */
};

static const struct py_memory *
live(const struct remote *r)
{
	return &r->reader.memory.memory;
}

/* ---- making ------------------------------------------------------------ */

static int
release_and_run(struct tach_sink *sink, const struct tach_run *run)
{
	struct releasing_sink *s = (struct releasing_sink *)sink;

	stop_release_all(s->stops);
	return tach_sink_run(s->to, run);
}

struct remote *
remote_new(const struct process *p, const struct py_runtime *rt,
    const struct tach_recorder_options *options,
    struct interrupts *interrupts, struct tach_table *table,
    struct thread_names *names, struct native_faults *faults,
    struct late_lines *lines)
{
	struct remote *r = calloc(1, sizeof(*r));

	if (r == NULL)
		return NULL;
	r->process = p;
	r->offsets = &rt->offsets;
	r->options = options;
	r->names = names;
	r->stops.process = p;
	r->gap = TACH_NONE;
	r->releasing = (struct releasing_sink){{.size = sizeof(struct tach_sink),
		.run = release_and_run},
	    .stops = &r->stops};
	r->interrupts = interrupts;
	plan_init(&r->plan, p, rt, &r->reader, interrupts,
	    options->blocking);
	r->plan.moves = options->mixed != TACH_MIXED_NONE && !options->careful;
	bindings_init(&r->bindings, &r->plan);
	rests_init(&r->rests, &r->plan, interrupts_stir(interrupts));
	if (!reader_init(&r->reader, p, rt, options, table) ||
	    (r->called = names_new(p, r->offsets, &r->reader.memory.memory,
		 table)) == NULL) {
		remote_free(r, 0);
		return NULL;
	}
	emitter_init(&r->emitter, table, names, r->reader.codes);
	r->emitter.opcodes = options->opcodes;
	callees_init(&r->callees, &r->reader.calls, r->reader.codes, table);
	if (options->mixed != TACH_MIXED_NONE &&
	    (r->mixed = mixed_new(p, r->offsets, live(r), table, faults,
		 lines, options)) == NULL) {
		remote_free(r, 0);
		return NULL;
	}
	if (options->waits != TACH_WAITS_NONE &&
	    (r->waits = waits_new(p, rt, options, table, &(struct waits_place){
		live(r), r->reader.codes, &r->plan.threads})) == NULL) {
		remote_free(r, 0);
		return NULL;
	}
	if (options->waits == TACH_WAITS_EXACT &&
	    (r->exact = exact_new(p, rt, table, names, r->waits, &(struct waits_place){
		live(r), r->reader.codes, &r->plan.threads}, &r->plan.interps,
	    options->interval_ns)) == NULL) {
		remote_free(r, 0);
		return NULL;
	}
	if (options->async == TACH_ASYNC_NONE ||
	    !py_has_tasks(r->offsets))
		return r;
	r->tasks = tasks_new(p, &r->reader.memory.memory, rt, r->reader.codes,
	    table);
	if (r->tasks == NULL) {
		remote_free(r, 0);
		return NULL;
	}
	return r;
}

void
remote_free(struct remote *r, uint64_t until)
{
	if (r == NULL)
		return;
	stops_free(&r->stops, until);
	emitter_free(&r->emitter);
	callees_free(&r->callees);
	tasks_free(r->tasks);
	exact_free(r->exact);
	waits_free(r->waits);
	mixed_free(r->mixed);
	native_room_free(&r->room);
	names_free(r->called);
	call_stack_free(&r->stack);
	reader_free(&r->reader);
	rests_free(&r->rests);
	plan_free(&r->plan);
	bindings_free(&r->bindings);
	free(r);
}

void
remote_interrupts(struct remote *r, struct interrupts *in)
{
	r->interrupts = r->plan.interrupts = in;
	colocate_break_off(&r->reader.colocation);
	rests_stir(&r->rests, interrupts_stir(in));
}

/* ---- samples ----------------------------------------------------------- */

/* Leaves only the outermost frames of a chain. */
static void
cut_chain(struct py_chain *c, size_t depth)
{
	memmove(c->places, c->places + (c->depth - depth),
	    depth * sizeof(*c->places));
	c->depth = depth;
}

/* Reads a thread by the copy of the round, for which it stood still. */
static struct verdict
read_round_copy(struct remote *r, struct thread *t)
{
	r->from = plan_capture(&r->plan, t);
	return read_once_still(&r->reader, t, &r->from, &r->stack);
}

/* Whether the copy of the round is a record of a round that the kernel took. */
static bool
is_recorded(struct remote *r, struct thread *t)
{
	return t->copy.how == COPIED_INTERRUPT && r->records != NULL;
}

static bool
has_copied_stack(const struct remote *r)
{
	return r->from.in != NULL && r->from.stack.size > 0;
}

/* Finds the frames of C of a thread whose stack was walked in the copy of an interrupt.
 * All that they are made of is in that copy, and so of its moment. */
static void
find_copied_frames(struct remote *r, const struct thread *t)
{
	const struct stack_copy *s = &r->from.stack;
	struct native_capture c = {.memory = &r->from.view.memory,
	    .without = "a thread that was copied without its stack"};

	if (has_copied_stack(r)) {
		c.registers = s->registers;
		c.low = s->low;
		c.bytes = r->from.in->bytes + s->at;
		c.len = s->size;
	}
	mixed_begin(r->mixed, &c, t->py.addr);
	mixed_unwind(r->mixed, &c);
}

/* Reads such a record.  It uses nothing but the record, as the thread has gone on
 * since then.  If that is not enough for the whole stack, the batch ends: rounds are
 * then better taken by the recorder. */
static struct verdict
read_record(struct remote *r, struct thread *t)
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
		find_copied_frames(r, t);
	v.trouble = TROUBLE_UNKNOWN;
	return v;
}

static bool
is_interrupted(struct remote *r, struct thread *t)
{
	(void)r;
	return t->copy.how == COPIED_INTERRUPT;
}

/* Reads the copy of the round, which was made in an interrupt. */
static struct verdict
read_interrupted_copy(struct remote *r, struct thread *t)
{
	struct verdict v = read_round_copy(r, t);

	if (v.is == READ_SURE) {
		thread_make_current(t);
		t->held = HOLD_COPY;
	}
	if (r->mixes && v.is == READ_SURE)
		find_copied_frames(r, t);
	return v;
}

/* Whether a thread that was copied cannot have run meanwhile. */
static bool
has_not_run(struct remote *r, struct thread *t)
{
	(void)r;
	return t->fresh == FRESH_CURRENT;
}

/* Whether the recorder had the thread's CPU when it made the copy of the round.  To
 * tell that, the thread is found first. */
static bool
is_beside(struct remote *r, struct thread *t)
{
	bindings_find(&r->bindings, t);
	return t->copy.how != COPIED_NOT &&
	    colocate_held(&r->reader.colocation, t->task);
}

static bool
is_to_be_stopped(struct remote *r, struct thread *t)
{
	(void)t;
	return r->options->blocking;
}

/* Stops a thread and reads it; it stays stopped until it is let go.  A blocked
 * thread is not stopped: it stands still anyway, and some system calls would end
 * early.  A thread that stands amid the making of a call is let go, and stopped once
 * more. */
static struct verdict
read_stopped(struct remote *r, struct thread *t)
{
	struct verdict v = {.is = READ_RETRY};

	thread_make_stale(t);
	for (int i = 0; i < STOP_TRIES && verdict_can_improve(&v); i++) {
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

/* Whether a thread has ended, or never was one.  Then it is no failure if it could
 * not be read. */
static bool
thread_has_ended(const struct remote *r, const struct thread *t)
{
	return t->task != 0 ? process_thread_id(r->process, t->task) == 0 :
	    py_state_names_thread(r->offsets);
}

/* Whether the stack of C is in the copy of the round: the thread need not stop. */
static bool
is_copied_with_c(struct remote *r, struct thread *t)
{
	return r->mixes && is_interrupted(r, t) && t->copy.stack.size > 0 &&
	    t->memory.deep == 0;
}

static bool
is_mixed(struct remote *r, struct thread *t)
{
	(void)t;
	return r->mixes;
}

/* Stops a thread, and waits for it longer than stop_thread does. */
static bool
stop_patiently(struct remote *r, struct thread *t, uint64_t patience)
{
	uint64_t end = clock_ns() + patience;
	bool stopped;

	while (!(stopped = stop_thread(&r->stops, t->task)) &&
	    !thread_has_ended(r, t) && clock_ns() < end)
		clock_sleep(clock_ns() + NS_PER_MS);
	return stopped;
}

/* Notes how often a blocked thread has had a CPU.  While the count is the same, the
 * thread stands still, and need not be read from its CPU. */
static void
park(const struct remote *r, struct thread *t)
{
	t->looks.parked = t->task != 0 ?
	    switches_count(&t->switches, r->process, t->task) : SWITCHES_UNKNOWN;
	if (!status_is_blocked(t))
		t->looks.parked = SWITCHES_UNKNOWN;
}

/* Stops a thread.  In a recording, one that runs and has no CPU is waited for for some
 * time only, and another one not at all. */
static bool
stop_for_frames(struct remote *r, struct thread *t, bool ran)
{
	if (t->task == 0)
		return false;
	return r->options->careful || ran ? stop_patiently(r, t,
	    r->options->careful ? STOP_PATIENCE : CPU_PATIENCE) :
	    stop_thread(&r->stops, t->task);
}

/* A view of a thread's state and frames, as they were read last, and of a copy of its
 * stack, which has the entries.  Memory that it lacks is read from the process. */
struct linked_view {
	struct py_view view; /* first: reads get its address */
	const struct py_memory *live;
};

static bool
read_linked(const struct py_memory *m, const struct py_piece *pieces, size_t n)
{
	const struct linked_view *v = (const struct linked_view *)m;
	struct py_view view = v->view;

	return view_read(&view.memory, pieces, n) || v->live->read(v->live, pieces, n);
}

/* The view for a capture of a thread that stands still, and was just read.  False if
 * out of memory. */
static bool
link_capture(struct remote *r, struct native_capture *c, struct linked_view *v)
{
	struct spans *spans = &r->reader.scratch.spans;

	if (c->len > 0 && !spans_add_bytes(spans, (struct range){c->low, c->len},
		c->bytes))
		return false;
	*v = (struct linked_view){spans_view(spans), live(r)};
	v->view.memory.read = read_linked;
	c->memory = &v->view.memory;
	return true;
}

/* Finds the frames of C of a thread that has stopped and was just read, and lets it go
 * if it ran: for its variables, it has to stand still for longer.  False if out of
 * memory. */
static bool
find_stopped_frames(struct remote *r, struct thread *t, bool ran)
{
	struct native_capture c = {.without = t->task != 0 ?
	    "a thread that did not stop" : "a thread that is not known"};
	struct linked_view view;
	bool whole;

	if (!stop_registers(&r->stops, t->task, &c.registers))
		c.registers.count = 0;
	else
		native_copy_stack(&r->room, t->task, t->memory.stack_end, &c);
	if (!link_capture(r, &c, &view))
		return false;
	mixed_begin(r->mixed, &c, t->py.addr);
	if (ran && c.len > 0 && r->locals.tell == NULL)
		stop_release_all(&r->stops);
	whole = mixed_unwind(r->mixed, &c);
	if (!ran && whole && c.len > 0)
		mixed_keep(r->mixed, t->task, &c);
	return true;
}

/* Stops a thread, also one that is blocked, for its registers and its stack.  It
 * counts as held only while it is read, if it was blocked. */
static struct verdict
read_stopped_frames(struct remote *r, struct thread *t, bool ran)
{
	struct verdict v = {.is = READ_RETRY};

	for (int i = 0; i < STOP_TRIES && verdict_can_improve(&v); i++) {
		if (i > 0) {
			stop_release_all(&r->stops);
			read_twice_wait();
		}
		t->held = stop_for_frames(r, t, ran) ? HOLD_STOP : HOLD_NONE;
		v = read_twice(&r->reader, t, &r->stack);
	}
	if (verdict_believes(&v) && !find_stopped_frames(r, t, ran))
		v.is = READ_NOMEM;
	if (!ran)
		t->held = HOLD_NONE;
	return v;
}

/* Whether a thread has had no CPU since it was seen to have none. */
static bool
has_stood_still(const struct remote *r, struct thread *t)
{
	return switches_count(&t->switches, r->process, t->task) == t->looks.parked;
}

/* Finds the frames of C of a thread that stands still and was just read, by all of its
 * registers or by some.  False if the frames may not be all and other registers may tell
 * of more, or if the thread has had a CPU meanwhile. */
static bool
find_standing_frames(struct remote *r, struct thread *t, const struct task_registers *at)
{
	struct native_capture c = {.registers = *at};
	struct linked_view view;
	bool copied = native_copy_stack(&r->room, t->task, t->memory.stack_end, &c);
	bool whole;

	if ((!copied && at->lacks != 0) || !link_capture(r, &c, &view))
		return false;
	mixed_begin(r->mixed, &c, t->py.addr);
	if (copied && !has_stood_still(r, t))
		return false;
	if (copied && mixed_recall(r->mixed, t->task, &c))
		return true;
	whole = mixed_unwind(r->mixed, &c);
	if (whole && copied)
		mixed_keep(r->mixed, t->task, &c);
	return (whole || at->lacks == 0) && (copied || has_stood_still(r, t));
}

/* Notes the registers of a thread that has no CPU: all of them if the kernel tells them,
 * else two of a thread that is blocked.  False if it may have a CPU.  Its count of
 * switches, which is taken before, tells then whether it has stood still. */
static bool
stand(const struct remote *r, struct thread *t, struct task_registers *at)
{
	struct task_state s;

	t->looks.parked = switches_count(&t->switches, r->process, t->task);
	if (t->looks.parked == SWITCHES_UNKNOWN)
		return false;
	if (r->interrupts != NULL && standing_registers(t->task, at))
		return true;
	park(r, t);
	s = task_state(t->task, t->state_fd);
	return t->looks.parked != SWITCHES_UNKNOWN && s.is == TASK_BLOCKED &&
	    task_call_registers(&s.call, at);
}

/* Reads a thread that has no CPU, and its frames of C, without a stop, by which some
 * calls would end early.  The sample holds until the thread gets a CPU.  READ_RETRY if
 * that is not enough. */
static struct verdict
read_standing_frames(struct remote *r, struct thread *t)
{
	struct verdict v = {.is = READ_RETRY};
	struct task_registers at;

	if (!stand(r, t, &at))
		return v;
	v = read_twice(&r->reader, t, &r->stack);
	if (v.is == READ_SURE && !find_standing_frames(r, t, &at))
		v.is = READ_RETRY;
	if (v.is == READ_SURE)
		thread_make_current(t);
	return v;
}

/* Whether a thread ran when it was seen last. */
static bool
has_run(const struct thread *t)
{
	return (t->status.bits & TACH_STATUS_CPU) != 0;
}

/* Whether a thread that runs can be interrupted. */
static bool
can_interrupt(const struct remote *r, const struct thread *t)
{
	return r->interrupts != NULL && t->task != 0 && status_runs(t);
}

static bool
is_to_be_interrupted(struct remote *r, struct thread *t)
{
	return has_run(t) && can_interrupt(r, t);
}

/* Whether an interrupt can copy the thread with its stack of C. */
static bool
can_be_copied_with_c(struct remote *r, struct thread *t)
{
	return r->mixes && t->memory.deep == 0 && can_interrupt(r, t) &&
	    interrupts_tell_stacks(r->interrupts);
}

/* Reads a running thread in an interrupt.  READ_RETRY also if it runs no more. */
static struct verdict
read_interrupted(struct remote *r, struct thread *t)
{
	struct verdict v = interrupted_read(r->interrupts, &r->reader, t, &r->from,
	    &r->stack);

	if (v.is == READ_SURE)
		t->held = HOLD_INTERRUPT;
	if (r->mixes && v.is == READ_SURE)
		find_copied_frames(r, t);
	return v;
}

/* Reads a thread with its frames of C: here it is chosen by which means.  A blocked one
 * is read as it stands, another is copied in an interrupt; it is stopped if that is not
 * enough; a dump stops all.  Which thread it is can be known only after it was looked for
 * a few times: see tids.h. */
static struct verdict
read_mixed(struct remote *r, struct thread *t)
{
	struct verdict v = {.is = READ_RETRY};
	bool runs;

	for (int i = 0; i < STOP_TRIES && t->task == 0; i++)
		bindings_find(&r->bindings, t);
	runs = t->task != 0 && status_runs(t);
	thread_make_stale(t);
	if (t->task != 0 && !r->options->careful)
		v = read_standing_frames(r, t);
	if (verdict_can_improve(&v) && can_be_copied_with_c(r, t))
		v = read_interrupted(r, t);
	if (!verdict_can_improve(&v))
		return v;
	r->from.in = NULL;
	return read_stopped_frames(r, t, runs);
}

static bool
may_have_run(struct remote *r, struct thread *t)
{
	(void)r;
	return t->copy.how != COPIED_NOT && t->fresh == FRESH_STALE;
}

/* Reads a thread by the copy of the round, which may be of more than one moment. */
static struct verdict
read_running(struct remote *r, struct thread *t)
{
	struct capture from = plan_capture(&r->plan, t);

	return read_once_running(&r->reader, t, &from, &r->stack);
}

static bool
runs_by_now(struct remote *r, struct thread *t)
{
	return !has_run(t) && can_interrupt(r, t);
}

/* Reads a thread in an interrupt that is later than the copy of the round. */
static struct verdict
read_late(struct remote *r, struct thread *t)
{
	thread_make_stale(t);
	return read_interrupted(r, t);
}

static bool
is_there(struct remote *r, struct thread *t)
{
	(void)r;
	(void)t;
	return true;
}

/* Reads a thread that goes on, wherever it is now. */
static struct verdict
read_racing(struct remote *r, struct thread *t)
{
	thread_make_stale(t);
	park(r, t);
	return read_twice(&r->reader, t, &r->stack);
}

/*
 * The readers, in the order in which they are tried until one gives a whole stack.
 * A thread that ran at its last sample, too, is interrupted before its copy is used.
 * Another thread is interrupted only if its copy is of no use: to do it at once would
 * move just these samples to a later moment, and show the thread running too often.
 */
static const struct thread_reader {
	bool (*fits)(struct remote *, struct thread *);
	struct verdict (*read)(struct remote *, struct thread *);
	bool last; /* no other reader is tried after this one */
} readers[] = {
	{is_recorded, read_record, true},
	{is_copied_with_c, read_interrupted_copy, false},
	{can_be_copied_with_c, read_interrupted, false},
	{is_mixed, read_mixed, true},
	{is_interrupted, read_interrupted_copy, false},
	{has_not_run, read_round_copy, false},
	{is_beside, read_round_copy, false},
	{is_to_be_stopped, read_stopped, true},
	{is_to_be_interrupted, read_interrupted, false},
	{may_have_run, read_running, false},
	{runs_by_now, read_late, false},
	{is_there, read_racing, true},
};

/* Marks a thread as stale unless it was copied and cannot have run. */
static void
note_freshness(const struct remote *r, struct thread *t)
{
	if (t->copy.how == COPIED_NOT || plan_may_have_run(&r->plan, t))
		thread_make_stale(t);
	else
		thread_make_current(t);
}

/* Reads a thread's stack by the readers that fit. */
static struct verdict
read_chain(struct remote *r, struct thread *t)
{
	const struct thread_reader *by = readers;
	struct verdict v = {.is = READ_RETRY};
	bool last = false;

	note_freshness(r, t);
	for (; verdict_can_improve(&v) && !last; by++)
		if (by->fits(r, t)) {
			r->from.in = NULL;
			v = by->read(r, t);
			last = by->last;
		}
	return v;
}

/* Plans no stay on the CPU of a thread that can be interrupted, even if it could not
 * be just now. */
static void
stay_away(struct remote *r, const struct thread *t)
{
	if (r->interrupts != NULL && !interrupted_spares(t))
		colocate_unwant(&r->reader.colocation, t->task);
}

/* Gives a thread its index among the names of threads.  False if out of memory. */
static bool
name_thread(struct remote *r, struct thread *t,
    struct tach_recorder_stats *stats)
{
	if (t->index != TACH_NONE)
		return true;
	stats->unkept += t->task != 0 && t->state_fd < 0;
	t->index = thread_names_add(r->names, (uint32_t)t->py.interp_id,
	    t->id.tid);
	return t->index != TACH_NONE;
}

/* Whether a thread that holds its GIL has gone on since its last sample, which
 * is recent. */
static bool
has_just_run(const struct remote *r, const struct thread *t, uint64_t time_us)
{
	const struct py_chain *now = &r->stack.chain, *then = &t->last.chain;

	return t->status.holds_gil && time_us - t->last.read_us <= RECENT &&
	    (t->status.bits & TACH_STATUS_CPU) != 0 && then->depth > 0 &&
	    (now->places[0].instr != then->places[0].instr ||
		now->places[0].frame != then->places[0].frame);
}

/* The moment of a thread's stack, with the thread's status. */
static struct moment
moment_of(const struct remote *r, struct thread *t, uint64_t time_us)
{
	const struct interp *in = plan_interp(&r->plan, t);
	struct moment m = {.time_us = time_us,
	    .offsets = r->offsets,
	    .gil = in->gil_at,
	    .holds_gil = t->status.holds_gil,
	    .wants_gil = r->stack.words.wants_gil,
	    .ran = has_just_run(r, t, time_us),
	    .waits = !t->status.holds_gil && plan_takes_turns(&r->plan, t),
	    .exception = r->stack.words.exception};

	m.status = status_of(r->process, t, &m);
	if (exact_runs(r->exact, t))
		m.status |= TACH_STATUS_CPU;
	return m;
}

static bool
holds_gil(const struct remote *r, const struct thread *t)
{
	const struct interp *in = plan_interp(&r->plan, t);

	if (!py_is_free_threaded(r->offsets))
		return in->gil.locked && in->gil.holder == t->py.addr;
	return t->copy.how != COPIED_NOT && (reader_state(&r->reader,
	    r->plan.all.bytes + t->copy.at, r->offsets->thread_status) &
	    r->offsets->active) != 0;
}

/* Whether samples of a thread are asked for, as far as is known before it is
 * read. */
static bool
is_wanted_thread(const struct remote *r, const struct thread *t)
{
	return (!r->options->main_only || t->task == 0 ||
		t->task == r->process->pid) &&
	    (r->options->mode != TACH_MODE_GIL || t->status.holds_gil);
}

static void
count_failure(enum read_trouble trouble, struct tach_recorder_stats *stats)
{
	stats->failed++;
	switch (trouble) {
	case TROUBLE_UNREADABLE:
		stats->unreadable++;
		break;
	case TROUBLE_MOVING:
		stats->moving++;
		break;
	case TROUBLE_UNKNOWN:
		stats->unknown++;
		break;
	}
}

/* Counts whether a thread was interrupted and, if it ran but was not, the reason. */
static void
count_interrupts(const struct remote *r, const struct thread *t, uint8_t status,
    struct tach_recorder_stats *stats)
{
	bool held = t->held != HOLD_NONE;
	bool outside = !held && (status & TACH_STATUS_CPU) != 0;

	if (r->interrupts == NULL)
		return;
	stats->interrupted += held;
	stats->unfit += outside && t->interrupt.unfit;
	stats->dear += outside && !t->interrupt.unfit && interrupted_spares(t);
}

/* ---- one thread -------------------------------------------------------- */

/* Reads a stack.  If the thread runs a task, the tasks that wait for it are joined;
 * if that fails, the event loop's frames stay. */
static struct verdict
read_stack(struct remote *r, struct thread *t)
{
	struct verdict v = read_chain(r, t);

	if (r->tasks == NULL || !tasks_found(r->tasks, clock_ns()))
		return v;
	for (int i = 0; i < TASK_TRIES && v.is == READ_SURE; i++) {
		v.is = tasks_extend(r->tasks, t, &r->stack.chain);
		if (v.is != READ_RETRY)
			return v;
		v = r->mixes ? read_chain(r, t) :
		    read_twice(&r->reader, t, &r->stack);
	}
	return v;
}

/* Passes over a thread whose status is not wanted, until it can have run. */
static void
pass_over(struct thread *t, uint8_t status)
{
	t->last.is = LAST_PASSED;
	thread_make_current(t);
	t->status.bits = status;
}

/* Forgets the last sample, which holds no more. */
static void
begin_sample(const struct remote *r, struct thread *t)
{
	t->done = true;
	t->last.is = LAST_NONE;
	t->status.unsure = false;
	t->held = HOLD_NONE;
	t->status.holds_gil = holds_gil(r, t);
}

/* Takes note that nothing of a thread's stack is believed. */
static void
lose_sample(const struct remote *r, struct thread *t, const struct verdict *v,
    struct tach_recorder_stats *stats)
{
	if (v->is == READ_GONE || thread_has_ended(r, t))
		return;
	t->last.is = LAST_LOST;
	count_failure(v->trouble, stats);
}

/* Finds the thread that the stack belongs to, and its status then.  False if it is no
 * thread's, or if the thread runs by another state. */
static bool
find_moment(struct remote *r, struct thread *t, uint64_t time_us,
    struct tach_recorder_stats *stats, struct moment *m)
{
	if (!bindings_bind(&r->bindings, t, r->stack.words.tid)) {
		bindings_leave_out(t, time_us, stats);
		return false;
	}
	if (bindings_elsewhere(&r->bindings, t, time_us))
		return false;
	*m = moment_of(r, t, time_us);
	if (!bindings_seek_user(&r->bindings, t, m))
		return true;
	if (bindings_elsewhere(&r->bindings, t, time_us))
		return false;
	m->status = status_of(r->process, t, m);
	return true;
}

/* Whether the stack makes a sample: its thread is there, and is wanted. */
static bool
is_sample(const struct remote *r, struct thread *t, const struct moment *m,
    struct tach_recorder_stats *stats)
{
	if (bindings_was_left(&r->bindings, t, m->status)) {
		bindings_leave_out(t, m->time_us, stats);
		return false;
	}
	if (is_wanted_thread(r, t) && status_kept(r->options, m->status))
		return true;
	pass_over(t, m->status);
	return false;
}

/* Stores in the thread what its next read and its next sample need to know of the
 * stack; emit_sample stores the stack. */
static void
keep_sample(const struct remote *r, struct thread *t, bool whole,
    const struct moment *m)
{
	if (py_frames_are_objects(r->offsets))
		thread_renew_set(t, &r->stack.chain, r->offsets->frame_size);
	t->last.is = whole && r->options->async != TACH_ASYNC_ALL ?
	    LAST_GOOD : LAST_LOST;
	t->last.sound = whole && r->stack.sound;
	t->last.count = r->stack.stamp.count;
	t->last.read_us = m->time_us;
	t->status.wants_gil = m->wants_gil;
	t->status.exception = m->exception;
}

/* What callees_frame is to know of the thread with the stack.  To 3.10 a thread waits for
 * the GIL behind an instruction, before it is at the next one; and code that the JIT made
 * does not note each instruction. */
static unsigned
know_thread(const struct remote *r, const struct moment *m)
{
	bool between = r->stack.words.compiled ||
	    (py_frames_are_objects(r->offsets) && !m->holds_gil);

	return (r->records != NULL ? CALLEES_LATE : 0) | (between ? CALLEES_BETWEEN : 0);
}

/* The frame of the callee of a believed stack.  The next interrupt of that call copies
 * the callable, or the operands. */
static uint32_t
find_callee(struct remote *r, const struct moment *m)
{
	const struct called *called = &r->stack.called;

	if (called->it.callable.addr != 0 && called->it.operator != PY_ENTER &&
	    !called_is_known(&called->it))
		interrupts_know(r->interrupts, &(struct interrupt_site){
		    called->instr, called->at, called->it.operator == PY_CALL ? 0 :
		    called_objects((enum py_operator)called->it.operator)});
	return callees_frame(&r->callees, &r->stack.chain, &called->it, r->taken,
	    know_thread(r, m));
}

/* Whether a copy that was cut had no end but that of what an interrupt can copy. */
static bool
is_longest(const struct remote *r, uint64_t told)
{
	const struct stack_copy *s = &r->from.stack;

	return has_copied_stack(r) && (told == 0 || s->low + s->size != told);
}

/* Notes how much of a thread's stack the next copies need.  Where a copy was cut, the next
 * one is as long as it can be; if it was that already, the thread is stopped. */
static void
note_need(struct remote *r, struct thread *t)
{
	struct mixed_need n = mixed_needs(r->mixed);
	uint64_t before = t->memory.needed_end;

	if (mixed_stack_end(r->mixed) != 0)
		t->memory.stack_end = mixed_stack_end(r->mixed);
	if (n.end != 0 || n.cut)
		t->memory.needed_end = n.end;
	if (n.end != 0 ? n.end - n.low > INTERRUPT_STACK - INTERRUPT_BELOW :
			 n.cut && is_longest(r, before))
		t->memory.deep = DEEP_FOR;
	else if (t->memory.deep > 0)
		t->memory.deep--;
	if (!is_recorded(r, t))
		return;
	if (t->memory.needed_end != before)
		batches_need_stack(r->records, t->memory.needed_end);
	if (t->memory.deep > 0)
		batches_reject(r->records);
}

/* Merges the chain with the frames of C of its thread.  The thread is let go, unless its
 * variables are still to be read.  The callee becomes a frame of the result.  NULL if out
 * of memory. */
static struct py_chain *
mix(struct remote *r, struct thread *t, uint32_t callee)
{
	if (!mixed_merge(r->mixed, &r->stack.chain))
		return NULL;
	if (r->locals.tell == NULL)
		stop_release_all(&r->stops);
	note_need(r, t);
	return mixed_name(r->mixed, &r->stack.chain, callee);
}

/* The reason for which the thread with the stack does not run. */
static uint32_t
wait_of_stack(struct remote *r, struct thread *t, uint32_t callee,
    const struct moment *m)
{
	if (exact_runs(r->exact, t))
		return TACH_NONE;
	if (is_recorded(r, t) && batches_left(r->records))
		return waits_for_cpu(r->waits, 0);
	return waits_frame(r->waits, t, &r->stack.chain, callee, m);
}

/* Gives the stack, as far as it is believed, to the sink as a sample of the thread. */
static bool
sample_stack(struct remote *r, struct thread *t, const struct verdict *v,
    const struct moment *m, struct tach_sink *sink,
    struct tach_recorder_stats *stats)
{
	bool whole = v->is == READ_SURE;
	struct sample_leaves leaves = NO_LEAVES;
	struct py_chain *chain = &r->stack.chain, *shown = NULL;

	if (!whole)
		cut_chain(chain, v->sure);
	thread_names_count(r->names, t->index, 1, stats);
	stats->torn += !whole;
	count_interrupts(r, t, m->status, stats);
	stats->compiled += r->stack.words.compiled;
	keep_sample(r, t, whole, m);
	if (whole && !r->options->no_callees)
		leaves.callee = find_callee(r, m);
	if (whole)
		leaves.wait = wait_of_stack(r, t, leaves.callee, m);
	if (r->mixes && (shown = mix(r, t, leaves.callee)) == NULL)
		return false;
	if (r->locals.tell != NULL)
		variables_tell(&r->locals, r->offsets, live(r),
		    shown != NULL ? shown : chain);
	return emit_sample(&r->emitter, t, chain, shown, leaves, !whole, m, sink);
}

/* Reads a thread, and makes a sample of the stack, if it is one. */
static bool
take_thread_sample(struct remote *r, struct thread *t, uint64_t time_us,
    struct tach_sink *sink, struct tach_recorder_stats *stats)
{
	const struct py_chain *chain = &r->stack.chain;
	struct verdict v;
	struct moment m;

	begin_sample(r, t);
	if (!is_wanted_thread(r, t))
		return true;
	v = read_stack(r, t);
	if (v.is == READ_NOMEM)
		return false;
	stay_away(r, t);
	if (!verdict_believes(&v)) {
		lose_sample(r, t, &v, stats);
		return true;
	}
	t->last.stack = chain->depth > 0 ? chain->stack : 0;
	if (chain->depth == 0 || !find_moment(r, t, time_us, stats, &m))
		return true; /* runs no Python code, or none of its own */
	if (!name_thread(r, t, stats))
		return false;
	return !is_sample(r, t, &m, stats) ||
	    sample_stack(r, t, &v, &m, sink, stats);
}

/* Gives the sample of a thread that is known to be away. */
static bool
sample_away(struct remote *r, struct thread *t, uint64_t time_us,
    struct tach_sink *sink, struct tach_recorder_stats *stats)
{
	t->done = true;
	thread_names_count(r->names, t->index, 1, stats);
	return exact_again(r->exact, t, time_us, sink);
}

/* Samples a thread, then lets it go if it was made to stand still. */
static bool
sample_thread(struct remote *r, struct thread *t, uint64_t time_us,
    struct tach_sink *sink, struct tach_recorder_stats *stats)
{
	bool ok;

	if (exact_waits(r->exact, t))
		return sample_away(r, t, time_us, sink, stats);
	if (!exact_settle(r->exact, t, sink))
		return false;
	ok = take_thread_sample(r, t, time_us, sink, stats);
	stop_release_all(&r->stops);
	if (r->options->careful)
		colocate_leave(&r->reader.colocation);
	return ok;
}

static bool
sample_copied(struct remote *r, uint64_t time_us, struct tach_sink *sink,
    struct tach_recorder_stats *stats)
{
	for (size_t i = 0; i < r->plan.threads.count; i++) {
		struct thread *t = &r->plan.threads.list[i];
		if (t->copy.how != COPIED_NOT &&
		    !sample_thread(r, t, time_us, sink, stats))
			return false;
	}
	return true;
}

/* Looks again at the status of a thread that ran no Python code, and fills in what is
 * known of this moment.  False if samples of that status are not wanted, or if the
 * thread has ended. */
static bool
renew_status(struct remote *r, struct thread *t, struct moment *m)
{
	*m = (struct moment){.offsets = r->offsets,
	    .gil = plan_interp(&r->plan, t)->gil_at,
	    .holds_gil = t->status.holds_gil,
	    .wants_gil = t->status.wants_gil,
	    .exception = t->status.exception};

	t->status.unsure = false;
	t->held = HOLD_NONE;
	t->status.bits = m->status = status_of(r->process, t, m);
	if (status_kept(r->options, t->status.bits) &&
	    !bindings_was_left(&r->bindings, t, t->status.bits))
		return true;
	t->last.is = LAST_NONE;
	return false;
}

/* Repeats the last sample of a thread that ran no Python code since; its status and the
 * reason for which it is blocked may be others. */
static bool
repeat_thread(struct remote *r, struct thread *t, uint64_t time_us,
    struct tach_sink *sink, struct tach_recorder_stats *stats)
{
	uint32_t wait = waits_lasting(r->waits, t);
	struct moment m;

	if (exact_waits(r->exact, t))
		return sample_away(r, t, time_us, sink, stats);
	if (!exact_settle(r->exact, t, sink))
		return false;
	if (exact_runs(r->exact, t)) {
		wait = TACH_NONE;
		t->status.bits |= TACH_STATUS_CPU;
	} else if (t->status.unsure) {
		if (!renew_status(r, t, &m))
			return true;
		wait = waits_frame(r->waits, t, &t->last.chain, t->last.callee, &m);
	}
	thread_names_count(r->names, t->index, 1, stats);
	return emit_waiting(&r->emitter, t, wait, time_us, sink);
}

/* Looks again at a thread that was passed over: it is read if it runs now. */
static void
look_again(struct thread *t)
{
	t->status.unsure = false;
	if (t->fresh == FRESH_CURRENT && status_runs(t))
		t->fresh = FRESH_STALE;
}

/* Repeats the last sample of threads that did not run since.  A stale thread that
 * the copies did not get to is read alone. */
static bool
sample_others(struct remote *r, uint64_t time_us, struct tach_sink *sink,
    struct tach_recorder_stats *stats)
{
	for (size_t i = 0; i < r->plan.threads.count; i++) {
		struct thread *t = &r->plan.threads.list[i];
		if (thread_is_gone(t) || t->done)
			continue;
		t->copy.how = COPIED_NOT;
		if (t->last.is == LAST_PASSED && t->status.unsure)
			look_again(t);
		if (t->fresh == FRESH_STALE) {
			if (!sample_thread(r, t, time_us, sink, stats))
				return false;
		} else if (t->last.is == LAST_GOOD &&
		    !bindings_elsewhere(&r->bindings, t, time_us) &&
		    !repeat_thread(r, t, time_us, sink, stats)) {
			return false;
		}
	}
	return true;
}

/* ---- rounds ------------------------------------------------------------ */

/* Frees the memory of copies now and then: the first rounds of new threads need a
 * lot. */
static void
forget_room(struct remote *r)
{
	if (r->rounds % FORGET_AFTER == 0)
		snapshot_free(&r->plan.all);
}

static void
begin_round(struct remote *r)
{
	forget_room(r);
	for (size_t i = 0; i < r->plan.threads.count; i++) {
		struct thread *t = &r->plan.threads.list[i];
		t->done = false;
		t->copy.how = COPIED_NOT;
		bindings_seek_again(t, r->plan.time_us);
		if (!plan_is_told(&r->plan, t))
			rests_look(&r->rests, t);
		/* Its last sample is one of a task that waits. */
		if (r->options->async == TACH_ASYNC_ALL)
			thread_make_stale(t);
		if ((r->rounds + i) % FORGET_AFTER == 0)
			workset_clear(&t->memory.set);
	}
}

static bool
has_more(const struct remote *r)
{
	for (size_t i = 0; i < r->plan.threads.count; i++) {
		const struct thread *t = &r->plan.threads.list[i];
		if (t->fresh == FRESH_STALE && !t->done)
			return true;
	}
	return false;
}

/* Waits for the next round on the CPU of a thread that runs.  If several run, each
 * round chooses another one. */
static void
wait_near(struct remote *r)
{
	for (size_t i = 0; i < r->plan.threads.count; i++) {
		const struct thread *t = &r->plan.threads.list[
		    (r->rounds + i) % r->plan.threads.count];
		if (t->done && t->task != 0 &&
		    (t->status.bits & TACH_STATUS_CPU) != 0) {
			colocate_wait(&r->reader.colocation, t->task);
			return;
		}
	}
}

/* Whether threads that run are stopped.  Where they are copied with their stacks of C
 * instead, the recorder is better on another CPU. */
static bool
stops_threads(const struct remote *r)
{
	return r->options->blocking ||
	    (r->mixes && !interrupts_tell_stacks(r->interrupts));
}

/* Chooses the CPU on which the next round begins. */
static void
leave_round(struct remote *r)
{
	r->rounds++;
	if (stops_threads(r))
		wait_near(r);
	else if (r->records == NULL)
		colocate_end_round(&r->reader.colocation,
		    contexts_learned(r->reader.contexts));
}

/* ---- rounds in which no thread has run --------------------------------- */

/* Whether no thread has run, and a round needs nothing but that. */
static bool
all_rest(struct remote *r)
{
	return rests_all(&r->rests, r->records == NULL &&
	    r->tasks == NULL && r->locals.tell == NULL &&
	    !r->options->blocking && !r->bindings.twofold);
}

bool
remote_can_repeat(const struct remote *r)
{
	for (size_t i = 0; i < r->plan.threads.count; i++) {
		const struct thread *t = &r->plan.threads.list[i];
		if (t->last.is == LAST_LOST && !thread_is_gone(t))
			return false;
	}
	return true;
}

void
remote_note_gap(struct remote *r, uint64_t away)
{
	r->gap = waits_for_cpu(r->waits, away);
}

/* The reason of a thread while no known thread has a CPU. */
static uint32_t
wait_now(const struct remote *r, const struct thread *t)
{
	return (t->status.bits & TACH_STATUS_CPU) != 0 ? r->gap :
	    waits_lasting(r->waits, t);
}

/* Gives the last sample of a thread once more, in a round in which none has run. */
static bool
sample_again(struct remote *r, struct thread *t, uint64_t time_us,
    struct tach_sink *sink, struct tach_recorder_stats *stats)
{
	if (r->exact != NULL)
		return repeat_thread(r, t, time_us, sink, stats);
	thread_names_count(r->names, t->index, 1, stats);
	return emit_waiting(&r->emitter, t, wait_now(r, t), time_us, sink);
}

bool
remote_again(struct remote *r, uint64_t time_us, struct tach_sink *sink,
    struct tach_recorder_stats *stats)
{
	if (!exact_take(r->exact, r->start, time_us, sink, stats))
		return false;
	for (size_t i = 0; i < r->plan.threads.count; i++) {
		struct thread *t = &r->plan.threads.list[i];
		if (thread_is_gone(t) || t->last.is != LAST_GOOD ||
		    bindings_elsewhere(&r->bindings, t, time_us))
			continue;
		if (!sample_again(r, t, time_us, sink, stats))
			return false;
	}
	return true;
}

/* The sink that samples go to. */
static struct tach_sink *
sink_of(struct remote *r, struct tach_sink *sink)
{
	if (!r->options->blocking)
		return sink;
	r->releasing.to = sink;
	return &r->releasing.sink;
}

static enum remote_result
look_at_thread_names(struct remote *r, uint64_t time_us)
{
	return names_look(r->called, &r->plan.threads, r->names->count,
	    time_us) ? REMOTE_OK : REMOTE_ERROR;
}

static enum remote_result
rest_round(struct remote *r, uint64_t time_us, struct tach_sink *sink,
    struct tach_recorder_stats *stats)
{
	colocate_break_off(&r->reader.colocation);
	return remote_again(r, time_us, sink, stats) ?
	    look_at_thread_names(r, time_us) : REMOTE_ERROR;
}

/* Samples the threads of which there are copies of one moment: one in an interrupt of
 * its CPU, or the ones that have a record of the round.  *first: whether the round's
 * first copy is still to be made. */
static enum remote_result
sample_alone(struct remote *r, uint64_t time_us, struct tach_sink *sink,
    struct tach_recorder_stats *stats, bool *first)
{
	enum copy_result seen = r->records == NULL ? plan_interrupt(&r->plan) :
	    batches_capture(r->records);

	*first = seen != COPY_OK;
	while (seen == COPY_OK) {
		if (!sample_copied(r, time_us, sink, stats))
			return REMOTE_ERROR;
		seen = r->records != NULL ? batches_capture(r->records) :
		    COPY_FAILED;
	}
	if (seen == COPY_NOMEM)
		return REMOTE_ERROR;
	*first = *first || !r->plan.kept;
	if (!*first)
		rests_look_around(&r->rests);
	return REMOTE_OK;
}

/* Makes a copy: the first one of a round, or a later one. */
static enum remote_result
copy_threads(struct remote *r, bool first)
{
	enum copy_result copied = first ? plan_copy_lean(&r->plan) : COPY_FAILED;

	if (copied == COPY_FAILED)
		copied = plan_copy(&r->plan, first);
	return copied == COPY_OK ? REMOTE_OK :
	    copied == COPY_NOMEM ? REMOTE_ERROR : REMOTE_LOST;
}

/* Copies and samples the other threads that have to be read.  first: the first copy of
 * the round is still to be made. */
static enum remote_result
sample_copies(struct remote *r, uint64_t time_us, struct tach_sink *sink,
    struct tach_recorder_stats *stats, bool first)
{
	enum remote_result got;

	for (int i = 0; i < COPIES_MAX && (first || has_more(r)); i++) {
		if ((got = copy_threads(r, first)) != REMOTE_OK)
			return got;
		if (!sample_copied(r, time_us, sink, stats))
			return REMOTE_ERROR;
		if (first)
			rests_look_around(&r->rests);
		first = false;
	}
	return REMOTE_OK;
}

/* Samples the tasks that wait, if that is asked for. */
static bool
sample_tasks(struct remote *r, uint64_t time_us, struct tach_sink *sink,
    struct tach_recorder_stats *stats)
{
	struct task_round round = {&r->plan.threads, r->options, &r->emitter,
	    time_us, sink, stats};

	return r->options->async != TACH_ASYNC_ALL || r->tasks == NULL ||
	    !tasks_found(r->tasks, clock_ns()) ||
	    tasks_sample(r->tasks, &round);
}

static enum remote_result
take_round(struct remote *r, uint64_t time_us, struct tach_sink *to,
    struct tach_recorder_stats *stats)
{
	struct tach_sink *sink = sink_of(r, to);
	enum remote_result got;
	bool first;

	if (!exact_take(r->exact, r->start, time_us, sink, stats))
		return REMOTE_ERROR;
	if (all_rest(r))
		return rest_round(r, time_us, sink, stats);
	r->plan.time_us = time_us;
	begin_round(r);
	if ((got = sample_alone(r, time_us, sink, stats, &first)) != REMOTE_OK ||
	    (got = sample_copies(r, time_us, sink, stats, first)) != REMOTE_OK)
		return got;
	if (!sample_others(r, time_us, sink, stats))
		return REMOTE_ERROR;
	if (!sample_tasks(r, time_us, sink, stats))
		return REMOTE_ERROR;
	leave_round(r);
	stats->retries = r->reader.retries;
	return look_at_thread_names(r, time_us);
}

enum remote_result
remote_round(struct remote *r, uint64_t time_us, struct tach_sink *sink,
    struct tach_recorder_stats *stats)
{
	r->records = NULL;
	r->taken = clock_ns();
	return take_round(r, time_us, sink, stats);
}

enum remote_result
remote_records(struct remote *r, struct batches *b, uint64_t taken, uint64_t time_us,
    struct tach_sink *sink, struct tach_recorder_stats *stats)
{
	r->records = b;
	r->taken = taken;
	return take_round(r, time_us, sink, stats);
}

void
remote_locals(struct remote *r, const struct tach_locals *l)
{
	r->locals = *l;
}

void
remote_start(struct remote *r, uint64_t start)
{
	r->start = start;
}

bool
remote_pass_switches(struct remote *r, uint64_t time_us,
    struct tach_recorder_stats *stats)
{
	return exact_take(r->exact, r->start, time_us, NULL, stats);
}

void
remote_mix(struct remote *r, bool on)
{
	r->mixes = on && r->mixed != NULL;
}

bool
remote_let_go(struct remote *r)
{
	return stop_release_all(&r->stops);
}

struct plan *
remote_plan(struct remote *r)
{
	return &r->plan;
}

bool
remote_fits_records(const struct remote *r)
{
	return r->tasks == NULL && !r->options->opcodes &&
	    (r->mixed == NULL || interrupts_tell_stacks(r->interrupts));
}
