/* SPDX-License-Identifier: ISC */
/* mixed_reading.c: threads that are read with their frames of C or of the kernel: see
 * reading.h. */
#include "engine/kernel/standing.h"
#include "engine/remote/reading.h"
#include "engine/sched/colocate.h"
#include "engine/stack/read_twice.h"
#include "engine/threads/status.h"

#define DEEP_FOR 64 /* samples of a thread after one with a deep stack of C */
#define STOP_PATIENCE NS_PER_S /* for a thread without which there is no stack */
#define CPU_PATIENCE (50 * NS_PER_MS) /* for a thread to get a CPU on which it stops */

static bool
has_copied_stack(const struct reading *r)
{
	return r->from.in != NULL && r->from.stack.size > 0;
}

/* Whether a copy that was cut had no end but that of what an interrupt can copy. */
static bool
is_longest(const struct reading *r, uint64_t told)
{
	const struct stack_copy *s = &r->from.stack;

	return has_copied_stack(r) && (told == 0 || s->low + s->size != told);
}

/* Notes how much of a thread's stack the next copies need.  Where a copy was cut, and
 * the place that it lacks is not known, the next one is as long as it can be.  A thread
 * that needs more is stopped for some time.  Greenlets and interpreters share a stack and
 * begin at many places of it: the end is that of the highest one. */
static void
note_need(struct reading *r, struct thread *t)
{
	struct mixed_need n = mixed_needs(r->mixed);
	uint64_t before = t->memory.needed_end;

	if (n.end > before || (n.cut && n.end == 0))
		t->memory.needed_end = n.end;
	if (n.end != 0 ? n.end - n.low > INTERRUPT_STACK - INTERRUPT_BELOW :
			 n.cut && is_longest(r, before))
		t->memory.deep = DEEP_FOR;
}

/* All that the frames are made of is in that copy, and so of its moment. */
bool
reading_copied_frames(struct reading *r, struct thread *t)
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
	if (reading_is_record(r, t) || !mixed_is_cut(r->mixed))
		return true;
	note_need(r, t);
	return false;
}

/* Stops a thread, and waits for it longer than stop_thread does. */
static bool
stop_patiently(struct reading *r, struct thread *t, uint64_t patience)
{
	uint64_t end = clock_ns() + patience;
	bool stopped;

	while (!(stopped = stop_thread(&r->stops, t->task)) &&
	    !reading_has_ended(r, t) && clock_ns() < end)
		clock_sleep(clock_ns() + NS_PER_MS);
	return stopped;
}

/* Stops a thread.  In a recording, one that runs and has no CPU is waited for for some
 * time only, and another one not at all. */
static bool
stop_for_frames(struct reading *r, struct thread *t, bool ran)
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
link_capture(struct reading *r, struct native_capture *c, struct linked_view *v)
{
	struct spans *spans = &r->reader.scratch.spans;

	if (c->len > 0 && !spans_add_bytes(spans, (struct range){c->low, c->len},
		c->bytes))
		return false;
	*v = (struct linked_view){spans_view(spans), &r->reader.memory.memory};
	v->view.memory.read = read_linked;
	c->memory = &v->view.memory;
	return true;
}

/* Finds the frames of C of a thread that stands still, or whose stack is copied up to its
 * end.  Before that end is known, a copy may be of another stack, such as that for a
 * signal: then all is read from the process, and the capture has no copy any more.  False
 * if the frames may not be all. */
static bool
unwind_standing(struct reading *r, const struct thread *t, struct native_capture *c)
{
	bool whole = mixed_unwind(r->mixed, c);

	if (c->len == 0 || t->memory.stack_end != 0 || !mixed_is_cut(r->mixed))
		return whole;
	c->len = 0;
	return mixed_unwind(r->mixed, c);
}

/* Finds the frames of C of a thread that has stopped and was just read, and lets it go
 * if it ran, once its stack is copied: for its variables, it has to stand still for
 * longer.  False if out of memory. */
static bool
find_stopped_frames(struct reading *r, struct thread *t, bool ran)
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
	if (ran && c.len > 0 && t->memory.stack_end != 0 && !r->lingers)
		stop_release_all(&r->stops);
	whole = unwind_standing(r, t, &c);
	if (!ran && whole && c.len > 0)
		mixed_keep(r->mixed, t->task, &c);
	return true;
}

/* Stops a thread, also one that is blocked, for its registers and its stack.  It
 * counts as held only while it is read, if it was blocked. */
static struct verdict
read_stopped_frames(struct reading *r, struct thread *t, bool ran)
{
	struct verdict v = {.is = READ_RETRY};

	for (int i = 0; i < READING_TRIES && verdict_can_improve(&v); i++) {
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

bool
reading_has_stood_still(const struct reading *r, struct thread *t)
{
	return switches_count(&t->switches, r->process, t->task) == t->looks.parked;
}

/* Finds the frames of C of a thread that stands still and was just read, by all of its
 * registers or by some.  False if the frames may not be all and other registers may tell
 * of more, or if the thread has had a CPU meanwhile. */
static bool
find_standing_frames(struct reading *r, struct thread *t, const struct task_registers *at)
{
	struct native_capture c = {.registers = *at};
	struct linked_view view;
	bool copied = native_copy_stack(&r->room, t->task, t->memory.stack_end, &c);
	bool whole;

	if ((!copied && at->lacks != 0) || !link_capture(r, &c, &view))
		return false;
	mixed_begin(r->mixed, &c, t->py.addr);
	if (copied && !reading_has_stood_still(r, t))
		return false;
	if (copied && mixed_recall(r->mixed, t->task, &c))
		return true;
	whole = unwind_standing(r, t, &c);
	copied = c.len > 0;
	if (whole && copied)
		mixed_keep(r->mixed, t->task, &c);
	return (whole || at->lacks == 0) && (copied || reading_has_stood_still(r, t));
}

/* Notes the registers of a thread that has no CPU: all of them if the kernel tells them,
 * else two of a thread that is blocked.  False if it may have a CPU.  Its count of
 * switches, which is taken before, tells then whether it has stood still. */
static bool
stand(const struct reading *r, struct thread *t, struct task_registers *at)
{
	struct task_state s;

	t->looks.parked = switches_count(&t->switches, r->process, t->task);
	if (t->looks.parked == SWITCHES_UNKNOWN)
		return false;
	if (r->interrupts != NULL && standing_registers(t->task, at))
		return true;
	reading_park(r, t);
	s = task_state(t->task, t->state_fd);
	return t->looks.parked != SWITCHES_UNKNOWN && s.is == TASK_BLOCKED &&
	    task_call_registers(&s.call, at);
}

/* Reads a thread that has no CPU, and its frames of C, without a stop, by which some
 * calls would end early.  The sample holds until the thread gets a CPU.  READ_RETRY if
 * that is not enough. */
static struct verdict
read_standing_frames(struct reading *r, struct thread *t)
{
	struct verdict v = {.is = READ_RETRY};
	struct task_registers at;

	if (!stand(r, t, &at))
		return v;
	if (r->options->kernel &&
	    !kernel_frames_look(&r->kernel, r->process, t->task, t->state_fd))
		return (struct verdict){.is = READ_NOMEM};
	v = read_twice(&r->reader, t, &r->stack);
	if (v.is == READ_SURE && !find_standing_frames(r, t, &at))
		v.is = READ_RETRY;
	if (v.is == READ_SURE)
		thread_make_current(t);
	return v;
}

/* Which thread it is can be known only after it was looked for a few times: see tids.h. */
static void
find_task(struct reading *r, struct thread *t)
{
	int i = 0;

	do
		bindings_find(&r->bindings, t);
	while (++i < READING_TRIES && t->task == 0);
}

/* Here it is chosen by which means a thread is read.  A blocked one is read as it stands,
 * another is copied in an interrupt; it is stopped if that is not enough; a dump stops
 * all, unless it wants frames of the kernel. */
struct verdict
reading_mixed(struct reading *r, struct thread *t)
{
	struct verdict v = {.is = READ_RETRY};
	bool runs;

	find_task(r, t);
	runs = t->task != 0 && status_runs(t);
	thread_make_stale(t);
	if (t->task != 0 && (!r->options->careful || r->options->kernel))
		v = read_standing_frames(r, t);
	if (verdict_can_improve(&v) && reading_can_copy_c(r, t))
		v = reading_interrupted(r, t);
	if (!verdict_can_improve(&v))
		return v;
	r->from.in = NULL;
	kernel_frames_forget(&r->kernel);
	return read_stopped_frames(r, t, runs);
}

/* Notes what a merged stack tells of the next ones of the thread. */
static void
note_merged(struct reading *r, struct thread *t)
{
	uint64_t before = t->memory.needed_end;

	if (mixed_stack_end(r->mixed) != 0)
		t->memory.stack_end = mixed_stack_end(r->mixed);
	if (t->memory.deep > 0)
		t->memory.deep--;
	note_need(r, t);
	if (!reading_is_record(r, t))
		return;
	if (t->memory.needed_end != before)
		batches_need_stack(r->records, t->memory.needed_end);
	if (t->memory.deep > 0)
		batches_reject(r->records);
}

struct py_chain *
reading_mix(struct reading *r, struct thread *t, uint32_t callee)
{
	if (!mixed_merge(r->mixed, &r->stack.chain))
		return NULL;
	if (!r->lingers)
		stop_release_all(&r->stops);
	note_merged(r, t);
	return mixed_name(r->mixed, &r->stack.chain, callee);
}

/* ---- frames of the kernel -------------------------------------------------- */

/* Reads a thread that has no CPU, and its frames of the kernel.  The sample holds until
 * the thread gets a CPU.  READ_RETRY if it has one. */
static struct verdict
read_standing_kernel(struct reading *r, struct thread *t)
{
	struct verdict v = {.is = READ_RETRY};

	t->looks.parked = switches_count(&t->switches, r->process, t->task);
	if (t->looks.parked == SWITCHES_UNKNOWN)
		return v;
	if (!kernel_frames_look(&r->kernel, r->process, t->task, t->state_fd))
		return (struct verdict){.is = READ_NOMEM};
	if (!r->kernel.known)
		return v;
	v = read_twice(&r->reader, t, &r->stack);
	if (v.is == READ_SURE && !reading_has_stood_still(r, t))
		v.is = READ_RETRY;
	if (v.is == READ_SURE)
		thread_make_current(t);
	return v;
}

/* It is read in an interrupt, or as it stands; if neither can be, without these frames.
 * A thread whose CPU the recorder has taken gets it back first: it stands where it could
 * be made to leave it. */
struct verdict
reading_with_kernel(struct reading *r, struct thread *t)
{
	struct verdict v = {.is = READ_RETRY};

	find_task(r, t);
	thread_make_stale(t);
	for (int i = 0; i < READING_TRIES && t->task != 0 && verdict_can_improve(&v); i++) {
		bool runs = reading_can_interrupt(r, t);
		if (runs) {
			colocate_make_way(&r->reader.colocation, t->interrupt.cpu);
			v = reading_interrupted(r, t);
		}
		if (!verdict_can_improve(&v) || (runs && i == 0))
			continue;
		r->from.in = NULL;
		v = read_standing_kernel(r, t);
		if (!runs && !r->kernel.known)
			break;
	}
	if (!verdict_can_improve(&v))
		return v;
	r->from.in = NULL;
	kernel_frames_forget(&r->kernel);
	return reading_racing(r, t);
}

bool
reading_show_kernel(struct reading *r, uint32_t callee, struct py_chain **shown,
    struct tach_recorder_stats *stats)
{
	struct py_chain *chain = &r->stack.chain, *all;

	if (r->from.in != NULL && !kernel_frames_take(&r->kernel, &r->from.kernel))
		return false;
	kernel_frames_count(&r->kernel, stats);
	all = *shown != NULL ? kernel_frames_show(&r->kernel, *shown, TACH_NONE) :
			       kernel_frames_show(&r->kernel, chain, callee);
	if (all != chain)
		*shown = all;
	return all != NULL;
}
