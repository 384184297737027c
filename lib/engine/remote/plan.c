/* SPDX-License-Identifier: ISC */
/* plan.c: see plan.h. */
#include "engine/remote/plan.h"

#include <errno.h>
#include <string.h>

#include "engine/os/os.h"
#include "engine/sched/colocate.h"
#include "engine/threads/status.h"

#define LIST_TRIES 4	 /* to read lists that hold still */
#define LISTS_AFTER 1000 /* us, after which the lists are read anyway */

void
plan_init(struct plan *v, const struct process *p,
    const struct py_runtime *rt, struct stack_reader *reader,
    struct interrupts *interrupts, bool stops)
{
	*v = (struct plan){.process = p, .runtime = rt, .reader = reader,
	    .interrupts = interrupts, .stops = stops, .interps.runtime = rt};
}

void
plan_free(struct plan *v)
{
	threads_free(&v->threads);
	interps_free(&v->interps);
	snapshot_free(&v->all);
	spans_free(&v->spans);
	runtime_threads_free(&v->list);
}

static const struct py_memory *
live_memory(const struct plan *v)
{
	return &v->reader->memory.memory;
}

struct interp *
plan_interp(const struct plan *v, const struct thread *t)
{
	return &v->interps.list[t->interp];
}

struct capture
plan_capture(const struct plan *v, const struct thread *t)
{
	const struct interp *in = plan_interp(v, t);

	return capture_of(&v->all, &t->copy, in->gc, &in->stamp);
}

bool
plan_is_told(const struct plan *v, const struct thread *t)
{
	return plan_interp(v, t)->counted && !v->moves;
}

/* Whether a thread can run without a sign of it. */
static bool
is_free(const struct plan *v, const struct thread *t)
{
	return t->looks.rest != REST_LONG &&
	    (v->moves || interp_is_free(plan_interp(v, t), t->py.addr));
}

bool
plan_may_have_run(const struct plan *v, const struct thread *t)
{
	return t->looks.rest != REST_LONG &&
	    (v->moves ? !plan_takes_turns(v, t) :
			interp_may_have_run(plan_interp(v, t), t->py.addr));
}

/* ---- lists: interpreters and threads ----------------------------------- */

/* Makes the threads of the list that was read the known ones.  False if out of
 * memory. */
static bool
list_threads(struct plan *v)
{
	size_t interp = 0;

	if (!threads_update(&v->threads, &v->list))
		return false;
	for (size_t i = 0; i < v->threads.count; i++) {
		struct thread *t = &v->threads.list[i];
		while (v->interps.list[interp].addr != t->py.interp)
			interp++;
		t->interp = interp;
	}
	return true;
}

/* Adds to the globals the words on garbage collection and the counts of code
 * objects. */
static enum copy_result
note_words(struct plan *v)
{
	enum copy_result noted = COPY_OK;

	for (size_t i = 0; i < v->interps.count && noted == COPY_OK; i++)
		noted = reader_note_words(v->reader, &v->interps.globals,
		    v->interps.list[i].addr);
	return noted;
}

/* Makes the lists that were read the known ones. */
static enum copy_result
take_lists(struct plan *v)
{
	enum copy_result taken = interps_update(&v->interps, live_memory(v),
	    &v->list);

	if (taken == COPY_OK)
		taken = note_words(v);
	if (taken == COPY_OK && !list_threads(v))
		taken = COPY_NOMEM;
	v->listed = taken == COPY_OK;
	return taken;
}

/* Reads the lists.  COPY_FAILED if that fails, or if there is no thread. */
static enum copy_result
read_lists(struct plan *v)
{
	errno = 0;
	if (runtime_threads(live_memory(v), v->runtime, &v->list) &&
	    v->list.count > 0)
		return COPY_OK;
	return errno == ENOMEM ? COPY_NOMEM : COPY_FAILED;
}

/* Lists interpreters and threads anew, reading one after the other.  A list that
 * never holds still may lack some of them: then the known lists stay, if they
 * have threads. */
static enum copy_result
discover(struct plan *v)
{
	enum copy_result read = COPY_FAILED;
	bool seen = false;

	for (int i = 0; i < LIST_TRIES && read != COPY_NOMEM; i++) {
		read = read_lists(v);
		seen |= read == COPY_OK;
		if (read == COPY_OK && runtime_threads_hold(live_memory(v),
			v->runtime, &v->list))
			return take_lists(v);
	}
	v->listed = read != COPY_NOMEM && seen && v->threads.count > 0;
	if (v->listed)
		return COPY_OK;
	return read == COPY_OK ? take_lists(v) : read;
}

/* Whether a copied thread is still linked by the thread before it in its
 * interpreter's list.  If not, it may have ended, and its copy is worthless. */
static bool
is_linked(const struct plan *v, const struct thread *t)
{
	return t->copy.how == COPIED_NOT || t->copy.link == SIZE_MAX ||
	    load_u64(v->all.bytes + t->copy.link) == t->py.addr;
}

static bool
all_linked(const struct plan *v)
{
	for (size_t i = 0; i < v->threads.count; i++)
		if (!is_linked(v, &v->threads.list[i]))
			return false;
	return true;
}

/* ---- copies ------------------------------------------------------------ */

uint64_t
plan_link(const struct plan *v, const struct thread *t)
{
	return t == v->threads.list || t[-1].interp != t->interp ? 0 :
	    t[-1].py.addr + v->reader->offsets->thread_next;
}

static bool
add_link(struct plan *v, struct thread *t)
{
	uint64_t link = plan_link(v, t);

	t->copy.link = SIZE_MAX;
	if (v->kind == PLAN_LEAN || link == 0)
		return true;
	t->copy.link = v->all.size;
	return snapshot_add(&v->all, link, sizeof(uint64_t));
}

/* Adds a thread's state alone: the thread is read when its frames of C are. */
static bool
add_state(struct plan *v, struct thread *t)
{
	struct thread_copy *y = &t->copy;

	y->first = v->all.count;
	y->at = v->all.size;
	y->ranges = 1;
	y->how = COPIED_OUTSIDE;
	return reader_add_state(v->reader, &v->all, t) && add_link(v, t);
}

static bool
add_thread(struct plan *v, struct thread *t)
{
	struct thread_copy *y = &t->copy;

	y->before = v->all.count;
	y->before_at = v->all.size;
	if (v->moves)
		return add_state(v, t);
	/* A stopped thread still has all frames of its state. */
	if (!v->stops &&
	    !reader_add_before(v->reader, &v->all, t))
		return false;
	y->first = v->all.count;
	y->at = v->all.size;
	y->ranges = t->memory.set.count + 1;
	y->how = COPIED_OUTSIDE;
	return reader_add(v->reader, &v->all, t) && add_link(v, t);
}

/* Adds the head of the list of interpreters, unless the copy is lean. */
static bool
add_head(struct plan *v)
{
	return v->kind == PLAN_LEAN || snapshot_add_once(&v->all, v->globals.first,
	    interps_head(&v->interps), sizeof(uint64_t), &v->globals.head_at);
}

/* Adds the globals.  In a copy by an interrupt these are only the words of lists and
 * GILs, as each byte costs the thread time; else they are whole ranges. */
static bool
add_interps(struct plan *v, bool words)
{
	struct snapshot *s = &v->all;

	v->globals.first = s->count;
	v->globals.at = s->size;
	if (!(words ? interps_add_words(&v->interps, s) :
		      snapshot_add_set(s, &v->interps.globals, 0, false)))
		return false;
	v->globals.count = s->count - v->globals.first;
	return true;
}

/* Adds the globals, and the words on garbage collection and the counts for stamps
 * where the globals lack them. */
static bool
add_all_globals(struct plan *v, bool words)
{
	struct snapshot *s = &v->all;

	if (!interps_add_switches(&v->interps, s) || !add_interps(v, words) ||
	    !add_head(v))
		return false;
	for (size_t i = 0; i < v->interps.count; i++) {
		struct interp *in = &v->interps.list[i];
		if (!reader_add_gc(v->reader, s, v->globals.first,
			in->addr, &in->gc) ||
		    !reader_add_count(v->reader, s, v->globals.first,
			in->addr, &in->count_at))
			return false;
	}
	return true;
}

static void
clear(struct plan *v, enum plan_kind kind)
{
	snapshot_clear(&v->all);
	v->kind = kind;
	for (size_t i = 0; i < v->threads.count; i++)
		v->threads.list[i].copy.how = COPIED_NOT;
}

/* Adds the threads, then the globals.  The first copy of a round has only the
 * threads that can have run without a sign of it; a later one has the stale
 * threads.  False if out of memory. */
static bool
prepare(struct plan *v, bool first, enum plan_kind kind)
{
	clear(v, kind);
	for (size_t i = 0; i < v->threads.count; i++) {
		struct thread *t = &v->threads.list[i];
		if (!t->done &&
		    (first ? !thread_is_gone(t) && is_free(v, t) :
			     t->fresh == FRESH_STALE) &&
		    !add_thread(v, t))
			return false;
	}
	return add_all_globals(v, false);
}

/* Drops a range that could not be read from its thread's working set.  If it is
 * the thread state, the thread is gone. */
static bool
blame_thread(struct plan *v, size_t range)
{
	for (size_t i = v->threads.count; i-- > 0;) {
		struct thread *t = &v->threads.list[i];
		if (t->copy.how == COPIED_NOT || range < t->copy.before ||
		    range >= t->copy.first + t->copy.ranges)
			continue;
		if (range < t->copy.first)
			workset_drop(&t->memory.set, range - t->copy.before);
		else if (!reader_drop(v->reader, t, range - t->copy.first))
			t->fresh = FRESH_GONE;
		return true;
	}
	return false; /* the lists have changed */
}

/* Copies all planned ranges.  After a failed try, the range that could not be read
 * is left out. */
static enum copy_result
copy_planned(struct plan *v, bool first, enum plan_kind kind)
{
	size_t range, tries = v->threads.count * 2 + 1;

	do {
		if (!prepare(v, first, kind))
			return COPY_NOMEM;
		colocate_begin(&v->reader->colocation);
		if (snapshot_read(&v->all, v->process->task, &range))
			return COPY_OK;
	} while (errno == EFAULT && blame_thread(v, range) && --tries > 0);
	return errno == ENOMEM ? COPY_NOMEM : COPY_FAILED;
}

struct thread *
plan_runner(const struct plan *v)
{
	struct thread *only = NULL;

	for (size_t i = 0; i < v->threads.count; i++) {
		struct thread *t = &v->threads.list[i];
		if (thread_is_gone(t) || !is_free(v, t))
			continue;
		if (only != NULL)
			return NULL;
		only = t;
	}
	return only != NULL && only->last.is == LAST_GOOD && only->task != 0 &&
		(only->status.bits & TACH_STATUS_CPU) != 0 ? only : NULL;
}

/* ---- notes of a copy --------------------------------------------------- */

/* Whether the lists are the known ones.  A lean copy misses some changes: as long as
 * each GIL is kept, a new thread has not run.  But a new interpreter can have a GIL
 * of its own, which only the next copy with the links finds. */
static bool
lists_same(const struct plan *v, struct py_view *globals)
{
	return interps_same(&v->interps, globals) && (v->kind == PLAN_LEAN ||
	    (load_u64(v->all.bytes + v->globals.head_at) ==
		    v->interps.list[0].addr && all_linked(v)));
}

/* Whether the copy has one thread, and is of one moment. */
static bool
is_alone(const struct plan *v)
{
	return v->kind == PLAN_ALONE || v->kind == PLAN_PAST;
}

/* The stamp of a copy.  A copy of one moment needs no count from before it. */
static struct stamp
stamp_of(const struct plan *v, const struct interp *in, const uint8_t *count)
{
	struct stamp s = codes_stamp(v->reader->codes, in->addr,
	    is_alone(v) ? count : in->count, count);

	s.past = v->kind == PLAN_PAST;
	return s;
}

/* Takes an interpreter's GIL and its counts from the copy. */
static bool
read_interp(struct plan *v, struct interp *in, struct py_view *globals)
{
	const uint8_t *count = v->all.bytes + in->count_at;

	in->stamp = stamp_of(v, in, count);
	memcpy(in->count, count, codes_counts_size(v->reader->codes));
	return interp_look(&v->interps, in, globals, &v->all);
}

bool
plan_takes_turns(const struct plan *v, const struct thread *t)
{
	const struct asked *of = v->asked;

	if (v->kind != PLAN_PAST || of->count < 2)
		return false;
	for (size_t i = 0; i < of->count; i++)
		if (of->states[i] == t->py.addr)
			return true;
	return false;
}

/* Marks a thread whose status can have changed though it ran no Python code: it
 * began to wait for the GIL, or ran without it.  It is read again only if its
 * state says whether it wants the GIL; else only its status is looked for. */
static void
doubt_status(const struct plan *v, const struct interp *in, struct thread *t)
{
	bool moved = in->gil.waiting != in->was.waiting && !status_rests(t);

	if (plan_takes_turns(v, t))
		return;
	if (moved && py_has(v->reader->offsets->thread_gil_requested))
		thread_make_stale(t);
	t->status.unsure |= moved ||
	    (t->last.is == LAST_GOOD && (t->status.bits & TACH_STATUS_CPU) != 0);
}

/* Whether only the copied threads can have run.  A thread that was copied alone, at
 * one moment, was in its list then, so it has not ended: its GIL need not be
 * locked. */
static bool
is_kept(const struct plan *v, const struct interp *in)
{
	return is_alone(v) ? interp_is_same(in) : interp_is_kept(in);
}

/*
 * Takes note of a copy: marks the threads whose last sample may not hold any more.
 * COPY_FAILED if the lists have changed.  In the `last` try they may have: where
 * threads come and go all the time, lists never hold still.  A thread that has ended
 * meanwhile has no frames, so it gets no sample.
 */
static enum copy_result
take_note(struct plan *v, bool last)
{
	struct py_view globals;

	v->spans.count = 0;
	if (!spans_add(&v->spans, &v->all, v->globals.first,
		v->globals.count, v->globals.at))
		return COPY_NOMEM;
	globals = spans_view(&v->spans);
	v->listed = lists_same(v, &globals);
	if (!v->listed && !last)
		return COPY_FAILED;
	v->kept = true;
	for (size_t i = 0; i < v->interps.count; i++) {
		if (!read_interp(v, &v->interps.list[i], &globals))
			return COPY_FAILED;
		v->kept &= is_kept(v, &v->interps.list[i]);
	}
	for (size_t i = 0; i < v->threads.count; i++) {
		struct thread *t = &v->threads.list[i];
		const struct interp *in = plan_interp(v, t);
		if (plan_may_have_run(v, t))
			thread_make_stale(t);
		doubt_status(v, in, t);
	}
	return COPY_OK;
}

/* ---- looks ------------------------------------------------------------- */

/* Takes note of a copy that has nothing but the globals and a thread. */
static enum copy_result
note_alone(struct plan *v, enum plan_kind kind)
{
	v->kind = kind;
	return take_note(v, false);
}

/* The result of a copy in an interrupt, once it is noted. */
static enum copy_result
note_interrupted(struct plan *v, enum interrupt_result copied, enum plan_kind kind)
{
	if (copied == INTERRUPT_OK)
		return note_alone(v, kind);
	return copied == INTERRUPT_NOMEM ? COPY_NOMEM : COPY_FAILED;
}

bool
plan_begin_alone(struct plan *v, struct thread *t)
{
	clear(v, PLAN_FULL);
	return add_all_globals(v, true) && add_link(v, t);
}

enum copy_result
plan_interrupt(struct plan *v)
{
	struct thread *t = v->interrupts != NULL && v->listed && v->kept ?
	    plan_runner(v) : NULL;

	if (t == NULL)
		return COPY_FAILED;
	colocate_make_way(&v->reader->colocation, t->interrupt.cpu);
	if (!interrupts_reach(t->interrupt.cpu))
		return COPY_FAILED;
	if (!plan_begin_alone(v, t))
		return COPY_NOMEM;
	return note_interrupted(v, interrupted_copy(v->interrupts, v->reader, t,
	    &v->all, &t->copy), PLAN_ALONE);
}

/* Makes a copy and takes note of it. */
static enum copy_result
copy_and_note(struct plan *v, bool first, enum plan_kind kind, bool last)
{
	enum copy_result copied = copy_planned(v, first, kind);

	return copied == COPY_OK ? take_note(v, last) : copied;
}

enum copy_result
plan_copy_lean(struct plan *v)
{
	enum copy_result copied = COPY_FAILED;

	if (v->listed && v->kept && v->time_us < v->lists_due)
		copied = copy_and_note(v, true, PLAN_LEAN, false);
	return copied == COPY_OK && !v->kept ? COPY_FAILED : copied;
}

enum copy_result
plan_copy(struct plan *v, bool first)
{
	enum copy_result got;

	v->lists_due = v->time_us + LISTS_AFTER;
	for (int i = 0; i < LIST_TRIES; i++) {
		got = v->listed ? copy_and_note(v, first, PLAN_FULL,
		    i == LIST_TRIES - 1) : COPY_FAILED;
		if (got == COPY_FAILED && (got = discover(v)) == COPY_OK)
			continue;
		return got;
	}
	return COPY_FAILED;
}

enum copy_result
plan_take(struct plan *v, struct thread *t, const struct batch *b,
    const struct asked *of)
{
	v->asked = of;
	if (!plan_begin_alone(v, t))
		return COPY_NOMEM;
	return note_interrupted(v, interrupted_take(b, v->reader, t, &v->all),
	    PLAN_PAST);
}
