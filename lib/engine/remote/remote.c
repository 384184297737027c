/* SPDX-License-Identifier: ISC */
/* remote.c: see remote.h. */
#include "engine/remote/remote.h"

#include <stdlib.h>
#include <string.h>

#include "engine/remote/reading.h"
#include "engine/remote/rests.h"
#include "engine/sample/callees.h"
#include "engine/sample/emit.h"
#include "engine/sample/names.h"
#include "engine/sample/variables.h"
#include "engine/sched/colocate.h"
#include "engine/stack/interrupted.h"
#include "engine/stack/read_twice.h"
#include "engine/tasks/tasks.h"
#include "engine/waits/exact.h"
#include "engine/waits/waits.h"
#include "python/traits.h"

#define COPIES_MAX 6	  /* of a round */
#define FORGET_AFTER 2048 /* rounds after which working sets start anew */
#define TASK_TRIES 4	  /* to read the tasks that wait for a running task */
#define RECENT 20	  /* us: as good as now */

/* Lets all threads go before it passes a run on, as the next sink may wait for its
 * reader. */
struct releasing_sink {
	struct tach_sink sink;
	struct stops *stops;
	struct tach_sink *to; /* of the round */
};

struct remote {
	struct reading by;	    /* has the process and the options, too */
	struct thread_names *names; /* borrowed from the caller */
	struct releasing_sink releasing; /* with --blocking */
	uint64_t taken; /* ns: no thread of the round was copied before */
	struct rests rests;
	uint64_t rounds; /* so far */
	struct emitter emitter;
	struct callees callees;
	struct waits *waits; /* NULL: not asked for */
	struct exact *exact; /* likewise: each wait from its begin to its end */
	uint64_t start; /* ns: time 0 of the samples */
	uint32_t gap; /* the reason in it, as a frame; TACH_NONE: not asked for */
	struct names *called; /* names of the threads */
	struct tasks *tasks; /* NULL: not asked for, or not in this Python */
	struct tach_locals locals; /* no function: not asked for */
};

static const struct py_memory *
live(const struct remote *r)
{
	return &r->by.reader.memory.memory;
}

/* ---- making ------------------------------------------------------------ */

static int
release_and_run(struct tach_sink *sink, const struct tach_run *run)
{
	struct releasing_sink *s = (struct releasing_sink *)sink;

	stop_release_all(s->stops);
	return tach_sink_run(s->to, run);
}

/* Makes the parts that are asked for.  False if out of memory. */
static bool
make_waits(struct remote *r, const struct py_runtime *rt, struct tach_table *table)
{
	const struct tach_recorder_options *options = r->by.options;
	struct plan *plan = &r->by.plan;
	struct waits_place place = {live(r), r->by.reader.codes, &plan->threads};

	if (options->waits != TACH_WAITS_NONE && (r->waits = waits_new(r->by.process,
	    rt, options, table, &place)) == NULL)
		return false;
	return options->waits != TACH_WAITS_EXACT || (r->exact = exact_new(r->by.process,
	    rt, table, r->names, r->waits, &place, &plan->interps,
	    options->interval_ns)) != NULL;
}

static bool
make_tasks(struct remote *r, const struct py_runtime *rt, struct tach_table *table)
{
	if (r->by.options->async == TACH_ASYNC_NONE || !py_has_tasks(r->by.offsets))
		return true;
	r->tasks = tasks_new(r->by.process, live(r), rt, r->by.reader.codes, table);
	return r->tasks != NULL;
}

/* Makes the parts of a remote that has its reading.  False if out of memory. */
static bool
make_parts(struct remote *r, const struct py_runtime *rt, struct tach_table *table)
{
	struct stack_reader *reader = &r->by.reader;

	rests_init(&r->rests, &r->by.plan, interrupts_stir(r->by.interrupts));
	r->called = names_new(r->by.process, r->by.offsets, live(r), table);
	if (r->called == NULL)
		return false;
	emitter_init(&r->emitter, table, r->names, reader->codes);
	r->emitter.opcodes = r->by.options->opcodes;
	callees_init(&r->callees, &reader->calls, reader->codes, table);
	return make_waits(r, rt, table) && make_tasks(r, rt, table);
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
	r->names = names;
	r->gap = TACH_NONE;
	r->releasing = (struct releasing_sink){{.size = sizeof(struct tach_sink),
		.run = release_and_run},
	    .stops = &r->by.stops};
	if (!reading_init(&r->by, p, rt, options, interrupts, table, faults, lines) ||
	    !make_parts(r, rt, table)) {
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
	emitter_free(&r->emitter);
	callees_free(&r->callees);
	tasks_free(r->tasks);
	exact_free(r->exact);
	waits_free(r->waits);
	names_free(r->called);
	rests_free(&r->rests);
	reading_free(&r->by, until);
	free(r);
}

void
remote_interrupts(struct remote *r, struct interrupts *in)
{
	r->by.interrupts = r->by.plan.interrupts = in;
	colocate_break_off(&r->by.reader.colocation);
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

/* Plans no stay on the CPU of a thread that can be interrupted, even if it could not
 * be just now. */
static void
stay_away(struct remote *r, const struct thread *t)
{
	if (r->by.interrupts != NULL && !interrupted_spares(t))
		colocate_unwant(&r->by.reader.colocation, t->task);
}

/* Whether there was no descriptor for a thread; one that has ended needs none. */
static bool
lacks_descriptor(const struct remote *r, const struct thread *t)
{
	return t->task != 0 && t->state_fd < 0 && !reading_has_ended(&r->by, t);
}

/* Gives a thread its index among the names of threads.  False if out of memory. */
static bool
name_thread(struct remote *r, struct thread *t,
    struct tach_recorder_stats *stats)
{
	if (t->index != TACH_NONE)
		return true;
	stats->unkept += lacks_descriptor(r, t);
	t->index = thread_names_add(r->names, (uint32_t)t->py.interp_id,
	    t->id.tid);
	return t->index != TACH_NONE;
}

/* Whether a thread that holds its GIL has gone on since its last sample, which
 * is recent. */
static bool
has_just_run(const struct remote *r, const struct thread *t, uint64_t time_us)
{
	const struct py_chain *now = &r->by.stack.chain, *then = &t->last.chain;

	return t->status.holds_gil && time_us - t->last.read_us <= RECENT &&
	    (t->status.bits & TACH_STATUS_CPU) != 0 && then->depth > 0 &&
	    (now->places[0].instr != then->places[0].instr ||
		now->places[0].frame != then->places[0].frame);
}

/* The moment of a thread's stack, with the thread's status. */
static struct moment
moment_of(const struct remote *r, struct thread *t, uint64_t time_us)
{
	const struct interp *in = plan_interp(&r->by.plan, t);
	struct moment m = {.time_us = time_us,
	    .offsets = r->by.offsets,
	    .gil = in->gil_at,
	    .holds_gil = t->status.holds_gil,
	    .wants_gil = r->by.stack.words.wants_gil,
	    .ran = has_just_run(r, t, time_us),
	    .waits = !t->status.holds_gil && plan_takes_turns(&r->by.plan, t),
	    .exception = r->by.stack.words.exception};

	m.status = status_of(r->by.process, t, &m);
	if (exact_runs(r->exact, t))
		m.status |= TACH_STATUS_CPU;
	return m;
}

static bool
holds_gil(const struct remote *r, const struct thread *t)
{
	const struct interp *in = plan_interp(&r->by.plan, t);

	if (!py_is_free_threaded(r->by.offsets))
		return in->gil.locked && in->gil.holder == t->py.addr;
	return t->copy.how != COPIED_NOT && (reader_state(&r->by.reader,
	    r->by.plan.all.bytes + t->copy.at, r->by.offsets->thread_status) &
	    r->by.offsets->active) != 0;
}

/* Whether samples of a thread are asked for, as far as is known before it is
 * read. */
static bool
is_wanted_thread(const struct remote *r, const struct thread *t)
{
	return (!r->by.options->main_only || t->task == 0 ||
		t->task == r->by.process->pid) &&
	    (r->by.options->mode != TACH_MODE_GIL || t->status.holds_gil);
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

	if (r->by.interrupts == NULL)
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
	struct verdict v = reading_chain(&r->by, t);

	if (r->tasks == NULL || !tasks_found(r->tasks, clock_ns()))
		return v;
	for (int i = 0; i < TASK_TRIES && v.is == READ_SURE; i++) {
		v.is = tasks_extend(r->tasks, t, &r->by.stack.chain);
		if (v.is != READ_RETRY)
			return v;
		v = r->by.mixes || r->by.options->kernel ? reading_chain(&r->by, t) :
		    read_twice(&r->by.reader, t, &r->by.stack);
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
	if (v->is == READ_GONE || reading_has_ended(&r->by, t))
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
	if (!bindings_bind(&r->by.bindings, t, r->by.stack.words.tid)) {
		bindings_leave_out(t, time_us, stats);
		return false;
	}
	if (bindings_elsewhere(&r->by.bindings, t, time_us))
		return false;
	*m = moment_of(r, t, time_us);
	if (!bindings_seek_user(&r->by.bindings, t, m))
		return true;
	if (bindings_elsewhere(&r->by.bindings, t, time_us))
		return false;
	m->status = status_of(r->by.process, t, m);
	return true;
}

/* Whether the stack makes a sample: its thread is there, and is wanted. */
static bool
is_sample(const struct remote *r, struct thread *t, const struct moment *m,
    struct tach_recorder_stats *stats)
{
	if (bindings_was_left(&r->by.bindings, t, m->status)) {
		bindings_leave_out(t, m->time_us, stats);
		return false;
	}
	if (is_wanted_thread(r, t) && status_kept(r->by.options, m->status))
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
	if (py_frames_are_objects(r->by.offsets))
		thread_renew_set(t, &r->by.stack.chain, r->by.offsets->frame_size);
	t->last.is = whole && r->by.options->async != TACH_ASYNC_ALL ?
	    LAST_GOOD : LAST_LOST;
	t->last.sound = whole && r->by.stack.sound;
	t->last.count = r->by.stack.stamp.count;
	t->last.read_us = m->time_us;
	t->status.wants_gil = m->wants_gil;
	t->status.exception = m->exception;
}

/* Where a thread may be while another one holds the GIL. */
static unsigned
know_waiter(const struct remote *r, const struct thread *t, const struct moment *m)
{
	if (m->holds_gil || !plan_interp(&r->by.plan, t)->gil.locked ||
	    py_is_free_threaded(r->by.offsets))
		return 0;
	if ((m->status & TACH_STATUS_GIL_WANTED) != 0)
		return CALLEES_WAITS;
	return (m->status & (TACH_STATUS_CPU | TACH_STATUS_UNKNOWN)) != 0 ?
	    CALLEES_AWAY : 0;
}

/* What callees_frame is to know of the thread with the stack.  To 3.10 a thread waits for
 * the GIL behind an instruction, before it is at the next one; and code that the JIT made
 * does not note each instruction. */
static unsigned
know_thread(const struct remote *r, const struct thread *t, const struct moment *m)
{
	bool between = r->by.stack.words.compiled ||
	    (py_frames_are_objects(r->by.offsets) && !m->holds_gil);

	return (r->by.records != NULL ? CALLEES_LATE : 0) |
	    (between ? CALLEES_BETWEEN : 0) | know_waiter(r, t, m);
}

/* The frame of the callee of a believed stack.  The next interrupt of that call copies
 * the callable, or the operands. */
static uint32_t
find_callee(struct remote *r, const struct thread *t, const struct moment *m)
{
	const struct called *called = &r->by.stack.called;

	if (called->it.callable.addr != 0 && called->it.operator != PY_ENTER &&
	    !called_is_known(&called->it))
		interrupts_know(r->by.interrupts, &(struct interrupt_site){
		    called->instr, called->at, called->it.operator == PY_CALL ? 0 :
		    called_objects((enum py_operator)called->it.operator)});
	return callees_frame(&r->callees, &r->by.stack.chain, &called->it, r->taken,
	    know_thread(r, t, m));
}

/* The reason for which the thread with the stack does not run. */
static uint32_t
wait_of_stack(struct remote *r, struct thread *t, uint32_t callee,
    const struct moment *m)
{
	if (exact_runs(r->exact, t))
		return TACH_NONE;
	if (reading_is_record(&r->by, t) && batches_left(r->by.records))
		return waits_for_cpu(r->waits, 0);
	return waits_frame(r->waits, t, &r->by.stack.chain, callee, m);
}

/* Gives the stack, as far as it is believed, to the sink as a sample of the thread. */
static bool
sample_stack(struct remote *r, struct thread *t, const struct verdict *v,
    const struct moment *m, struct tach_sink *sink,
    struct tach_recorder_stats *stats)
{
	bool whole = v->is == READ_SURE;
	struct sample_leaves leaves = NO_LEAVES;
	struct py_chain *chain = &r->by.stack.chain, *shown = NULL;

	if (!whole)
		cut_chain(chain, v->sure);
	thread_names_count(r->names, t->index, 1, stats);
	stats->torn += !whole;
	count_interrupts(r, t, m->status, stats);
	stats->compiled += r->by.stack.words.compiled;
	keep_sample(r, t, whole, m);
	if (whole && !r->by.options->no_callees)
		leaves.callee = find_callee(r, t, m);
	if (whole)
		leaves.wait = wait_of_stack(r, t, leaves.callee, m);
	if (r->by.mixes && (shown = reading_mix(&r->by, t, leaves.callee)) == NULL)
		return false;
	if (whole && r->by.options->kernel &&
	    !reading_show_kernel(&r->by, leaves.callee, &shown, stats))
		return false;
	if (r->locals.tell != NULL)
		variables_tell(&r->locals, r->by.offsets, live(r),
		    shown != NULL ? shown : chain);
	return emit_sample(&r->emitter, t, chain, shown, leaves, !whole, m, sink);
}

/* Reads a thread, and makes a sample of the stack, if it is one. */
static bool
take_thread_sample(struct remote *r, struct thread *t, uint64_t time_us,
    struct tach_sink *sink, struct tach_recorder_stats *stats)
{
	const struct py_chain *chain = &r->by.stack.chain;
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
	stop_release_all(&r->by.stops);
	if (r->by.options->careful)
		colocate_leave(&r->by.reader.colocation);
	return ok;
}

static bool
sample_copied(struct remote *r, uint64_t time_us, struct tach_sink *sink,
    struct tach_recorder_stats *stats)
{
	for (size_t i = 0; i < r->by.plan.threads.count; i++) {
		struct thread *t = &r->by.plan.threads.list[i];
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
	*m = (struct moment){.offsets = r->by.offsets,
	    .gil = plan_interp(&r->by.plan, t)->gil_at,
	    .holds_gil = t->status.holds_gil,
	    .wants_gil = t->status.wants_gil,
	    .exception = t->status.exception};

	t->status.unsure = false;
	t->held = HOLD_NONE;
	t->status.bits = m->status = status_of(r->by.process, t, m);
	if (status_kept(r->by.options, t->status.bits) &&
	    !bindings_was_left(&r->by.bindings, t, t->status.bits))
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
	for (size_t i = 0; i < r->by.plan.threads.count; i++) {
		struct thread *t = &r->by.plan.threads.list[i];
		if (thread_is_gone(t) || t->done)
			continue;
		t->copy.how = COPIED_NOT;
		if (t->last.is == LAST_PASSED && t->status.unsure)
			look_again(t);
		if (t->fresh == FRESH_STALE) {
			if (!sample_thread(r, t, time_us, sink, stats))
				return false;
		} else if (t->last.is == LAST_GOOD &&
		    !bindings_elsewhere(&r->by.bindings, t, time_us) &&
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
		snapshot_free(&r->by.plan.all);
}

static void
begin_round(struct remote *r)
{
	forget_room(r);
	for (size_t i = 0; i < r->by.plan.threads.count; i++) {
		struct thread *t = &r->by.plan.threads.list[i];
		t->done = false;
		t->copy.how = COPIED_NOT;
		bindings_seek_again(t, r->by.plan.time_us);
		if (!plan_is_told(&r->by.plan, t))
			rests_look(&r->rests, t);
		/* Its last sample is one of a task that waits. */
		if (r->by.options->async == TACH_ASYNC_ALL)
			thread_make_stale(t);
		if ((r->rounds + i) % FORGET_AFTER == 0)
			workset_clear(&t->memory.set);
	}
}

static bool
has_more(const struct remote *r)
{
	for (size_t i = 0; i < r->by.plan.threads.count; i++) {
		const struct thread *t = &r->by.plan.threads.list[i];
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
	for (size_t i = 0; i < r->by.plan.threads.count; i++) {
		const struct thread *t = &r->by.plan.threads.list[
		    (r->rounds + i) % r->by.plan.threads.count];
		if (t->done && t->task != 0 &&
		    (t->status.bits & TACH_STATUS_CPU) != 0) {
			colocate_wait(&r->by.reader.colocation, t->task);
			return;
		}
	}
}

/* Whether threads that run are stopped.  Where they are copied with their stacks of C
 * instead, the recorder is better on another CPU. */
static bool
stops_threads(const struct remote *r)
{
	return r->by.options->blocking ||
	    (r->by.mixes && !interrupts_tell_stacks(r->by.interrupts));
}

/* Chooses the CPU on which the next round begins. */
static void
leave_round(struct remote *r)
{
	r->rounds++;
	if (stops_threads(r))
		wait_near(r);
	else if (r->by.records == NULL)
		colocate_end_round(&r->by.reader.colocation,
		    contexts_learned(r->by.reader.contexts));
}

/* ---- rounds in which no thread has run --------------------------------- */

/* Whether no thread has run, and a round needs nothing but that. */
static bool
all_rest(struct remote *r)
{
	return rests_all(&r->rests, r->by.records == NULL &&
	    r->tasks == NULL && r->locals.tell == NULL &&
	    !r->by.options->blocking && !r->by.bindings.twofold);
}

bool
remote_can_repeat(const struct remote *r)
{
	for (size_t i = 0; i < r->by.plan.threads.count; i++) {
		const struct thread *t = &r->by.plan.threads.list[i];
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
	for (size_t i = 0; i < r->by.plan.threads.count; i++) {
		struct thread *t = &r->by.plan.threads.list[i];
		if (thread_is_gone(t) || t->last.is != LAST_GOOD ||
		    bindings_elsewhere(&r->by.bindings, t, time_us))
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
	if (!r->by.options->blocking)
		return sink;
	r->releasing.to = sink;
	return &r->releasing.sink;
}

static enum remote_result
look_at_thread_names(struct remote *r, uint64_t time_us)
{
	return names_look(r->called, &r->by.plan.threads, r->names->count,
	    time_us) ? REMOTE_OK : REMOTE_ERROR;
}

static enum remote_result
rest_round(struct remote *r, uint64_t time_us, struct tach_sink *sink,
    struct tach_recorder_stats *stats)
{
	colocate_break_off(&r->by.reader.colocation);
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
	enum copy_result seen = r->by.records == NULL ? plan_interrupt(&r->by.plan) :
	    batches_capture(r->by.records);

	*first = seen != COPY_OK;
	while (seen == COPY_OK) {
		if (!sample_copied(r, time_us, sink, stats))
			return REMOTE_ERROR;
		seen = r->by.records != NULL ? batches_capture(r->by.records) :
		    COPY_FAILED;
	}
	if (seen == COPY_NOMEM)
		return REMOTE_ERROR;
	*first = *first || !r->by.plan.kept;
	if (!*first)
		rests_look_around(&r->rests);
	return REMOTE_OK;
}

/* Makes a copy: the first one of a round, or a later one. */
static enum remote_result
copy_threads(struct remote *r, bool first)
{
	enum copy_result copied = first ? plan_copy_lean(&r->by.plan) : COPY_FAILED;

	if (copied == COPY_FAILED)
		copied = plan_copy(&r->by.plan, first);
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
	struct task_round round = {&r->by.plan.threads, r->by.options, &r->emitter,
	    time_us, sink, stats};

	return r->by.options->async != TACH_ASYNC_ALL || r->tasks == NULL ||
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
	r->by.plan.time_us = time_us;
	begin_round(r);
	if ((got = sample_alone(r, time_us, sink, stats, &first)) != REMOTE_OK ||
	    (got = sample_copies(r, time_us, sink, stats, first)) != REMOTE_OK)
		return got;
	if (!sample_others(r, time_us, sink, stats))
		return REMOTE_ERROR;
	if (!sample_tasks(r, time_us, sink, stats))
		return REMOTE_ERROR;
	leave_round(r);
	stats->retries = r->by.reader.retries;
	return look_at_thread_names(r, time_us);
}

enum remote_result
remote_round(struct remote *r, uint64_t time_us, struct tach_sink *sink,
    struct tach_recorder_stats *stats)
{
	r->by.records = NULL;
	r->taken = clock_ns();
	return take_round(r, time_us, sink, stats);
}

enum remote_result
remote_records(struct remote *r, struct batches *b, uint64_t taken, uint64_t time_us,
    struct tach_sink *sink, struct tach_recorder_stats *stats)
{
	r->by.records = b;
	r->taken = taken;
	return take_round(r, time_us, sink, stats);
}

void
remote_locals(struct remote *r, const struct tach_locals *l)
{
	r->locals = *l;
	r->by.lingers = l->tell != NULL;
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
	r->by.mixes = on && r->by.mixed != NULL;
}

bool
remote_let_go(struct remote *r)
{
	return stop_release_all(&r->by.stops);
}

struct plan *
remote_plan(struct remote *r)
{
	return &r->by.plan;
}

bool
remote_fits_records(const struct remote *r)
{
	return r->tasks == NULL && !r->by.options->opcodes &&
	    (r->by.mixed == NULL || interrupts_tell_stacks(r->by.interrupts)) &&
	    (!r->by.options->kernel || interrupts_tell_kernel(r->by.interrupts));
}
