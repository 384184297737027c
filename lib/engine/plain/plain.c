/* SPDX-License-Identifier: ISC */
/* plain.c: see plain.h. */
#include "engine/plain/plain.h"

#include <stdlib.h>

#include "array.h"
#include "engine/copy/snapshot.h"
#include "engine/kernel/standing.h"
#include "engine/native/c_frames.h"
#include "engine/native/native_capture.h"
#include "engine/native/unwinder.h"
#include "engine/plain/plain_task.h"
#include "engine/sample/kernel_frames.h"
#include "engine/sample/native_faults.h"
#include "engine/sched/colocate.h"

/* A thread that has a CPU stops sooner; for another one the round waits until it has. */
#define STOP_PATIENCE (300 * NS_PER_US)
/* Reads in a row, by CPU time, of a thread that has no CPU at that moment, until one is
 * taken all the same. */
#define WAITS_MAX 1000
/* The recorder takes so long to begin a round after it has taken a thread's CPU. */
#define WAKE_TIME (100 * NS_PER_US)
/* To copy a thread in an interrupt. */
#define COPY_TRIES 3
/* A thread whose stack is too deep to be copied is stopped for so long. */
#define SPARED_DEEP (100 * NS_PER_MS)
/* Rounds between two lists of the threads, if their number stays. */
#define LIST_ROUNDS 20

struct plain {
	struct target *target;
	struct process_memory memory;
	struct unwinder unwinder;
	struct c_frames functions;
	struct native_faults faults;
	struct watcher watcher;
	struct stops stops;
	struct interrupts *interrupts; /* or NULL */
	struct snapshot copy;	       /* that one made */
	struct kernel_frames kernel;   /* if asked for */
	struct colocation colocation;
	struct plain_tasks tasks;
	uint64_t begun; /* when the round began; ns */
	bool in_time;	/* it began when it was due */
	size_t counted;	 /* threads when they were listed */
	unsigned listed; /* rounds since then */
	uint64_t cpu_ns; /* of the thread that was read last, by CPU time; 0: not known */
	uint32_t *frames; /* of the sample that is being made, innermost first */
	uint32_t depth;
	size_t max;
};

struct plain *
plain_new(struct target *target)
{
	struct plain *p = calloc(1, sizeof(*p));

	if (p == NULL)
		return NULL;
	p->target = target;
	colocate_init(&p->colocation, &target->process, target->options.interval_ns);
	p->stops.process = &target->process;
	p->stops.patience = STOP_PATIENCE;
	watcher_init(&p->watcher, -1);
	c_frames_init(&p->functions, &p->unwinder, target->table, target->lines);
	process_memory_init(&p->memory, target->process.task);
	if (target->options.kernel)
		kernel_frames_init(&p->kernel, target->table);
	if (unwinder_init(&p->unwinder, &target->process, &p->memory.memory))
		return p;
	plain_free(p, 0);
	return NULL;
}

void
plain_free(struct plain *p, uint64_t until)
{
	if (p == NULL)
		return;
	stops_free(&p->stops, until);
	native_faults_note(&p->faults, p->target->table);
	native_faults_tell(&p->faults, &p->target->stats);
	kernel_frames_note(&p->target->stats, p->target->table);
	kernel_frames_free(&p->kernel);
	snapshot_free(&p->copy);
	c_frames_free(&p->functions);
	native_faults_free(&p->faults);
	unwinder_free(&p->unwinder);
	plain_tasks_free(&p->tasks);
	watcher_free(&p->watcher);
	free(p->frames);
	free(p);
}

void
plain_interrupts(struct plain *p, struct interrupts *in)
{
	p->interrupts = in;
}

bool
plain_let_go(struct plain *p)
{
	return stop_release_all(&p->stops);
}

/* ---- threads ----------------------------------------------------------- */

static bool
list_tasks(struct plain *p)
{
	p->listed = 0;
	p->counted = process_count_tasks(&p->target->process);
	return plain_tasks_list(&p->tasks, &p->target->process, &p->target->names);
}

/* Lists the threads if there can be others. */
static bool
renew_tasks(struct plain *p)
{
	return (p->listed++ < LIST_ROUNDS &&
		   process_count_tasks(&p->target->process) == p->counted) ||
	    list_tasks(p);
}

bool
plain_look(struct plain *p)
{
	process_choose_task(&p->target->process);
	process_memory_init(&p->memory, p->target->process.task);
	return list_tasks(p) &&
	    plain_tasks_name(&p->tasks, &p->target->process, p->target->table);
}

/* ---- reading a thread -------------------------------------------------- */

/* Unwinds the stack of a thread that stands still.  Without Python there are no loops to
 * go on at. */
static void
unwind_from(struct plain *p, const struct native_capture *from)
{
	static const struct py_segments none;

	unwinder_read(&p->unwinder, from, &none);
}

/* Whether a thread was told to stop and has yet to be let go. */
static bool
stops_late(const struct plain *p, const struct plain_task *t)
{
	for (size_t i = 0; i < p->stops.count; i++)
		if (p->stops.list[i].task == t->task)
			return true;
	return false;
}

static bool
by_cpu_time(const struct plain *p)
{
	return p->target->options.mode == TACH_MODE_CPU;
}

/* Whether a thread that has stopped had lost its CPU before this round began: it is then
 * where it lost it, which is at a system call more often than its time is.  A round that
 * is late may have begun only as the thread lost its CPU. */
static bool
lost_cpu(const struct plain *p, struct task_times before, struct task_times after)
{
	uint64_t wait = after.waited - before.waited;

	return wait > (p->in_time ? clock_ns() - p->begun + WAKE_TIME : 0);
}

/* Stops a thread, unwinds it and lets it go.  By CPU time, *waited says whether it had
 * no CPU.  False if it did not stop, or has ended. */
static bool
read_stopped(struct plain *p, struct plain_task *t, bool *waited)
{
	struct native_capture from = {.memory = &p->memory.memory};
	const struct process *process = &p->target->process;
	bool timed = by_cpu_time(p), ok;
	struct task_times before = {0}, after;

	*waited = timed && stops_late(p, t);
	if (timed)
		before = task_times(process, t->task);
	ok = stop_thread(&p->stops, t->task) &&
	    stop_registers(&p->stops, t->task, &from.registers);
	if (ok && timed) {
		after = task_times(process, t->task);
		*waited = *waited || lost_cpu(p, before, after);
		p->cpu_ns = after.cpu;
	}
	if (ok)
		unwind_from(p, &from);
	stop_release_all(&p->stops);
	return ok;
}

/* Whether all frames were found, to the outermost one. */
static bool
is_whole(const struct plain *p)
{
	return p->unwinder.cause[0] == '\0';
}

/* Reads a thread that is blocked, by the two registers that the kernel tells; or, with
 * its frames of the kernel, one that has no CPU, by all of them.  False if it went on
 * meanwhile. */
static bool
read_standing(struct plain *p, struct plain_task *t, const struct task_state *s)
{
	struct native_capture from = {.memory = &p->memory.memory};
	const struct process *process = &p->target->process;
	bool kernel = p->target->options.kernel;
	uint64_t had = kernel ? switches_count(&t->switches, process, t->task) : 0;
	struct task_state now;

	if (!(kernel && standing_registers(t->task, &from.registers)) &&
	    !task_call_registers(&s->call, &from.registers))
		return false;
	if (kernel && !kernel_frames_look(&p->kernel, process, t->task, t->state_fd))
		return false;
	unwind_from(p, &from);
	now = task_state(t->task, t->state_fd);
	return now.is == s->is && task_call_is(&now.call, &s->call) && (!kernel ||
	    switches_count(&t->switches, process, t->task) == had);
}

static bool
reads_nothing(const struct py_memory *m, const struct py_piece *pieces, size_t n)
{
	(void)m;
	(void)pieces;
	(void)n;
	return false;
}

/* Copies a thread that runs in an interrupt, and unwinds the copy: the thread has gone on
 * by then.  False if that gives no whole stack. */
static bool
read_copied(struct plain *p, struct plain_task *t)
{
	static const struct py_memory nothing = {.read = reads_nothing};
	const struct process *process = &p->target->process;
	bool with_kernel = p->target->options.kernel;
	struct interrupt_way way = {.plain = 1, .stack = 1, .kernel = with_kernel};
	struct native_capture from = {.memory = &nothing};
	struct kernel_stack kernel;
	enum interrupt_result copied;
	uint64_t rest;
	int cpu;

	if (p->interrupts == NULL || clock_ns() < t->spared)
		return false;
	cpu = process_thread_cpu(process, t->task);
	colocate_make_way(&p->colocation, cpu);
	snapshot_clear(&p->copy);
	copied = interrupts_read(p->interrupts, t->task, cpu, &p->copy, &way, &rest);
	t->spared = rest > 0 ? clock_ns() + rest : 0;
	if (copied != INTERRUPT_OK || p->copy.count == 0 ||
	    !interrupts_registers(p->interrupts, &from.registers))
		return false;
	from.low = p->copy.ranges[0].addr;
	from.bytes = p->copy.bytes;
	from.len = p->copy.ranges[0].size;
	unwind_from(p, &from);
	if (!is_whole(p)) {
		t->spared = clock_ns() + SPARED_DEEP;
		return false;
	}
	if (by_cpu_time(p))
		p->cpu_ns = task_times(process, t->task).cpu;
	kernel = interrupts_kernel(p->interrupts);
	return !with_kernel || kernel_frames_take(&p->kernel, &kernel);
}

/* Reads a thread that may run without a stop: until it stops it goes on for microseconds,
 * or to its next system call.  One whose CPU the recorder has taken gets it back first; by
 * CPU time, no other one without a CPU counts: see lost_cpu. */
static bool
read_running(struct plain *p, struct plain_task *t, const struct task_state *s)
{
	if (stops_late(p, t))
		return false;
	for (int i = 0; i < COPY_TRIES; i++)
		if (read_copied(p, t))
			return true;
	return p->target->options.kernel && !by_cpu_time(p) &&
	    read_standing(p, t, s) && is_whole(p);
}

/* Reads a thread.  *runs: whether it runs; *waited: see read_stopped.  False if it could
 * not be read. */
static bool
read_task(struct plain *p, struct plain_task *t, bool *runs, bool *waited)
{
	struct task_state s = task_state(t->task, t->state_fd);

	kernel_frames_forget(&p->kernel);
	*waited = false;
	*runs = s.is != TASK_BLOCKED || stops_late(p, t);
	if (s.is == TASK_UNKNOWN)
		return false;
	if (!*runs && !read_standing(p, t, &s))
		*runs = true;
	if (!*runs && (is_whole(p) || !task_call_goes_on(&s.call)))
		return true;
	if (*runs && read_running(p, t, &s))
		return true;
	kernel_frames_forget(&p->kernel);
	return read_stopped(p, t, waited);
}

/* ---- samples ----------------------------------------------------------- */

static bool
add_sample_frame(struct plain *p, uint32_t index)
{
	uint32_t *frames = array_grow(p->frames, p->depth, &p->max, sizeof(*frames));

	if (frames == NULL || index == TACH_NONE)
		return false;
	p->frames = frames;
	frames[p->depth++] = index;
	return true;
}

static bool
add_lost_frame(struct plain *p)
{
	return add_sample_frame(p, c_frames_lost(&p->functions, p->unwinder.cause));
}

/* Names the frames of the stack that was read last.  False if out of memory. */
static bool
name_frames(struct plain *p)
{
	const struct unwinder *w = &p->unwinder;

	p->depth = 0;
	for (unsigned i = 0; i < p->kernel.depth; i++)
		if (!add_sample_frame(p, p->kernel.frames[i]))
			return false;
	if (p->target->options.kernel)
		kernel_frames_count(&p->kernel, &p->target->stats);
	for (size_t i = 0; i < w->count; i++) {
		struct c_frame *c = w->frames[i].lost ? NULL :
		    c_frames_find(&p->functions, &w->frames[i]);
		if (w->frames[i].lost ? !add_lost_frame(p) :
		    c == NULL || !add_sample_frame(p,
			c_frames_frame(&p->functions, c)))
			return false;
	}
	return native_faults_add(&p->faults, w->cause) &&
	    (p->depth > 0 || add_lost_frame(p));
}

/* How many of the outermost frames a thread's last sample has, too. */
static uint32_t
count_shared(const struct plain *p, const struct plain_task *t)
{
	uint32_t n = 0;

	while (n < p->depth && n < t->depth &&
	    p->frames[p->depth - 1 - n] == t->frames[t->depth - 1 - n])
		n++;
	return n;
}

/* The new sample becomes the thread's last one. */
static void
keep_sample(struct plain *p, struct plain_task *t)
{
	uint32_t *frames = t->frames;
	size_t max = t->max;

	t->frames = p->frames;
	t->max = p->max;
	t->depth = p->depth;
	p->frames = frames;
	p->max = max;
}

/* Gives a thread's last sample to the sink, for this round and those that wait for it. */
static bool
give_sample(struct plain *p, struct plain_task *t, uint32_t shared, uint64_t time_us,
    struct tach_sink *sink)
{
	struct target *target = p->target;
	unsigned n = t->owed + 1;
	struct tach_run run = {.thread = t->tid, .index = t->index,
	    .frames = t->frames, .depth = t->depth, .shared = shared,
	    .ticks = t->ticks, .count = n};

	t->ticks[t->owed].time = time_us;
	t->owed = 0;
	for (unsigned i = 0; i < n; i++)
		t->ticks[i] = (struct tach_tick){t->ticks[i].time, t->status, 0};
	if (tach_sink_run(sink, &run) != TACH_OK)
		return false;
	thread_names_count(&target->names, t->index, n, &target->stats);
	target->stats.plain += n;
	return true;
}

static bool
is_main_task(const struct plain *p, const struct plain_task *t)
{
	return t->task == p->target->process.pid;
}

/* Whether the options want samples of a thread that runs, or of one that does not. */
static bool
wants(const struct plain *p, bool runs)
{
	const struct tach_recorder_options *o = &p->target->options;

	return runs || (o->mode == TACH_MODE_WALL && !o->drop_idle);
}

/* A thread that was told to stop, but has no CPU, will stop where it is now: the round
 * waits for its next sample.  Else the sample is lost, unless the thread has ended. */
static void
take_no_sample(struct plain *p, struct plain_task *t, uint64_t time_us)
{
	if (stops_late(p, t) && t->owed < OWED_MAX) {
		if (!by_cpu_time(p))
			t->ticks[t->owed++].time = time_us;
	} else if (process_thread_id(&p->target->process, t->task) != 0) {
		p->target->stats.failed++;
		p->target->stats.unreadable++;
	}
}

/* Finds how many samples the CPU time is owed that a thread has used since its last one.
 * False: none yet; the next read, of a moment at which the thread has a CPU, is owed that
 * time, unless there is none for long. */
static bool
owe_cpu_time(struct plain *p, struct plain_task *t, bool waited, uint64_t time_us)
{
	uint64_t interval = p->target->options.interval_ns, n;
	uint64_t begin = t->read_us, used = p->cpu_ns - t->cpu;

	if (p->cpu_ns == 0)
		return true;
	if (waited && t->waits++ < WAITS_MAX)
		return false;
	t->waits = 0;
	t->credit = t->cpu == 0 || p->cpu_ns < t->cpu ? interval : t->credit + used;
	n = t->credit / interval;
	if (n > OWED_MAX)
		n = OWED_MAX;
	t->credit -= n * interval;
	t->cpu = p->cpu_ns;
	t->read_us = time_us;
	for (t->owed = 0; t->owed + 1 < n; t->owed++)
		t->ticks[t->owed].time = begin + (time_us - begin) * (t->owed + 1) / n;
	return n > 0;
}

/* Reads a thread and gives its sample. */
static bool
sample_anew(struct plain *p, struct plain_task *t, uint64_t time_us,
    struct tach_sink *sink)
{
	uint32_t shared;
	bool runs, waited;

	t->holds = false;
	if (!wants(p, false) && !stops_late(p, t) &&
	    task_state(t->task, t->state_fd).is != TASK_RUNS)
		return true;
	if (!read_task(p, t, &runs, &waited)) {
		take_no_sample(p, t, time_us);
		return true;
	}
	if (!wants(p, runs) ||
	    (by_cpu_time(p) && !owe_cpu_time(p, t, waited, time_us)))
		return true;
	if (!name_frames(p))
		return false;
	shared = count_shared(p, t);
	keep_sample(p, t);
	t->holds = !runs;
	t->status = (runs ? TACH_STATUS_CPU : 0) |
	    (is_main_task(p, t) ? TACH_STATUS_MAIN : 0);
	return give_sample(p, t, shared, time_us, sink);
}

static bool
sample_task(struct plain *p, struct plain_task *t, uint64_t time_us,
    struct tach_sink *sink)
{
	bool had = switches_had(&t->switches, &p->target->process, t->task,
	    &p->watcher);

	return t->holds && !had ? give_sample(p, t, t->depth, time_us, sink) :
				  sample_anew(p, t, time_us, sink);
}

bool
plain_round(struct plain *p, uint64_t due, uint64_t time_us, struct tach_sink *sink)
{
	p->begun = clock_ns();
	p->in_time = p->begun < due + WAKE_TIME;
	if (!renew_tasks(p))
		return false;
	for (size_t i = 0; i < p->tasks.count; i++) {
		struct plain_task *t = &p->tasks.list[i];
		if ((!p->target->options.main_only || is_main_task(p, t)) &&
		    !sample_task(p, t, time_us, sink))
			return false;
	}
	return true;
}
