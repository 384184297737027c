/* SPDX-License-Identifier: ISC */
/* plan.c: see plan.h. */
#include "engine/remote/plan.h"

#include <errno.h>
#include <string.h>

#include "engine/os/os.h"
#include "engine/sched/colocate.h"
#include "engine/threads/status.h"

#define LIST_TRIES 4	 /* to read lists that hold still */
#define IN_ITS_WAY 4	 /* lost CPUs, until the recorder leaves one */
#define LISTS_AFTER 1000 /* us, after which the lists are read anyway */

void
plan_init(struct plan *v, const struct process *p,
    const struct py_runtime *rt, struct chains *chains,
    struct interrupts *interrupts, bool stops)
{
	*v = (struct plan){.process = p, .runtime = rt, .chains = chains,
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
	return &v->chains->memory.memory;
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

/* Whether a thread can run without a sign of it. */
static bool
is_free(const struct plan *v, const struct thread *t)
{
	return t->looks.rest != REST_LONG &&
	    interp_is_free(plan_interp(v, t), t->py.addr);
}

bool
plan_may_have_run(const struct plan *v, const struct thread *t)
{
	return t->looks.rest != REST_LONG &&
	    interp_may_have_run(plan_interp(v, t), t->py.addr);
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
		noted = chains_note_words(v->chains, &v->interps.globals,
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

/* Whether a thread is the first in its interpreter's list. */
static bool
is_first_thread(const struct plan *v, const struct thread *t)
{
	return t == v->threads.list || t[-1].interp != t->interp;
}

/* The address of the link to a thread, in the thread before it. */
static uint64_t
link_of(const struct plan *v, const struct thread *t)
{
	return t[-1].py.addr + v->chains->offsets->thread_next;
}

static bool
add_link(struct plan *v, struct thread *t)
{
	t->copy.link = SIZE_MAX;
	if (v->kind == PLAN_LEAN || is_first_thread(v, t))
		return true;
	t->copy.link = v->all.size;
	return snapshot_add(&v->all, link_of(v, t), sizeof(uint64_t));
}

static bool
add_thread(struct plan *v, struct thread *t)
{
	struct thread_copy *y = &t->copy;

	y->before = v->all.count;
	y->before_at = v->all.size;
	/* A stopped thread still has all frames of its state. */
	if (!v->stops &&
	    !chains_add_before(v->chains, &v->all, t))
		return false;
	y->first = v->all.count;
	y->at = v->all.size;
	y->ranges = t->memory.set.count + 1;
	y->how = COPIED_OUTSIDE;
	return chains_add(v->chains, &v->all, t) && add_link(v, t);
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

	if (!add_interps(v, words) || !add_head(v))
		return false;
	for (size_t i = 0; i < v->interps.count; i++) {
		struct interp *in = &v->interps.list[i];
		if (!chains_add_gc(v->chains, s, v->globals.first,
			in->addr, &in->gc) ||
		    !chains_add_count(v->chains, s, v->globals.first,
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
		else if (!chains_drop(v->chains, t, range - t->copy.first))
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
		colocate_begin(&v->chains->colocation);
		if (snapshot_read(&v->all, v->process->task, &range))
			return COPY_OK;
	} while (errno == EFAULT && blame_thread(v, range) && --tries > 0);
	return errno == ENOMEM ? COPY_NOMEM : COPY_FAILED;
}

/* The only thread that can have run without a sign of it.  NULL if there are more
 * such threads or none, or if it did not run at the last look at it. */
static struct thread *
runner(const struct plan *v)
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
	struct stamp s = codes_stamp(v->chains->codes, in->addr,
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
	memcpy(in->count, count, codes_counts_size(v->chains->codes));
	return interp_look(&v->interps, in, globals);
}

/* Whether a thread was blocked at the last look, and the page of its perf event
 * shows that it has had no CPU since. */
static bool
still_blocked(const struct thread *t)
{
	return status_was_blocked(t) && switches_rests(&t->switches);
}

bool
plan_takes_turns(const struct plan *v, const struct thread *t)
{
	const struct asked_ahead *a = &v->ahead;

	if (v->kind != PLAN_PAST || a->takers < 2)
		return false;
	for (size_t i = 0; i < a->takers; i++)
		if (a->states[i] == t->py.addr)
			return true;
	return false;
}

/* Marks a thread whose status can have changed though it ran no Python code: it
 * began to wait for the GIL, or ran without it.  It is read again only if its
 * state says whether it wants the GIL; else only its status is looked for. */
static void
doubt_status(const struct plan *v, const struct interp *in, struct thread *t)
{
	bool moved = in->gil.waiting != in->was.waiting && !still_blocked(t);

	if (plan_takes_turns(v, t))
		return;
	if (moved && py_has(v->chains->offsets->thread_gil_requested))
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

/* Begins the copy of one thread: adds all that comes before the thread.  False if
 * out of memory. */
static bool
begin_alone(struct plan *v, struct thread *t)
{
	clear(v, PLAN_FULL);
	return add_all_globals(v, true) && add_link(v, t);
}

enum copy_result
plan_interrupt(struct plan *v)
{
	struct thread *t = v->interrupts != NULL && v->listed && v->kept ?
	    runner(v) : NULL;

	if (t == NULL)
		return COPY_FAILED;
	colocate_make_way(&v->chains->colocation, t->interrupt.cpu);
	if (!interrupts_reach(t->interrupt.cpu))
		return COPY_FAILED;
	if (!begin_alone(v, t))
		return COPY_NOMEM;
	return note_interrupted(v, interrupted_copy(v->interrupts, v->chains, t,
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

static struct thread *
thread_at(const struct plan *v, uint64_t addr)
{
	for (size_t i = 0; i < v->threads.count; i++)
		if (v->threads.list[i].py.addr == addr)
			return &v->threads.list[i];
	return NULL;
}

/* ---- ahead ------------------------------------------------------------- */

/* Watches the value that was seen at an address.  The address stands for the place
 * in the records until place_watches.  False if there are too many watches. */
static bool
watch_value(struct batch_ask *ask, uint64_t addr, size_t size, uint64_t value)
{
	uint64_t mask = size < sizeof(mask) ? (UINT64_C(1) << size * 8) - 1 :
					      UINT64_MAX;

	if (ask->watches == INTERRUPT_WATCHES)
		return false;
	ask->watch[ask->watches++] = (struct interrupt_watch){addr, mask,
	    value & mask};
	return true;
}

static bool
watch_word(struct batch_ask *ask, uint64_t addr, uint64_t value)
{
	return watch_value(ask, addr, sizeof(value), value);
}

/* Watches all words of a GIL but its lock word, which changes wherever a thread
 * releases the GIL for a while. */
static bool
watch_gil(const struct plan *v, struct batch_ask *ask, uint64_t gil)
{
	const struct py_offsets *o = v->chains->offsets;
	size_t at;

	if (!snapshot_find(&v->all, v->globals.first, gil, o->gil_size, &at))
		return false;
	for (size_t i = 0; i < o->gil_size; i += sizeof(uint64_t))
		if (o->gil_locked - i >= sizeof(uint64_t) &&
		    !watch_word(ask, gil + i,
			load_u64(v->all.bytes + at + i)))
			return false;
	return true;
}

/* Watches an interpreter's counts of code objects, if there are any. */
static bool
watch_interp_counts(const struct plan *v, struct batch_ask *ask,
    const struct interp *in)
{
	struct range at[CODES_COUNTS];
	size_t n = codes_counts(v->chains->codes, in->addr, at);
	const uint8_t *count = in->count;

	for (size_t i = 0; i < n; count += at[i++].size)
		if (!watch_value(ask, at[i].addr, at[i].size,
			at[i].size == sizeof(uint64_t) ? load_u64(count) :
							 load_u32(count)))
			return false;
	return true;
}

static bool
watch_interp(const struct plan *v, struct batch_ask *ask,
    const struct interp *in)
{
	const struct py_offsets *o = v->chains->offsets;

	return watch_word(ask, in->addr + o->interp_next, in->next) &&
	    watch_word(ask, in->addr + o->interp_threads_head, in->first) &&
	    (v->ahead.takers > 1 || watch_gil(v, ask, in->gil_at));
}

/* Watches the counts of code objects.  A change does not end the batch, it only
 * wakes the recorder: new code objects have to be read before they are freed. */
static bool
watch_counts(const struct plan *v, struct batch_ask *ask)
{
	size_t others = ask->watches;

	for (size_t i = 0; i < v->interps.count; i++)
		if (!watch_interp_counts(v, ask, &v->interps.list[i]))
			return false;
	ask->told = ask->watches - others;
	ask->watches = others;
	return true;
}

/* Watches each word that shows that another thread can have run (unless threads
 * take turns), that a thread is new, or that this thread has ended. */
static bool
watch_all(const struct plan *v, struct batch_ask *ask, const struct thread *t)
{
	for (size_t i = 0; i < v->interps.count; i++)
		if (!watch_interp(v, ask, &v->interps.list[i]))
			return false;
	return watch_word(ask, interps_head(&v->interps),
	    v->interps.list[0].addr) &&
	    (is_first_thread(v, t) || watch_word(ask, link_of(v, t), t->py.addr)) &&
	    watch_counts(v, ask);
}

/* Turns addresses of watches into places in a record, which begins as the newest
 * copy does. */
static bool
place_watches(const struct plan *v, struct batch_ask *ask)
{
	for (size_t i = 0; i < ask->watches + ask->told; i++) {
		struct interrupt_watch *w = &ask->watch[i];
		size_t size = w->mask > UINT32_MAX ? sizeof(uint64_t) :
						     sizeof(uint32_t), at;
		if (!snapshot_find(&v->all, v->globals.first, w->at, size, &at))
			return false;
		w->at = at;
	}
	return true;
}

/* Whether a thread has the GIL, and was seen on a CPU.  A thread that could run but
 * has no CPU may have none for long. */
static bool
has_turn(const struct interp *in, const struct thread *t)
{
	return in->gil.locked && in->gil.holder == t->py.addr &&
	    t->held != HOLD_NONE;
}

static bool
waits_turn(const struct thread *t)
{
	return (t->status.bits & TACH_STATUS_GIL_WANTED) != 0;
}

/* Whether a batch can have takers. */
static bool
knows_turns(const struct plan *v, const struct batch *b)
{
	return batch_knows_calls(b) && v->interps.count == 1 &&
	    v->interps.list[0].counted && py_has(v->chains->offsets->gil_cond);
}

/* Lists the threads that take turns, or the thread that has all turns.  Each other
 * thread must be blocked, and its page must show when it gets a CPU.  Returns how
 * many are listed; 0 if that cannot be said of all threads. */
static size_t
find_takers(const struct plan *v, struct thread *list[INTERRUPT_TAKERS])
{
	const struct interp *in = v->interps.list;
	bool had = false;
	size_t n = 0;

	for (size_t i = 0; i < v->threads.count; i++) {
		struct thread *t = &v->threads.list[i];
		if (thread_is_gone(t) || still_blocked(t))
			continue;
		if (n == INTERRUPT_TAKERS || t->last.is != LAST_GOOD ||
		    t->task == 0 || !(has_turn(in, t) || waits_turn(t)))
			return 0;
		had |= has_turn(in, t);
		list[n++] = t;
	}
	return had ? n : 0;
}

static size_t
find_asked(const struct plan *v, const struct batch *b,
    struct thread *list[INTERRUPT_TAKERS])
{
	size_t n;

	if (!v->listed)
		return 0;
	n = knows_turns(v, b) ? find_takers(v, list) : 0;
	if (n > 1)
		return n;
	list[0] = v->kept ? runner(v) : NULL;
	return list[0] != NULL &&
	    (list[0]->held != HOLD_NONE || batch_knows_calls(b));
}

size_t
plan_may_go_ahead(const struct plan *v, const struct batch *b)
{
	struct thread *list[INTERRUPT_TAKERS];

	return find_asked(v, b, list);
}

static bool
ask_for_thread(struct plan *v, struct batch *b, struct thread *t)
{
	struct batch_ask ask = {.holder = t->py.addr,
	    .waits = !has_turn(v->interps.list, t)};

	if (!watch_all(v, &ask, t))
		return false;
	return begin_alone(v, t) && place_watches(v, &ask) &&
	    interrupted_ask(v->chains, t, &v->all, &ask) && batch_ask(b, &ask);
}

static struct interrupt_gil
gil_words_of(const struct plan *v, uint64_t gil)
{
	const struct py_offsets *o = v->chains->offsets;

	return (struct interrupt_gil){.locked = gil + o->gil_locked,
	    .holder = gil + o->gil_holder, .switches = gil + o->gil_switches,
	    .waits = gil + o->gil_cond, .end = gil + o->gil_size};
}

/* Asks for each thread and begins the batch.  False if that fails, or if none of
 * the threads runs: one may have left its CPU before the batch began. */
static bool
begin_batch(struct plan *v, struct batch *b, struct thread *list[], uint32_t size)
{
	const struct interp *in = v->interps.list;
	struct interrupt_gil gil = gil_words_of(v, in->gil_at);

	for (size_t i = 0; i < v->ahead.takers; i++) {
		v->ahead.states[i] = list[i]->py.addr;
		if (!ask_for_thread(v, b, list[i]))
			return false;
	}
	v->ahead.in_its_way = 0;
	if (!batch_begin(b, &gil, in->gil.switches, size))
		return false;
	for (size_t i = 0; i < v->ahead.takers; i++)
		if (status_runs(list[i]))
			return true;
	return false;
}

bool
plan_go_ahead(struct plan *v, struct batch *b, uint64_t interval_ns,
    uint32_t size)
{
	struct thread *list[INTERRUPT_TAKERS];

	v->ahead.takers = find_asked(v, b, list);
	if (v->ahead.takers == 0 || !batch_prepare(b, interval_ns))
		return false;
	if (begin_batch(v, b, list, size))
		return true;
	batch_cancel(b);
	return false;
}

/* Whether a thread runs, or waits for a CPU or its turn.  Unless it waits for its
 * turn, *runs becomes its id. */
static bool
thread_goes_on(struct plan *v, const struct thread *t, pid_t *runs)
{
	if (t == NULL)
		return false;
	if (status_runs(t)) {
		*runs = t->task;
		return true;
	}
	return v->ahead.takers > 1 && status_waits_for(t, v->chains->offsets,
	    plan_interp(v, t)->gil_at);
}

bool
plan_ahead_rests(struct plan *v)
{
	pid_t runs = 0;

	for (size_t i = 0; i < v->ahead.takers; i++)
		if (!thread_goes_on(v, thread_at(v, v->ahead.states[i]), &runs))
			return true;
	if (runs != 0 && ++v->ahead.in_its_way % IN_ITS_WAY == 0)
		colocate_make_way(&v->chains->colocation,
		    process_thread_cpu(v->process, runs));
	return false;
}

enum copy_result
plan_take(struct plan *v, const struct batch *b)
{
	size_t who = batch_who(b);
	struct thread *t = who < v->ahead.takers ?
	    thread_at(v, v->ahead.states[who]) : NULL;

	clear(v, PLAN_FULL);
	if (t == NULL)
		return COPY_FAILED;
	if (!begin_alone(v, t))
		return COPY_NOMEM;
	return note_interrupted(v, interrupted_take(b, v->chains, t, &v->all),
	    PLAN_PAST);
}
