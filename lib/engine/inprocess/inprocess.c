/* SPDX-License-Identifier: ISC */
/* inprocess.c: see inprocess.h. */
#include "engine/inprocess/inprocess.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "array.h"
#include "engine/copy/snapshot.h"
#include "engine/inprocess/counts.h"
#include "engine/inprocess/handshake.h"
#include "engine/inprocess/ring_mixer.h"
#include "engine/inprocess/thread_ring.h"
#include "engine/inprocess/wait_reader.h"
#include "engine/os/os.h"
#include "engine/sample/callees.h"
#include "engine/sample/emit.h"
#include "engine/sample/names.h"
#include "engine/sample/runs.h"
#include "engine/threads/homes.h"
#include "engine/threads/status.h"
#include "python/traits.h"

#define NAMES_MAX (1u << 20) /* threads; a target could claim any number */
#define HIGH (WIRE_RING / 4) /* bytes: a ring should not hold more */
#define RECORDS_MAX (1u << 20) /* of one drain: a target could go on for ever */
#define NAMES_EVERY (10 * NS_PER_MS)
#define COUNT_EVERY (100 * NS_PER_MS)
/* Threads that have waited for WAIT_LONG are looked at every LOOK_EVERY, and for one
 * part in LOOK_SHARE of the time at most.  They have waited for WAIT_TICKS at least,
 * as some ticks may only be on their way. */
#define WAIT_LONG (50 * NS_PER_MS)
#define WAIT_TICKS 4
#define LOOK_EVERY (100 * NS_PER_MS)
#define LOOK_SHARE 20
#define PROVE_EVERY (100 * NS_PER_MS)
#define LAST_TICKS 2 /* of a thread that waits when the recording ends */
/* A sample may have so many ticks more than its time allows, as ticks need not lie an
 * interval apart. */
#define TICKS_MORE 64

/* Reads a process only while it runs a program that has the agent. */
struct guarded {
	struct py_memory memory;
	struct inprocess *engine;
};

/* The last proof that the process has the agent. */
struct image_proof {
	uint64_t image; /* that was looked into last; 0: none */
	bool has_agent; /* that image has it */
	uint64_t at;	/* ns */
};

/* Looks at threads that wait. */
struct wait_looks {
	struct wait_reader *reader; /* NULL: no thread was looked at yet */
	uint64_t look_at; /* when to look again; ns */
	uint64_t over_at; /* when a pause or the end began, until its waits have
			   * been told of; ns; 0: there is none */
};

struct inprocess {
	struct agents *agents;
	const struct process *process;
	const struct tach_recorder_options *options;
	struct tach_table *table;
	struct thread_names *names;
	struct native_faults *faults;
	struct late_lines *lines;
	struct process_memory memory;
	struct guarded guarded;
	struct image_proof proof;
	struct py_runtime runtime;
	struct registry *registry;
	struct names *called;
	struct ring_mixer *mixer; /* NULL: no stacks of C are asked for */
	bool entered;
	uint32_t slot;
	size_t wanted; /* sites that were wanted so far */
	bool live; /* the agent has been told of the Python, or inherited it */
	struct thread_ring **rings;
	size_t count, max;
	struct threads threads; /* for their names */
	struct homes homes;
	uint64_t born; /* ns: nothing is older */
	uint64_t high; /* bytes that a ring held at most in the last drain */
	uint64_t named_at, counted_at; /* ns */
	bool paused;
	struct wait_looks waits;
	bool gone; /* the process has ended */
	struct tach_inprocess_stats ended; /* counts of freed areas and slots */
	struct py_calls calls;
	struct callees callees;
	struct thread_ring_reader reader;
	struct runs runs;
};

/* ---- whether the process has the agent ------------------------------------- */

/*
 * Asks the kernel whether the process runs a program now that has the agent.  The
 * shared memory names processes, threads and addresses, but any process that shares
 * it may have written these.  Therefore no thread gets a signal and no memory is
 * read without this proof.
 */
static enum proof {
	PROOF_NONE, /* it cannot be seen: the process may have ended */
	PROOF_OTHER, /* the program does not have the agent */
	PROOF_OURS,
} prove(struct inprocess *e)
{
	uint64_t image = image_of(e->process);
	bool is_in;

	if (image == 0)
		return PROOF_NONE;
	if (image != e->proof.image) {
		is_in = agents_are_in(e->agents, e->process, false);
		if (image_of(e->process) != image)
			return PROOF_NONE;
		e->proof.image = image;
		e->proof.has_agent = is_in;
	}
	return e->proof.has_agent ? PROOF_OURS : PROOF_OTHER;
}

static bool
is_our_process(struct inprocess *e)
{
	return prove(e) == PROOF_OURS;
}

static bool
read_guarded(const struct py_memory *m, const struct py_piece *pieces,
    size_t n)
{
	struct inprocess *e = ((const struct guarded *)m)->engine;
	const struct py_memory *all = &e->memory.memory;

	return is_our_process(e) && all->read(all, pieces, n) && is_our_process(e);
}

/* ---- making ---------------------------------------------------------------- */

struct inprocess *
inprocess_new(struct agents *agents, const struct process *p,
    const struct tach_recorder_options *options, struct tach_table *table,
    struct thread_names *names, struct native_faults *faults,
    struct late_lines *lines)
{
	struct inprocess *e = calloc(1, sizeof(*e));

	if (e == NULL)
		return NULL;
	e->agents = agents;
	e->process = p;
	e->options = options;
	e->table = table;
	e->names = names;
	e->faults = faults;
	e->lines = lines;
	e->slot = AGENTS_NONE;
	e->born = clock_ns();
	e->ended.size = sizeof(e->ended);
	e->runs.interval_ns = options->interval_ns;
	process_memory_init(&e->memory, p->task);
	e->guarded = (struct guarded){{read_guarded}, e};
	e->registry = registry_new(table, &e->guarded.memory);
	thread_ring_reader_init(&e->reader, e->registry, &e->runtime.offsets, table,
	    options->opcodes);
	e->entered = agents_enter(agents, p->pid);
	if (e->registry != NULL && e->entered)
		return e;
	inprocess_free(e, false);
	return NULL;
}

void
inprocess_free(struct inprocess *e, bool ended)
{
	if (e == NULL)
		return;
	for (size_t i = 0; i < e->count; i++) {
		struct thread_ring *a = e->rings[i];
		if (ended)
			agents_free_area(e->agents, a->number, a->ring.area);
		else
			agents_leave_area(a->ring.area);
		thread_ring_free(a, e->registry);
	}
	if (e->slot != AGENTS_NONE && ended)
		agents_free_slot(e->agents, e->slot);
	else if (e->slot != AGENTS_NONE)
		agents_leave_slot(e->agents, e->slot);
	if (e->entered)
		agents_leave(e->agents, e->process->pid);
	wait_reader_free(e->waits.reader);
	callees_free(&e->callees);
	names_free(e->called);
	ring_mixer_free(e->mixer);
	registry_free(e->registry);
	free(e->threads.list);
	free(e->rings);
	homes_free(&e->homes);
	runs_free(&e->runs);
	free(e);
}

static struct wire_slot *
slot(const struct inprocess *e)
{
	return agents_slot(e->agents, e->slot);
}

/* ---- telling the agent ----------------------------------------------------- */

/* Makes anew what mixes stacks, if they are to be mixed.  False if memory ran out. */
static bool
make_mixer(struct inprocess *e)
{
	const struct tach_recorder_options *o = e->options;

	ring_mixer_free(e->mixer);
	e->mixer = NULL;
	if (o->mixed == TACH_MIXED_NONE)
		return true;
	e->mixer = ring_mixer_new(e->process, &e->runtime.offsets,
	    &e->guarded.memory, e->table, e->faults, e->lines, o);
	return e->mixer != NULL;
}

/* Notes the Python, and makes all that depends on it anew.  False if memory ran
 * out. */
static bool
adopt(struct inprocess *e, const struct py_runtime *rt)
{
	e->runtime = *rt;
	e->calls = (struct py_calls){&e->runtime.offsets,
	    py_effects_find(PY_MINOR(rt->version)), &e->guarded.memory};
	callees_free(&e->callees);
	callees_init(&e->callees, &e->calls, NULL, e->table);
	homes_free(&e->homes);
	wait_reader_free(e->waits.reader);
	e->waits.reader = NULL;
	names_free(e->called);
	e->called = names_new(e->process, &e->runtime.offsets, &e->memory.memory,
	    e->table);
	return e->called != NULL && make_mixer(e);
}

bool
inprocess_tell(struct inprocess *e, const struct py_runtime *rt, bool patience)
{
	struct wire_python python;

	if (!is_our_process(e))
		return false;
	if (!handshake_python(e->process, rt, &python) && patience)
		return false;
	if (!adopt(e, rt))
		return false;
	/* A fork's agent has the Python of its parent. */
	if (atomic_load(&slot(e)->state) == WIRE_SLOT_LIVE)
		return e->live = true;
	python.code_type = handshake_code_type(e->process, rt, e->options,
	    e->table);
	slot(e)->python = python;
	agents_note_python(e->agents, e->slot, rt);
	atomic_store_explicit(&slot(e)->state, WIRE_SLOT_LIVE,
	    memory_order_release);
	return e->live = true;
}

bool
inprocess_inherit(struct inprocess *e, struct py_runtime *rt)
{
	if (atomic_load(&slot(e)->state) != WIRE_SLOT_LIVE ||
	    !agents_python(e->agents, e->slot, rt) || !adopt(e, rt))
		return false;
	agents_note_python(e->agents, e->slot, rt);
	return e->live = true;
}

/* ---- pauses ---------------------------------------------------------------- */

static void
give_order(struct inprocess *e)
{
	atomic_store(&slot(e)->order_time, clock_ns() +
	    (uint64_t)e->reader.ahead);
	atomic_store(&slot(e)->order, e->paused ? WIRE_PAUSE : WIRE_RUN);
}

/* Has a thread that has disarmed its clock look at its orders again. */
static void
poke(struct inprocess *e, const struct thread_ring *a)
{
	siginfo_t info = {.si_signo = agents_signal(e->agents),
	    .si_code = SI_QUEUE};

	info.si_pid = getpid();
	info.si_uid = getuid();
	info.si_value.sival_int = WIRE_POKE;
	if (a->task != 0 &&
	    atomic_load(&a->ring.area->state) == WIRE_AREA_LIVE &&
	    is_our_process(e))
		process_signal(e->process, a->task, &info);
}

void
inprocess_pause(struct inprocess *e, bool pause)
{
	if (e->paused == pause)
		return;
	e->paused = pause;
	if (e->slot == AGENTS_NONE)
		return;
	give_order(e);
	e->waits.over_at = pause && e->live ? clock_ns() : 0;
	for (size_t i = 0; i < e->count; i++) {
		struct thread_ring *a = e->rings[i];
		if (a->event >= 0)
			perf_pause(a->event, pause);
		/* After a pause, the thread tells of no ticks during it. */
		a->since = pause ? a->since : clock_ns();
		a->ahead = pause ? a->ahead : 0;
		/* Once the agent has left its process alone, the signal is not
		 * the agent's any more. */
		if (!pause &&
		    atomic_load(&slot(e)->state) == WIRE_SLOT_LIVE)
			poke(e, a);
	}
}

void
inprocess_stop(struct inprocess *e, bool ended)
{
	uint32_t state;

	if (e->slot == AGENTS_NONE)
		return;
	if ((e->gone = ended)) {
		if (!e->paused)
			e->waits.over_at = clock_ns();
		return;
	}
	inprocess_pause(e, true);
	state = atomic_load(&slot(e)->state);
	while (state == WIRE_SLOT_WAITING || state == WIRE_SLOT_LIVE)
		if (atomic_compare_exchange_weak(&slot(e)->state, &state,
			WIRE_SLOT_DONE))
			break;
}

/* ---- areas ----------------------------------------------------------------- */

static bool
add_area(struct inprocess *e, uint32_t number, struct wire_area *shared)
{
	struct thread_ring **p = array_grow(e->rings, e->count, &e->max,
	    sizeof(*p));
	struct thread_ring *a = p != NULL ?
	    thread_ring_new(number, shared, e->process, e->born) : NULL;

	if (p != NULL)
		e->rings = p;
	if (a == NULL)
		return false;
	e->rings[e->count++] = a;
	return true;
}

/* Takes the areas that the slot has listed since the last time.  False if memory ran
 * out. */
static bool
take_areas(struct inprocess *e)
{
	uint32_t next = atomic_exchange(&slot(e)->areas, 0);

	for (uint32_t n = 0; next != 0 && n < WIRE_AREAS_MAX; n++) {
		uint32_t number = next - 1;
		struct wire_area *p = agents_map(e->agents, number);
		if (p == NULL) /* areas after it, if any, are lost */
			return true;
		next = atomic_load_explicit(&p->next, memory_order_acquire);
		if (!add_area(e, number, p))
			return false;
	}
	return true;
}

/* Frees an area whose thread has ended, and whose records are not needed any more. */
static void
drop_area(struct inprocess *e, size_t i)
{
	struct thread_ring *a = e->rings[i];

	counts_add_area(&e->ended, a->ring.area, a->clock);
	agents_free_area(e->agents, a->number, a->ring.area);
	thread_ring_free(a, e->registry);
	e->rings[i] = e->rings[--e->count];
}

/* ---- process images -------------------------------------------------------- */

/* Frees the slot of the program before, to which no thread writes any more. */
static void
leave_image(struct inprocess *e)
{
	counts_add_slot(&e->ended, slot(e));
	while (e->count > 0)
		drop_area(e, e->count - 1);
	agents_free_slot(e->agents, e->slot);
	e->slot = AGENTS_NONE;
	e->live = false;
}

/* Whether the process has become a program that does not have the agent.  A slot says
 * nothing of an exec that the agent does not see, so the kernel is asked. */
static bool
is_left(struct inprocess *e)
{
	uint64_t now = clock_ns();

	if (e->live && atomic_load(&slot(e)->state) == WIRE_SLOT_LIVE &&
	    now < e->proof.at + PROVE_EVERY)
		return false;
	e->proof.at = now;
	return prove(e) == PROOF_OTHER;
}

enum inprocess_state
inprocess_look(struct inprocess *e)
{
	uint32_t found = agents_take(e->agents, e->process);

	if (found != AGENTS_NONE) {
		if (e->slot != AGENTS_NONE)
			leave_image(e);
		e->slot = found;
		e->proof.image = 0; /* the last look may be older than the agent */
		e->reader.ahead = timens_ahead(e->process->pid);
		if (e->paused)
			give_order(e);
	}
	if (e->slot == AGENTS_NONE || is_left(e))
		return INPROCESS_NONE;
	return e->live ? INPROCESS_LIVE : INPROCESS_WAITING;
}

/* ---- samples --------------------------------------------------------------- */

/* The status of the next sample.  A thread had a CPU at each tick of a CPU clock, also
 * where it was on the way into a wait. */
static uint8_t
status_bits(const struct inprocess *e, const struct thread_ring *a)
{
	uint32_t f = a->next.flags;
	uint8_t status = (f & WIRE_WAITED) && a->clock == WIRE_CLOCK_WALL ? 0 :
	    TACH_STATUS_CPU;

	if (f & WIRE_HOLDS_GIL)
		status |= TACH_STATUS_GIL;
	else if (f & WIRE_WANTS_GIL)
		status |= TACH_STATUS_GIL_WANTED;
	if (f & WIRE_EXCEPTION)
		status |= TACH_STATUS_EXCEPTION;
	if (a->task == e->process->pid)
		status |= TACH_STATUS_MAIN;
	return status;
}

/* Limits the time of the next sample to what is possible, from the last time to
 * `now`.  Returns its weight, limited to the ticks that can have passed since then. */
static uint64_t
limit_weight(const struct inprocess *e, struct thread_ring *a, uint64_t now)
{
	uint64_t time = a->next.time, most;

	if (time > now)
		time = now;
	if (time < a->last)
		time = a->last;
	most = (time - a->last) / e->options->interval_ns * 2 + TICKS_MORE;
	a->last = a->next.time = time;
	return a->next.weight < most ? a->next.weight : most;
}

/* Finds the thread's number in the profile.  False if memory ran out, or there are
 * too many numbers. */
static bool
find_index(struct inprocess *e, struct thread_ring *a)
{
	uint32_t interp = a->next.interp;

	if (a->index != TACH_NONE && a->interp == interp)
		return true;
	if (e->names->count >= NAMES_MAX)
		return false;
	a->common = 0;
	a->index = thread_names_add(e->names, interp, a->tid);
	a->interp = interp;
	return a->index != TACH_NONE;
}

/* Has the thread tell at its next sample which object it calls at a place. */
static void
want_called(struct inprocess *e, uint64_t instr, uint64_t place)
{
	struct wire_site *ways = &slot(e)->sites[WIRE_SITE(instr)];
	struct wire_site *s = &ways[e->wanted++ % WIRE_SITE_WAYS];

	for (size_t i = 0; i < WIRE_SITE_WAYS; i++) {
		uint64_t has = atomic_load_explicit(&ways[i].instr,
		    memory_order_relaxed);
		if (has == instr) {
			s = &ways[i];
			break;
		}
		if (has == 0)
			s = &ways[i];
	}
	atomic_store_explicit(&s->instr, 0, memory_order_relaxed);
	atomic_store_explicit(&s->place, place, memory_order_release);
	atomic_store_explicit(&s->instr, instr, memory_order_release);
}

/* Whether a thread may be between two instructions.  To 3.10 it waits for the GIL there;
 * and code that the JIT made does not note each instruction. */
static bool
is_between(const struct inprocess *e, uint32_t flags)
{
	return (flags & WIRE_COMPILED) != 0 || (!(flags & WIRE_HOLDS_GIL) &&
	    py_frames_are_objects(e->calls.offsets));
}

/* The callable of the innermost frame of the next sample, or the operands of its operator.
 * NULL if there is none, or if the thread has not told of it. */
static const struct py_called *
told_called(struct inprocess *e, const struct thread_ring *a)
{
	const struct wire_frame *f = &a->innermost;
	struct py_call_place p;
	uint64_t place;

	if (f->code >= WIRE_CODES || a->codes[f->code] == 0 ||
	    !registry_call(e->registry, &e->calls, a->codes[f->code] - 1,
		a->addrs[f->code], f->instr, &p) || p.at >> WIRE_AT_BITS != 0 ||
	    (p.operator == PY_ENTER && !a->has_waited))
		return NULL;
	place = p.at | (uint64_t)p.operator << WIRE_AT_BITS |
	    (uint64_t)p.top << WIRE_TOP_BIT;
	if (!called_is_callable(p.operator) && is_between(e, a->next.flags))
		return NULL;
	if (a->called.called.callable.addr != 0 && a->called.place == place &&
	    a->called.called.operator == p.operator)
		return &a->called.called;
	want_called(e, a->addrs[f->code] + f->instr, place);
	return NULL;
}

/* Makes what reads waits, if there is none yet.  False if memory ran out. */
static bool
make_wait_reader(struct inprocess *e)
{
	if (e->waits.reader == NULL)
		e->waits.reader = wait_reader_new(e->process, &e->runtime,
		    e->options, e->table, e->names,
		    e->mixer != NULL ? ring_mixer_mixed(e->mixer) : NULL);
	return e->waits.reader != NULL;
}

/* A thread that enters a `with` waits for the lock that is the manager, of which it may
 * have only a method left. */
static void
note_manager(struct thread_ring *a, const struct py_callable *c)
{
	struct wire_lock *locks = a->waited.locks;

	if (locks[0].object != 0)
		return;
	locks[0] = (struct wire_lock){c->addr, c->type};
	locks[1] = (struct wire_lock){c->words[CALLABLE_SELF], c->self_type};
}

/* What callees_then is to know of the thread of the next sample.  One that has waited for
 * something else than the GIL is in its call. */
static unsigned
know_thread(const struct thread_ring *a)
{
	if ((a->next.flags & WIRE_WANTS_GIL) != 0)
		return CALLEES_WAITS;
	if (a->has_waited && !a->waited.gil)
		return 0;
	return (a->next.flags & WIRE_OTHER_HAS_GIL) != 0 ? CALLEES_AWAY : 0;
}

/* The frames that follow the innermost one of the next sample. */
static struct sample_leaves
told_leaves(struct inprocess *e, struct thread_ring *a)
{
	struct sample_leaves leaves = NO_LEAVES;
	const struct py_called *called = NULL;

	if (!e->options->no_callees || a->has_waited)
		called = told_called(e, a);
	if (called != NULL && called->operator == PY_ENTER)
		note_manager(a, &called->callable);
	else if (called != NULL)
		leaves.callee = callees_then(&e->callees, called, a->next.time,
		    know_thread(a));
	if (a->has_waited && make_wait_reader(e))
		leaves.wait = wait_reader_told(e->waits.reader, a, leaves.callee);
	if (e->options->no_callees)
		leaves.callee = TACH_NONE;
	return leaves;
}

static bool
emit(struct inprocess *e, struct thread_ring *a, uint64_t weight, uint8_t status,
    struct tach_sink *sink)
{
	struct sample_leaves leaves = told_leaves(e, a);
	bool same = a->common == a->depth && a->callee == leaves.callee;
	uint32_t *frames = a->stack + a->max - a->depth;
	struct tach_run run = {.thread = a->tid, .interp = a->interp,
	    .index = a->index, .depth = (uint32_t)a->depth,
	    .shared = (uint32_t)a->common};

	if (leaves.callee != TACH_NONE) {
		*--frames = leaves.callee;
		run.depth++;
		run.shared += same;
	}
	if (leaves.wait != TACH_NONE) {
		*--frames = leaves.wait;
		run.depth++;
		run.shared += same && a->wait == leaves.wait;
	}
	run.frames = frames;
	a->callee = leaves.callee;
	a->wait = leaves.wait;
	a->common = a->depth;
	a->waits = false;
	return runs_give(&e->runs, &run, a->next.time, weight, status, sink);
}

static bool
emit_mixed(struct inprocess *e, struct thread_ring *a, uint64_t weight, uint8_t status,
    struct tach_sink *sink)
{
	struct tach_run run = {.thread = a->tid, .interp = a->interp, .index = a->index};
	struct sample_leaves leaves = told_leaves(e, a);
	size_t common, before = a->common == 0 ? 0 : a->mixed_depth;
	uint32_t *frames;

	a->mixed_depth = before; /* the sink's last run may be none of these stacks */
	if (!ring_mixer_mix(e->mixer, a, &e->reader, leaves.callee, &common))
		return false;
	frames = a->mixed + a->mixed_max - a->mixed_depth;
	run.depth = (uint32_t)a->mixed_depth;
	run.shared = (uint32_t)common;
	if (leaves.wait != TACH_NONE) {
		*--frames = leaves.wait;
		run.depth++;
		run.shared += common == before && common == a->mixed_depth &&
		    a->wait == leaves.wait;
	}
	run.frames = frames;
	a->wait = leaves.wait;
	a->common = a->depth;
	a->waits = false;
	return runs_give(&e->runs, &run, a->next.time, weight, status, sink);
}

static bool
is_wanted_status(const struct inprocess *e, uint8_t status)
{
	return status_kept(e->options, status) &&
	    (!e->options->main_only || (status & TACH_STATUS_MAIN));
}

/* Gives the next sample, if its status is wanted.  False if the sink failed, or
 * memory ran out. */
static bool
give_sample(struct inprocess *e, struct thread_ring *a, uint64_t now,
    struct tach_sink *sink, struct tach_recorder_stats *st)
{
	uint64_t weight = limit_weight(e, a, now);
	uint8_t status = status_bits(e, a);

	weight = thread_ring_rest(a, weight, e->options->interval_ns);
	a->has_next = false;
	if (weight == 0 || a->depth == 0 || !is_wanted_status(e, status))
		return true;
	if (!find_index(e, a))
		return false;
	thread_names_count(e->names, a->index, weight, st);
	st->compiled += a->next.flags & WIRE_COMPILED ? weight : 0;
	return e->mixer != NULL ? emit_mixed(e, a, weight, status, sink) :
	    emit(e, a, weight, status, sink);
}

/* The area whose next sample is the earliest. */
static struct thread_ring *
earliest(const struct inprocess *e)
{
	struct thread_ring *first = NULL;

	for (size_t i = 0; i < e->count; i++) {
		struct thread_ring *a = e->rings[i];
		if (a->has_next && (first == NULL ||
			a->next.time < first->next.time))
			first = a;
	}
	return first;
}

/* ---- waits ------------------------------------------------------------------ */

/* Gives ticks of a wait that goes on.  False if the sink failed, or memory ran out. */
static bool
give_wait(struct inprocess *e, struct thread_ring *a, uint64_t ticks,
    const struct wait_reader_sample *s, struct tach_sink *sink,
    struct tach_recorder_stats *st)
{
	struct tach_run run = {.thread = a->tid, .interp = s->interp,
	    .index = s->index, .frames = s->frames, .depth = s->depth,
	    .shared = a->waits && a->index == s->index ? s->shared : 0};

	if (a->since < e->runs.start)
		a->since = e->runs.start;
	a->since += ticks * e->options->interval_ns;
	a->ahead += ticks;
	if (!is_wanted_status(e, s->status))
		return true;
	a->index = s->index;
	a->interp = s->interp;
	a->common = 0;
	a->waits = true;
	thread_names_count(e->names, a->index, ticks, st);
	st->compiled += s->compiled ? ticks : 0;
	return runs_give(&e->runs, &run, a->since, ticks, s->status, sink);
}

static bool
look_outside(struct inprocess *e)
{
	return is_our_process(e) && make_wait_reader(e) &&
	    wait_reader_look(e->waits.reader);
}

/* Reads how a thread waits.  False if it cannot be read, or put a sample into its
 * ring meanwhile: then its wait is over.  If the process has ended, this gives the
 * last reading. */
static bool
read_wait(struct inprocess *e, const struct thread_ring *a,
    struct wait_reader_sample *s)
{
	if (e->gone)
		return a->waits && wait_reader_again(e->waits.reader, a->ident, s);
	return is_our_process(e) &&
	    wait_reader_read(e->waits.reader, a, s) &&
	    atomic_load(&a->ring.area->head) == a->ring.tail;
}

/* Gives samples of threads that have told nothing for `least` ticks before `until`.
 * False if the sink failed, or memory ran out. */
static bool
tell_waits(struct inprocess *e, uint64_t least, uint64_t until,
    struct tach_sink *sink, struct tach_recorder_stats *st)
{
	bool looked = e->gone && e->waits.reader != NULL;
	struct wait_reader_sample s;

	for (size_t i = 0; i < e->count; i++) {
		struct thread_ring *a = e->rings[i];
		uint64_t ticks = thread_ring_untold(a, e->runs.start, until,
		    e->options->interval_ns);
		if (ticks < least || a->has_next)
			continue;
		if (!looked && (e->gone || !look_outside(e)))
			return true;
		looked = true;
		if (read_wait(e, a, &s) && !give_wait(e, a, ticks, &s, sink, st))
			return false;
	}
	return true;
}

/* Gives samples of threads that wait: every LOOK_EVERY or less often, and once when
 * a pause or the end has begun. */
static bool
watch_waits(struct inprocess *e, uint64_t now, struct tach_sink *sink,
    struct tach_recorder_stats *st)
{
	uint64_t least = WAIT_LONG / e->options->interval_ns, over = e->waits.over_at;

	if (over != 0) {
		e->waits.over_at = 0;
		return tell_waits(e, LAST_TICKS, over, sink, st);
	}
	if (e->paused || now < e->waits.look_at)
		return true;
	if (!tell_waits(e, least > WAIT_TICKS ? least : WAIT_TICKS, now, sink,
		st))
		return false;
	e->waits.look_at = now + LOOK_EVERY + (clock_ns() - now) * LOOK_SHARE;
	return true;
}

/* ---- names ----------------------------------------------------------------- */

/* Looks for the names of threads that have had samples.  False if memory ran out. */
static bool
look_at_names(struct inprocess *e, uint64_t now)
{
	struct thread *p;

	if (!is_our_process(e))
		return true;
	p = reallocarray(e->threads.list, e->count + 1, sizeof(*p));
	if (p == NULL)
		return false;
	e->threads.list = p;
	e->threads.count = 0;
	for (size_t i = 0; i < e->count; i++) {
		const struct thread_ring *a = e->rings[i];
		if (a->index == TACH_NONE)
			continue;
		p[e->threads.count++] = (struct thread){
		    .py = {0, homes_find(&e->homes, &e->memory.memory,
			&e->runtime, a->interp, now), a->interp},
		    .id = {.tid = a->tid, .pthread = a->ident},
		    .task = a->task,
		    .index = a->index};
	}
	return names_look(e->called, &e->threads, e->names->count,
	    runs_time(&e->runs, now));
}

/* ---- counts ---------------------------------------------------------------- */

void
inprocess_count(const struct inprocess *e, struct tach_recorder_stats *st)
{
	struct tach_inprocess_stats *s = &st->inprocess;

	*s = e->ended;
	if (e->slot != AGENTS_NONE)
		counts_add_slot(s, slot(e));
	for (size_t i = 0; i < e->count; i++)
		counts_add_area(s, e->rings[i]->ring.area, e->rings[i]->clock);
	counts_judge(s);
	s->damaged = e->reader.damaged;
	registry_counts(e->registry, &s->frames, &s->frames_known);
	st->failed = s->invalid + s->damaged;
	st->missed = s->full + s->late;
}

/* ---- drains ---------------------------------------------------------------- */

/* Gives a thread an exact clock, if it needs one and can have one.  The thread is
 * checked when the event is open, as its number could stand for another thread until
 * then. */
static void
give_clock(struct inprocess *e, struct thread_ring *a)
{
	if (!thread_ring_wants_clock(a) || !agents_has_clocks(e->agents) ||
	    !is_our_process(e) || !thread_ring_open_clock(a, e->agents))
		return;
	if (is_our_process(e) && process_thread(e->process, a->tid) == a->task)
		thread_ring_begin_clock(a, e->paused);
	else
		thread_ring_drop_clock(a);
}

/* Reads the first sample of each area.  False if memory ran out. */
static bool
begin_drain(struct inprocess *e)
{
	uint64_t now = clock_ns();

	e->high = 0;
	e->reader.left = RECORDS_MAX;
	for (size_t i = 0; i < e->count; i++) {
		struct thread_ring *a = e->rings[i];
		uint64_t held = thread_ring_look(a);
		if (held > e->high)
			e->high = held;
		give_clock(e, a);
		if (held > 0 && !e->paused)
			thread_ring_pace(a, e->options->interval_ns, now);
		if (!thread_ring_read(a, &e->reader))
			return false;
	}
	return true;
}

/* Frees the areas of ended threads that were drained to their end. */
static void
drop_ended(struct inprocess *e)
{
	for (size_t i = e->count; i-- > 0;) {
		const struct thread_ring *a = e->rings[i];
		if (a->over && !a->has_next && (a->bad || e->reader.left > 0))
			drop_area(e, i);
	}
}

bool
inprocess_drain(struct inprocess *e, uint64_t start, struct tach_sink *sink,
    struct tach_recorder_stats *st)
{
	uint64_t now;
	struct thread_ring *a;

	if (e->slot == AGENTS_NONE)
		return true;
	e->runs.start = start;
	if (!take_areas(e))
		return false;
	if (!e->live)
		return true;
	if (!begin_drain(e))
		return false;
	now = clock_ns();
	while ((a = earliest(e)) != NULL && a->next.time <= now)
		if (!give_sample(e, a, now, sink, st) ||
		    !thread_ring_read(a, &e->reader))
			return false;
	drop_ended(e);
	if (!watch_waits(e, now, sink, st))
		return false;
	if (now >= e->counted_at + COUNT_EVERY) {
		e->counted_at = now;
		inprocess_count(e, st);
	}
	if (now < e->named_at + NAMES_EVERY)
		return true;
	e->named_at = now;
	return look_at_names(e, now);
}

bool
inprocess_hurries(const struct inprocess *e)
{
	return e->high > HIGH || e->waits.over_at != 0;
}
