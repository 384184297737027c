/* SPDX-License-Identifier: ISC */
/* inprocess.c: see inprocess.h. */
#include "engine/inprocess.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/perf_event.h>

#include "agent/ring.h"
#include "array.h"
#include "engine/chains.h"
#include "engine/clock.h"
#include "engine/emit.h"
#include "engine/names.h"
#include "engine/registry.h"
#include "engine/status.h"

#define TICKS 1024	  /* given to the sink at once */
#define KEYS_MAX 1024	  /* pthread keys that there can be */
#define TLS_STEP 4096	  /* bytes of static TLS that are searched ... */
#define TLS_MAX (64 * 1024) /* ... at once, and in all */
#ifdef __x86_64__
#define TLS_BELOW true /* it lies below what pthread_self gives */
#else
#define TLS_BELOW false
#endif
#define NAMES_MAX (1u << 20) /* threads that we believe in */
#define INTERPS_AGAIN (100 * NS_PER_MS)
#define HIGH (WIRE_RING / 4) /* a ring should not hold more */
#define RECORDS_MAX (1u << 20) /* of one drain: a target could go on for ever */
#define NAMES_EVERY (10 * NS_PER_MS)
#define COUNT_EVERY (100 * NS_PER_MS)
/* Ticks that a sample may have beyond those that its time allows: they need
 * not lie an interval apart. */
#define TICKS_MORE 64

/* A thread's area. */
struct area {
	uint32_t number;
	struct ring_reader ring;
	uint64_t tid, ident;
	pid_t task; /* as we know it; 0: not known */
	int event;  /* its clock that we opened, or -1 */
	bool bad;   /* its ring is none */
	bool over;  /* its thread was, when the drain began */
	uint32_t clock; /* enum wire_clock that it had last */
	uint32_t codes[WIRE_CODES]; /* of the registry, plus one; 0: none */
	/* The stack of its last sample, at the end of the array: the innermost
	 * frame first. */
	uint32_t *stack;
	size_t depth, max;
	size_t common; /* outermost frames that the sink's last run has too */
	uint32_t index, interp; /* of the thread in that run */
	/* The sample that is next, and whether there is one. */
	struct wire_sample next;
	bool has_next;
	uint64_t last; /* ns: no earlier time is believed */
};

/* Where an interpreter is. */
struct home {
	uint64_t addr, id;
};

struct inprocess {
	struct agents *agents;
	const struct process *process;
	const struct tach_recorder_options *options;
	struct tach_table *table;
	struct thread_names *names;
	struct process_memory memory;
	struct py_runtime runtime;
	struct py_offsets offsets;
	struct registry *registry;
	struct names *called;
	bool entered;
	uint32_t slot;
	bool live; /* it has been told, or inherited it */
	struct area **areas;
	size_t count, max;
	struct threads threads; /* for their names */
	struct home *homes;
	size_t nhomes, homes_max;
	uint64_t homes_at; /* when they were looked for */
	uint64_t *times; /* us, of each thread's last tick, by its index */
	size_t ntimes;
	uint64_t start; /* ns */
	uint64_t born; /* ns: nothing is older */
	uint64_t now;  /* ns, about */
	uint64_t high; /* bytes that a ring held at most in the last drain */
	size_t records; /* that it has left */
	uint64_t named_at, counted_at; /* ns */
	bool paused;
	uint32_t torn, gc, native; /* synthetic frames */
	struct tach_inprocess_stats ended; /* of areas that are no more */
	uint64_t handler_ns;
	uint64_t handler[WIRE_TIMES];
	_Alignas(8) uint8_t record[RING_RECORD_MAX];
	struct tach_tick ticks[TICKS];
};

/* ---- making ---------------------------------------------------------------- */

struct inprocess *
inprocess_new(struct agents *agents, const struct process *p,
    const struct tach_recorder_options *options, struct tach_table *table,
    struct thread_names *names)
{
	struct inprocess *e = calloc(1, sizeof(*e));

	if (e == NULL)
		return NULL;
	e->agents = agents;
	e->process = p;
	e->options = options;
	e->table = table;
	e->names = names;
	e->slot = AGENTS_NONE;
	e->torn = e->gc = e->native = TACH_NONE;
	e->born = clock_ns();
	process_memory_init(&e->memory, p->pid);
	e->registry = registry_new(table, &e->memory.memory);
	e->entered = agents_enter(agents, p->pid);
	if (e->registry != NULL && e->entered)
		return e;
	inprocess_free(e, false);
	return NULL;
}

static void
area_free(struct inprocess *e, struct area *a)
{
	for (size_t i = 0; i < WIRE_CODES; i++)
		if (a->codes[i] != 0)
			registry_drop(e->registry, a->codes[i] - 1);
	if (a->event >= 0)
		close(a->event);
	free(a->stack);
	free(a);
}

void
inprocess_free(struct inprocess *e, bool ended)
{
	if (e == NULL)
		return;
	for (size_t i = 0; i < e->count; i++) {
		struct area *a = e->areas[i];
		if (ended)
			agents_free_area(e->agents, a->number, a->ring.area);
		area_free(e, a);
	}
	if (e->slot != AGENTS_NONE && ended)
		agents_free_slot(e->agents, e->slot);
	else if (e->slot != AGENTS_NONE)
		agents_leave_slot(e->agents, e->slot);
	if (e->entered)
		agents_leave(e->agents, e->process->pid);
	names_free(e->called);
	registry_free(e->registry);
	free(e->threads.list);
	free(e->areas);
	free(e->homes);
	free(e->times);
	free(e);
}

static struct wire_slot *
slot(const struct inprocess *e)
{
	return agents_slot(e->agents, e->slot);
}

/* ---- what the agent has to be told ----------------------------------------- */

static uint64_t
read_word(const struct inprocess *e, uint64_t addr)
{
	uint64_t v;

	return py_read(&e->memory.memory, addr, &v, sizeof(v)) ? v : 0;
}

/* The key under which a thread finds its state: a Py_tss_t, whose first word
 * says whether it is set.  -1: not yet, or there is none. */
static int32_t
state_key(const struct inprocess *e)
{
	uint32_t offset = e->offsets.runtime_state_key, words[2];

	if (!py_has(offset) || offset < sizeof(words[0]) ||
	    !py_read(&e->memory.memory, e->runtime.addr + offset -
		sizeof(words[0]), words, sizeof(words)) ||
	    words[0] != 1 || words[1] >= KEYS_MAX)
		return -1;
	return (int32_t)words[1];
}

/* The state of the main interpreter's first thread, and its pthread_self. */
static bool
first_state(const struct inprocess *e, uint64_t *state, uint64_t *ident)
{
	struct py_threads list = {0};

	if (runtime_threads(&e->memory.memory, &e->runtime, &list) &&
	    list.count > 0)
		*state = list.list[list.count - 1].addr;
	else
		*state = 0;
	runtime_threads_free(&list);
	if (*state == 0)
		return false;
	*ident = read_word(e, *state + e->offsets.thread_ident);
	return *ident != 0;
}

/*
 * Words of a thread's static TLS that hold its state, in bytes from the thread
 * pointer, which on x86-64 is what pthread_self gives and has the TLS below
 * it.  Elsewhere the agent looks for the state in other ways.
 */
static void
state_tls(const struct inprocess *e, int32_t found[2])
{
	uint64_t state, ident, words[TLS_STEP / sizeof(uint64_t)];
	size_t n = 0;

	found[0] = found[1] = 0;
	if (!TLS_BELOW || !first_state(e, &state, &ident))
		return;
	for (int32_t off = TLS_STEP; off <= TLS_MAX && n < 2; off += TLS_STEP) {
		if (!py_read(&e->memory.memory, ident - (uint64_t)off, words,
			sizeof(words)))
			break;
		for (size_t i = sizeof(words) / sizeof(*words); i-- > 0 &&
		    n < 2;)
			if (words[i] == state)
				found[n++] = (int32_t)(i * sizeof(*words)) -
				    off;
	}
}

static bool
is_code_type(const struct inprocess *e, uint64_t type)
{
	uint64_t name = read_word(e, type + e->offsets.type_name);
	char text[sizeof("code")];

	return name != 0 &&
	    py_read(&e->memory.memory, name, text, sizeof(text)) &&
	    memcmp(text, "code", sizeof(text)) == 0;
}

/* The type of code objects, by one that runs; 0: none does. */
static uint64_t
code_type(const struct inprocess *e)
{
	struct py_threads list = {0};
	struct thread t = {.syscall_fd = -1, .turns_fd = -1};
	struct chains c;
	uint64_t type = 0;
	size_t sure = 0;

	if (!chains_init(&c, e->process, &e->runtime, e->options, e->table))
		return 0;
	if (runtime_threads(&e->memory.memory, &e->runtime, &list) &&
	    list.count > 0) {
		t.py = list.list[list.count - 1];
		if (chains_read(&c, &t, &sure))
			sure = c.chain.depth;
	}
	for (size_t i = c.chain.depth - sure; i < c.chain.depth && type == 0;
	    i++)
		if (!place_is_mark(&c.chain.places[i]))
			type = read_word(e, c.chain.places[i].code +
			    e->offsets.object_type);
	runtime_threads_free(&list);
	workset_free(&t.set);
	chain_free(&t.chain);
	chains_free(&c);
	return is_code_type(e, type) ? type : 0;
}

static bool
make_python(const struct inprocess *e, struct wire_python *p)
{
	*p = (struct wire_python){.runtime = e->runtime.addr,
	    .version = e->runtime.version, .state_key = state_key(e),
	    .offsets = e->offsets};
	p->offsets.opcodes = NULL; /* an address of ours */
	if (!py_has(e->offsets.runtime_state_key))
		state_tls(e, p->state_tls);
	return p->state_key >= 0 || p->state_tls[0] != 0;
}

/* What is known of the Python from now on. */
static bool
adopt(struct inprocess *e, const struct py_runtime *rt)
{
	e->runtime = *rt;
	e->offsets = rt->offsets;
	e->nhomes = 0;
	names_free(e->called);
	e->called = names_new(e->process, &e->offsets, &e->memory.memory,
	    e->table);
	return e->called != NULL;
}

bool
inprocess_tell(struct inprocess *e, const struct py_runtime *rt, bool patience)
{
	struct wire_python python;

	e->runtime = *rt;
	e->offsets = rt->offsets;
	if (!make_python(e, &python) && patience)
		return false;
	if (!adopt(e, rt))
		return false;
	/* A fork's has been said. */
	if (atomic_load(&slot(e)->state) == WIRE_SLOT_LIVE)
		return e->live = true;
	python.code_type = code_type(e);
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
	atomic_store(&slot(e)->order_time, clock_ns());
	atomic_store(&slot(e)->order, e->paused ? WIRE_PAUSE : WIRE_RUN);
}

/* Threads that have disarmed their clocks are told to look again. */
static void
poke(const struct inprocess *e, const struct area *a)
{
	int sig = agents_control(e->agents)->signal;
	siginfo_t info = {.si_signo = sig, .si_code = SI_QUEUE};

	info.si_pid = getpid();
	info.si_uid = getuid();
	if (a->task != 0 &&
	    atomic_load(&a->ring.area->state) == WIRE_AREA_LIVE)
		syscall(SYS_rt_tgsigqueueinfo, e->process->pid, a->task, sig,
		    &info);
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
	for (size_t i = 0; i < e->count; i++) {
		const struct area *a = e->areas[i];
		if (a->event >= 0)
			ioctl(a->event, pause ? PERF_EVENT_IOC_DISABLE :
						PERF_EVENT_IOC_ENABLE, 0);
		/* Once it has left its process alone, the signal is not its. */
		if (!pause &&
		    atomic_load(&slot(e)->state) == WIRE_SLOT_LIVE)
			poke(e, a);
	}
}

void
inprocess_stop(struct inprocess *e)
{
	uint32_t state;

	if (e->slot == AGENTS_NONE)
		return;
	inprocess_pause(e, true);
	state = atomic_load(&slot(e)->state);
	while (state == WIRE_SLOT_WAITING || state == WIRE_SLOT_LIVE)
		if (atomic_compare_exchange_weak(&slot(e)->state, &state,
			WIRE_SLOT_DONE))
			break;
}

/* ---- areas ----------------------------------------------------------------- */

static void
add_counts(struct tach_inprocess_stats *s, const struct area *of)
{
	const struct wire_area *a = of->ring.area;
	uint32_t high = atomic_load(&a->high);

	s->records += atomic_load(&a->samples);
	s->weight += atomic_load(&a->weight);
	s->overruns += atomic_load(&a->overruns);
	s->early += atomic_load(&a->drops[WIRE_DROP_EARLY]);
	s->stateless += atomic_load(&a->drops[WIRE_DROP_STATE]);
	s->invalid += atomic_load(&a->drops[WIRE_DROP_INVALID]);
	s->full += atomic_load(&a->drops[WIRE_DROP_FULL]);
	s->late += atomic_load(&a->drops[WIRE_DROP_END]);
	if (high > s->ring_high && high <= WIRE_RING)
		s->ring_high = high;
	s->clocks[TACH_CLOCK_PERF] += of->clock == WIRE_CLOCK_PERF ||
	    of->clock == WIRE_CLOCK_SHARP;
	s->clocks[TACH_CLOCK_CPU] += of->clock == WIRE_CLOCK_CPU;
	s->clocks[TACH_CLOCK_WALL] += of->clock == WIRE_CLOCK_WALL;
}

static void
add_times(const struct wire_area *a, uint64_t *ns, uint64_t times[WIRE_TIMES])
{
	*ns += atomic_load(&a->handler_ns);
	for (size_t i = 0; i < WIRE_TIMES; i++)
		times[i] += atomic_load(&a->times[i]);
}

/* Its clock, as far as that is ours to give. */
static void
give_clock(struct inprocess *e, struct area *a)
{
	/* A program that is no Python is left as it is. */
	if (!e->live || a->event >= 0 || a->task == 0 ||
	    atomic_load(&a->ring.area->state) != WIRE_AREA_LIVE ||
	    atomic_load(&a->ring.area->clock) != WIRE_CLOCK_CPU)
		return;
	a->event = agents_clock(e->agents, a->task);
	if (a->event < 0)
		return;
	if (e->paused)
		ioctl(a->event, PERF_EVENT_IOC_DISABLE, 0);
	atomic_store(&a->ring.area->perf, 1);
}

static bool
add_area(struct inprocess *e, uint32_t number, struct wire_area *shared)
{
	struct area **p = array_grow(e->areas, e->count, &e->max, sizeof(*p));
	struct area *a = p != NULL ? calloc(1, sizeof(*a)) : NULL;

	if (p != NULL)
		e->areas = p;
	if (a == NULL)
		return false;
	a->number = number;
	a->ring.area = shared;
	a->tid = (uint32_t)shared->tid;
	a->ident = shared->ident;
	a->task = process_thread(e->process, a->tid);
	a->event = -1;
	a->index = TACH_NONE;
	a->last = e->born;
	give_clock(e, a);
	e->areas[e->count++] = a;
	return true;
}

/* Takes the areas that the slot lists since the last time. */
static bool
take_areas(struct inprocess *e)
{
	uint32_t next = atomic_exchange(&slot(e)->areas, 0);

	for (uint32_t n = 0; next != 0 && n < WIRE_AREAS_MAX; n++) {
		uint32_t number = next - 1;
		struct wire_area *p = agents_map(e->agents, number);
		if (p == NULL) /* what follows, if anything, is lost */
			return true;
		next = atomic_load_explicit(&p->next, memory_order_acquire);
		if (!add_area(e, number, p))
			return false;
	}
	return true;
}

/* Its thread is over, and all was read. */
static void
drop_area(struct inprocess *e, size_t i)
{
	struct area *a = e->areas[i];

	add_counts(&e->ended, a);
	add_times(a->ring.area, &e->handler_ns, e->handler);
	agents_free_area(e->agents, a->number, a->ring.area);
	area_free(e, a);
	e->areas[i] = e->areas[--e->count];
}

/* ---- process images -------------------------------------------------------- */

/* Nobody writes to the slot any more. */
static void
leave_image(struct inprocess *e)
{
	while (e->count > 0)
		drop_area(e, e->count - 1);
	agents_free_slot(e->agents, e->slot);
	e->slot = AGENTS_NONE;
	e->live = false;
}

enum inprocess_state
inprocess_look(struct inprocess *e)
{
	uint32_t found = agents_take(e->agents,
	    e->process->own_namespace ? 0 : e->process->pid);

	if (found != AGENTS_NONE) {
		if (e->slot != AGENTS_NONE)
			leave_image(e);
		e->slot = found;
		if (e->paused)
			give_order(e);
	}
	if (e->slot == AGENTS_NONE)
		return INPROCESS_NONE;
	return e->live ? INPROCESS_LIVE : INPROCESS_WAITING;
}

/* ---- records --------------------------------------------------------------- */

enum taken {
	TAKEN,
	TAKEN_BAD, /* it cannot be */
	TAKEN_MEMORY,
};

static enum taken
take_code(struct inprocess *e, struct area *a, size_t size)
{
	const struct wire_code *c = (const void *)e->record;
	uint32_t code;

	if (size < sizeof(*c) || c->number >= WIRE_CODES)
		return TAKEN_BAD;
	switch (registry_take(e->registry, &e->offsets, c, size, &code)) {
	case REGISTRY_BAD:
		return TAKEN_BAD;
	case REGISTRY_MEMORY:
		return TAKEN_MEMORY;
	case REGISTRY_OK:
		break;
	}
	if (a->codes[c->number] != 0)
		registry_drop(e->registry, a->codes[c->number] - 1);
	a->codes[c->number] = code + 1;
	return TAKEN;
}

/* Room for a stack of that depth, whose outermost frames stay. */
static bool
reserve_stack(struct area *a, size_t depth)
{
	size_t max = (depth + 16) * 2;
	uint32_t *p;

	if (depth <= a->max)
		return true;
	if ((p = calloc(max, sizeof(*p))) == NULL)
		return false;
	if (a->depth > 0)
		memcpy(p + max - a->depth, a->stack + a->max - a->depth,
		    a->depth * sizeof(*p));
	free(a->stack);
	a->stack = p;
	a->max = max;
	return true;
}

static uint32_t
mark_of(struct inprocess *e, uint16_t code)
{
	uint32_t *mark = code == WIRE_MARK_GC ? &e->gc :
	    code == WIRE_MARK_NATIVE ? &e->native : &e->torn;
	const char *name = code == WIRE_MARK_GC ? "<GC>" :
	    code == WIRE_MARK_NATIVE ? "<native>" : "<torn>";

	if (*mark == TACH_NONE)
		*mark = emit_synthetic(e->table, name);
	return *mark;
}

/* Makes a frame of what an agent calls one. */
static enum taken
take_frame(struct inprocess *e, const struct area *a,
    const struct wire_frame *f, uint32_t *frame)
{
	uint32_t code;

	if (f->code >= WIRE_MARK_GC && f->code <= WIRE_MARK_TORN) {
		*frame = mark_of(e, f->code);
		return *frame != TACH_NONE ? TAKEN : TAKEN_MEMORY;
	}
	if (f->code >= WIRE_CODES || (code = a->codes[f->code]) == 0 ||
	    !registry_allows(e->registry, code - 1, f->instr))
		return TAKEN_BAD;
	*frame = registry_frame(e->registry, &e->offsets, code - 1, f->instr,
	    e->options->opcodes ? f->opcode : TACH_NO_OPCODE);
	return *frame != TACH_NONE ? TAKEN : TAKEN_MEMORY;
}

/* The stack that is left is no sample's. */
static enum taken
lose_stack(struct area *a, enum taken why)
{
	a->depth = a->common = 0;
	return why;
}

static enum taken
take_sample(struct inprocess *e, struct area *a, size_t size)
{
	const struct wire_sample *s = (const void *)e->record;
	size_t fresh;

	if (size < sizeof(*s) || s->weight == 0 || s->depth > WIRE_DEPTH ||
	    s->shared > s->depth || s->shared > a->depth)
		return lose_stack(a, TAKEN_BAD);
	fresh = s->depth - s->shared;
	if (fresh * sizeof(*s->frames) > size - sizeof(*s))
		return lose_stack(a, TAKEN_BAD);
	if (!reserve_stack(a, s->depth))
		return TAKEN_MEMORY;
	a->depth = s->depth;
	for (size_t i = 0; i < fresh; i++) {
		enum taken t = take_frame(e, a, &s->frames[i],
		    &a->stack[a->max - a->depth + i]);
		if (t != TAKEN)
			return lose_stack(a, t);
	}
	if (a->common > s->shared)
		a->common = s->shared;
	a->next = *s;
	/* What is not over yet would never come to be the next. */
	if (a->next.time > e->now && a->next.time > (e->now = clock_ns()))
		a->next.time = e->now;
	a->has_next = true;
	return TAKEN;
}

/* Reads on until there is a sample, or nothing.  False: out of memory. */
static bool
read_next(struct inprocess *e, struct area *a, struct tach_recorder_stats *st)
{
	enum taken t = TAKEN;

	while (!a->has_next && !a->bad && e->records > 0) {
		const struct wire_record *r = (const void *)e->record;
		enum ring_result got = ring_take(&a->ring, e->record);
		if (got == RING_EMPTY)
			break;
		e->records--;
		if (got == RING_BAD) {
			a->bad = true;
			st->inprocess.damaged++;
			break;
		}
		if (r->kind == WIRE_CODE)
			t = take_code(e, a, r->size);
		else if (r->kind == WIRE_SAMPLE)
			t = take_sample(e, a, r->size);
		else
			t = TAKEN_BAD;
		if (t == TAKEN_MEMORY)
			return false;
		st->inprocess.damaged += t == TAKEN_BAD;
	}
	return true;
}

/* ---- samples --------------------------------------------------------------- */

/* A tick of a CPU clock was on a CPU, on the way into a wait if in one. */
static uint8_t
status_bits(const struct inprocess *e, const struct area *a)
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

/* Takes the time of a sample for what it can be, and how many ticks can have
 * gone by since the last one. */
static uint64_t
limit_weight(const struct inprocess *e, struct area *a, uint64_t now)
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

static uint64_t
since_start(const struct inprocess *e, uint64_t ns)
{
	return ns > e->start ? (ns - e->start) / NS_PER_US : 0;
}

/* The thread's number in the profile.  False: out of memory, or of sense. */
static bool
find_index(struct inprocess *e, struct area *a)
{
	uint32_t interp = a->next.interp;
	uint64_t *p;
	size_t n;

	if (a->index != TACH_NONE && a->interp == interp)
		return true;
	if (e->names->count >= NAMES_MAX)
		return false;
	a->common = 0;
	a->index = thread_names_add(e->names, interp, a->tid);
	a->interp = interp;
	if (a->index == TACH_NONE)
		return false;
	if (a->index < e->ntimes)
		return true;
	n = (a->index + 16) * 2;
	if ((p = reallocarray(e->times, n, sizeof(*p))) == NULL)
		return false;
	memset(p + e->ntimes, 0, (n - e->ntimes) * sizeof(*p));
	e->times = p;
	e->ntimes = n;
	return true;
}

/* How far apart so many ticks are that lie after one time and end at another;
 * us. */
static double
tick_step(const struct inprocess *e, uint64_t last, uint64_t end,
    uint64_t weight)
{
	double step = (double)e->options->interval_ns / (double)NS_PER_US;
	double room = end > last ? (double)(end - last) / (double)weight : 0;

	return step < room ? step : room;
}

/* Gives a run of so many ticks, which end at the sample's time.  No two of a
 * thread have the same. */
static bool
emit(struct inprocess *e, struct area *a, uint64_t weight, uint8_t status,
    struct tach_sink *sink)
{
	uint64_t *last = &e->times[a->index];
	uint64_t end = since_start(e, a->next.time);
	double step = tick_step(e, *last, end, weight);
	struct tach_run run = {.thread = a->tid, .interp = a->interp,
	    .index = a->index, .frames = a->stack + a->max - a->depth,
	    .depth = (uint32_t)a->depth, .shared = (uint32_t)a->common,
	    .ticks = e->ticks};

	while (weight > 0) {
		for (run.count = 0; run.count < TICKS && weight > 0;) {
			uint64_t back = (uint64_t)((double)--weight * step);
			uint64_t time = back < end ? end - back : 0;
			if (time <= *last)
				time = *last + 1;
			*last = time;
			e->ticks[run.count++] =
			    (struct tach_tick){time, status, 0};
		}
		if (sink->run(sink, &run) != TACH_OK)
			return false;
		run.shared = run.depth;
	}
	a->common = a->depth;
	return true;
}

static bool
is_torn(const struct inprocess *e, const struct area *a)
{
	return e->torn != TACH_NONE && a->depth > 0 &&
	    a->stack[a->max - a->depth] == e->torn;
}

/* The sample that is next, if it is one of those that were asked for. */
static bool
give(struct inprocess *e, struct area *a, uint64_t now, struct tach_sink *sink,
    struct tach_recorder_stats *st)
{
	uint64_t weight = limit_weight(e, a, now);
	uint8_t status = status_bits(e, a);

	a->has_next = false;
	if (a->depth == 0 || !status_kept(e->options, status) ||
	    (e->options->main_only && !(status & TACH_STATUS_MAIN)))
		return true;
	if (!find_index(e, a))
		return false;
	st->samples += weight;
	st->torn += is_torn(e, a) ? weight : 0;
	st->compiled += a->next.flags & WIRE_COMPILED ? weight : 0;
	return emit(e, a, weight, status, sink);
}

/* The area whose next sample is the earliest. */
static struct area *
earliest(const struct inprocess *e)
{
	struct area *first = NULL;

	for (size_t i = 0; i < e->count; i++) {
		struct area *a = e->areas[i];
		if (a->has_next && (first == NULL ||
			a->next.time < first->next.time))
			first = a;
	}
	return first;
}

/* ---- names ----------------------------------------------------------------- */

static const struct home *
known_home(const struct inprocess *e, uint64_t id)
{
	for (size_t i = 0; i < e->nhomes; i++)
		if (e->homes[i].id == id)
			return &e->homes[i];
	return NULL;
}

/* Lists where the interpreters are, as their threads tell. */
static bool
find_homes(struct inprocess *e)
{
	struct py_threads list = {0};
	bool ok = true;

	e->nhomes = 0;
	runtime_threads(&e->memory.memory, &e->runtime, &list);
	for (size_t i = 0; i < list.count && ok; i++) {
		const struct py_thread *t = &list.list[i];
		struct home *p;
		if (known_home(e, t->interp_id) != NULL)
			continue;
		p = array_grow(e->homes, e->nhomes, &e->homes_max, sizeof(*p));
		if ((ok = p != NULL)) {
			e->homes = p;
			p[e->nhomes++] = (struct home){t->interp,
			    t->interp_id};
		}
	}
	runtime_threads_free(&list);
	return ok;
}

/* 0: it is not known. */
static uint64_t
home_of(struct inprocess *e, uint64_t id, uint64_t now)
{
	const struct home *h = known_home(e, id);

	if (h == NULL && now >= e->homes_at + INTERPS_AGAIN) {
		e->homes_at = now;
		h = find_homes(e) ? known_home(e, id) : NULL;
	}
	return h != NULL ? h->addr : 0;
}

/* Asks what the threads that have had samples are called. */
static bool
look_at_names(struct inprocess *e, uint64_t now)
{
	struct thread *p = reallocarray(e->threads.list, e->count + 1,
	    sizeof(*p));

	if (p == NULL)
		return false;
	e->threads.list = p;
	e->threads.count = 0;
	for (size_t i = 0; i < e->count; i++) {
		const struct area *a = e->areas[i];
		if (a->index == TACH_NONE)
			continue;
		p[e->threads.count++] = (struct thread){
		    .py = {0, home_of(e, a->interp, now), a->interp},
		    .tid = a->tid, .pthread = a->ident, .task = a->task,
		    .index = a->index};
	}
	return names_look(e->called, &e->threads, e->names->count,
	    since_start(e, now));
}

/* ---- counts ---------------------------------------------------------------- */

/* All but one per cent of the runs are below this. */
static uint64_t
percentile(const uint64_t times[WIRE_TIMES], uint64_t runs)
{
	static const double quarter[] = {1, 1.189207, 1.414214, 1.681793};
	uint64_t seen = 0;
	size_t i = 0;

	for (; i + 1 < WIRE_TIMES; i++)
		if ((seen += times[i]) >= runs - runs / 100)
			break;
	return (uint64_t)(100 * quarter[i % 4] * (double)(UINT64_C(1) << i / 4));
}

void
inprocess_count(const struct inprocess *e, struct tach_recorder_stats *st)
{
	struct tach_inprocess_stats s = e->ended;
	uint64_t ns = e->handler_ns, runs = 0, times[WIRE_TIMES];

	memcpy(times, e->handler, sizeof(times));
	for (size_t i = 0; i < e->count; i++) {
		const struct area *a = e->areas[i];
		add_counts(&s, a);
		add_times(a->ring.area, &ns, times);
	}
	for (size_t i = 0; i < WIRE_TIMES; i++)
		runs += times[i];
	s.damaged = st->inprocess.damaged;
	if (runs > 0) {
		s.handler_mean_ns = ns / runs;
		s.handler_p99_ns = percentile(times, runs);
	}
	registry_counts(e->registry, &s.frames, &s.frames_known);
	st->inprocess = s;
	st->failed = s.invalid + s.full + s.late + s.damaged;
}

/* ---- drains ---------------------------------------------------------------- */

/* What there is of each area.  False: out of memory. */
static bool
begin(struct inprocess *e, struct tach_recorder_stats *st)
{
	e->high = 0;
	e->records = RECORDS_MAX;
	for (size_t i = 0; i < e->count; i++) {
		struct area *a = e->areas[i];
		const struct wire_area *w = a->ring.area;
		uint32_t clock = atomic_load(&w->clock);
		uint64_t held = atomic_load(&w->head) - a->ring.tail;
		a->over = atomic_load_explicit(&w->state,
		    memory_order_acquire) == WIRE_AREA_DONE;
		if (clock != WIRE_CLOCK_NONE)
			a->clock = clock;
		if (held > e->high)
			e->high = held;
		give_clock(e, a);
		if (!read_next(e, a, st))
			return false;
	}
	return true;
}

/* Areas of threads that are over, and were drained to their end. */
static void
drop_ended(struct inprocess *e)
{
	for (size_t i = e->count; i-- > 0;) {
		const struct area *a = e->areas[i];
		if (a->over && !a->has_next && (a->bad || e->records > 0))
			drop_area(e, i);
	}
}

bool
inprocess_drain(struct inprocess *e, uint64_t start, struct tach_sink *sink,
    struct tach_recorder_stats *st)
{
	uint64_t now;
	struct area *a;

	if (e->slot == AGENTS_NONE)
		return true;
	e->start = start;
	if (!take_areas(e))
		return false;
	if (!e->live)
		return true;
	if (!begin(e, st))
		return false;
	now = clock_ns();
	while ((a = earliest(e)) != NULL && a->next.time <= now)
		if (!give(e, a, now, sink, st) || !read_next(e, a, st))
			return false;
	drop_ended(e);
	st->threads = e->names->count;
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
	return e->high > HIGH;
}
