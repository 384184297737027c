/* SPDX-License-Identifier: ISC */
/* thread_ring.c: see thread_ring.h. */
#include "engine/inprocess/thread_ring.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/os/os.h"
#include "engine/sched/pacer.h"
#include "engine/sample/emit.h"

#define LEAVES 2 /* frames that follow the innermost one: a callee and a wait */

struct thread_ring *
thread_ring_new(uint32_t number, struct wire_area *shared,
    const struct process *p, uint64_t born)
{
	struct thread_ring *a = calloc(1, sizeof(*a));

	if (a == NULL)
		return NULL;
	a->number = number;
	a->ring.area = shared;
	a->tid = (uint32_t)shared->tid;
	a->ident = shared->ident;
	a->task = process_thread(p, a->tid);
	a->event = -1;
	a->index = a->callee = a->wait = TACH_NONE;
	a->last = born;
	a->since = clock_ns();
	return a;
}

void
thread_ring_free(struct thread_ring *a, struct registry *registry)
{
	for (size_t i = 0; i < WIRE_CODES; i++)
		if (a->codes[i] != 0)
			registry_drop(registry, a->codes[i] - 1);
	if (a->event >= 0)
		close(a->event);
	told_stack_free(a->c);
	free(a->mixed);
	free(a->stack);
	free(a);
}

/* ---- the thread -------------------------------------------------------------- */

bool
thread_ring_wants_clock(const struct thread_ring *a)
{
	return a->event < 0 && a->task != 0 &&
	    atomic_load(&a->ring.area->state) == WIRE_AREA_LIVE &&
	    atomic_load(&a->ring.area->clock) == WIRE_CLOCK_CPU;
}

bool
thread_ring_open_clock(struct thread_ring *a, struct agents *agents)
{
	a->event = agents_clock(agents, a->task);
	return a->event >= 0;
}

void
thread_ring_begin_clock(struct thread_ring *a, bool paused)
{
	if (!paused)
		perf_pause(a->event, false);
	atomic_store(&a->ring.area->perf, 1);
}

void
thread_ring_drop_clock(struct thread_ring *a)
{
	close(a->event);
	a->event = -1;
	a->task = 0; /* it is no thread of the process */
}

void
thread_ring_pace(struct thread_ring *a, uint64_t interval_ns, uint64_t now)
{
	if (a->event < 0 || now < a->paced + PACER_STEADY * interval_ns)
		return;
	if (a->paced == 0)
		pacer_start(&a->pacer, interval_ns, false, now | 1, now);
	a->paced = now;
	pacer_step(&a->pacer);
	perf_retime(a->event, a->pacer.step);
}

uint64_t
thread_ring_look(struct thread_ring *a)
{
	const struct wire_area *w = a->ring.area;
	uint32_t clock = atomic_load(&w->clock);
	uint64_t held = atomic_load(&w->head) - a->ring.tail;

	a->over = atomic_load_explicit(&w->state, memory_order_acquire) ==
	    WIRE_AREA_DONE;
	if (clock != WIRE_CLOCK_NONE)
		a->clock = clock;
	return held;
}

uint64_t
thread_ring_untold(const struct thread_ring *a, uint64_t since, uint64_t until,
    uint64_t interval_ns)
{
	if (since < a->since)
		since = a->since;
	return a->clock == WIRE_CLOCK_WALL && !a->over && until > since ?
	    (until - since) / interval_ns : 0;
}

uint64_t
thread_ring_rest(struct thread_ring *a, uint64_t weight, uint64_t interval_ns)
{
	uint64_t ahead = a->ahead, since = a->since;

	a->ahead = 0;
	a->since = a->next.time;
	/* A sample that begins after the ticks that were given ahead has none of
	 * them: the sample of the wait was lost. */
	if (a->next.time >= since &&
	    weight <= (a->next.time - since) / interval_ns + 1)
		return weight;
	return weight > ahead ? weight - ahead : 0;
}

/* ---- records ----------------------------------------------------------------- */

void
thread_ring_reader_init(struct thread_ring_reader *r, struct registry *registry,
    const struct py_offsets *offsets, struct tach_table *table, bool opcodes)
{
	*r = (struct thread_ring_reader){.registry = registry, .offsets = offsets,
	    .table = table, .opcodes = opcodes, .cut = TACH_NONE,
	    .gc = TACH_NONE, .native = TACH_NONE};
}

enum taken {
	TAKEN,
	TAKEN_BAD, /* the record cannot be right */
	TAKEN_MEMORY,
};

static enum taken
take_code(struct thread_ring_reader *r, struct thread_ring *a, size_t size)
{
	const struct wire_code *c = (const void *)r->record;
	uint32_t code;

	if (size < sizeof(*c) || c->number >= WIRE_CODES)
		return TAKEN_BAD;
	switch (registry_take(r->registry, r->offsets, c, size, &code)) {
	case REGISTRY_BAD:
		return TAKEN_BAD;
	case REGISTRY_MEMORY:
		return TAKEN_MEMORY;
	case REGISTRY_OK:
		break;
	}
	if (a->codes[c->number] != 0)
		registry_drop(r->registry, a->codes[c->number] - 1);
	a->codes[c->number] = code + 1;
	a->addrs[c->number] = c->addr;
	return TAKEN;
}

/* Makes room for a stack of that depth, and keeps the frames.  False if memory ran
 * out. */
static bool
reserve_stack(struct thread_ring *a, size_t depth)
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
mark_of(struct thread_ring_reader *r, uint16_t code)
{
	uint32_t *mark = code == WIRE_MARK_GC ? &r->gc :
	    code == WIRE_MARK_NATIVE ? &r->native : &r->cut;
	const char *name = code == WIRE_MARK_GC ? "<GC>" :
	    code == WIRE_MARK_NATIVE ? "<native>" : "<truncated>";

	if (*mark == TACH_NONE)
		*mark = emit_synthetic(r->table, name);
	return *mark;
}

bool
thread_ring_is_mark(const struct thread_ring_reader *r, uint32_t frame)
{
	return frame == r->gc || frame == r->native || frame == r->cut;
}

/* Makes a frame of an agent's frame. */
static enum taken
take_frame(struct thread_ring_reader *r, const struct thread_ring *a,
    const struct wire_frame *f, uint32_t *frame)
{
	uint32_t code;

	if (f->code >= WIRE_MARK_GC && f->code <= WIRE_MARK_CUT) {
		*frame = mark_of(r, f->code);
		return *frame != TACH_NONE ? TAKEN : TAKEN_MEMORY;
	}
	if (f->code >= WIRE_CODES || (code = a->codes[f->code]) == 0 ||
	    !registry_allows(r->registry, code - 1, f->instr))
		return TAKEN_BAD;
	*frame = registry_frame(r->registry, r->offsets, code - 1, f->instr,
	    r->opcodes ? f->opcode : TACH_NO_OPCODE);
	return *frame != TACH_NONE ? TAKEN : TAKEN_MEMORY;
}

/* Forgets the stack, which is no sample's any more. */
static enum taken
lose_stack(struct thread_ring *a, enum taken why)
{
	a->depth = a->common = 0;
	return why;
}

/* Takes the stack of C, if it follows the frames. */
static enum taken
take_stack(struct thread_ring *a, const struct wire_sample *s, const uint8_t *from,
    size_t size)
{
	enum told t;

	a->has_c = false;
	if (!(s->flags & WIRE_HAS_STACK))
		return TAKEN;
	if (a->c == NULL && (a->c = told_stack_new()) == NULL)
		return TAKEN_MEMORY;
	t = told_stack_take(a->c, from, size, s->depth);
	a->has_c = t == TOLD_OK;
	return t == TOLD_MEMORY ? TAKEN_MEMORY : t == TOLD_BAD ? TAKEN_BAD : TAKEN;
}

static enum taken
take_sample(struct thread_ring_reader *r, struct thread_ring *a, size_t size)
{
	const struct wire_sample *s = (const void *)r->record;
	size_t fresh, called, waited, left = size - sizeof(*s);
	const uint8_t *from;
	enum taken taken;

	if (size < sizeof(*s) || s->weight == 0 || s->depth > WIRE_DEPTH ||
	    s->shared > s->depth || s->shared > a->depth)
		return lose_stack(a, TAKEN_BAD);
	fresh = s->depth - s->shared;
	called = s->flags & WIRE_CALLS ? sizeof(a->called) : 0;
	waited = s->flags & WIRE_HAS_WAIT ? sizeof(a->waited) : 0;
	if (fresh * sizeof(*s->frames) + called + waited > left)
		return lose_stack(a, TAKEN_BAD);
	left -= fresh * sizeof(*s->frames) + called + waited;
	if (!reserve_stack(a, s->depth + LEAVES))
		return TAKEN_MEMORY;
	a->depth = s->depth;
	for (size_t i = 0; i < fresh; i++) {
		enum taken t = take_frame(r, a, &s->frames[i],
		    &a->stack[a->max - a->depth + i]);
		if (t != TAKEN)
			return lose_stack(a, t);
	}
	if (fresh > 0)
		a->innermost = s->frames[0];
	from = (const uint8_t *)&s->frames[fresh];
	a->called = (struct wire_called){0};
	memcpy(&a->called, from, called);
	a->has_waited = waited != 0;
	memcpy(&a->waited, from + called, waited);
	taken = take_stack(a, s, from + called + waited, left);
	if (taken != TAKEN)
		return lose_stack(a, taken);
	if (a->common > s->shared)
		a->common = s->shared;
	a->next = *s;
	a->next.time -= (uint64_t)r->ahead;
	/* A time in the future would hold up all samples after this one. */
	if (a->next.time > r->now && a->next.time > (r->now = clock_ns()))
		a->next.time = r->now;
	a->has_next = true;
	return TAKEN;
}

static enum taken
take_record(struct thread_ring_reader *r, struct thread_ring *a)
{
	const struct wire_record *record = (const void *)r->record;

	switch (record->kind) {
	case WIRE_CODE:
		return take_code(r, a, record->size);
	case WIRE_SAMPLE:
		return take_sample(r, a, record->size);
	default:
		return TAKEN_BAD;
	}
}

bool
thread_ring_read(struct thread_ring *a, struct thread_ring_reader *r)
{
	while (!a->has_next && !a->bad && r->left > 0) {
		enum ring_result got = ring_take(&a->ring, r->record);
		enum taken t = TAKEN_BAD;
		if (got == RING_EMPTY)
			break;
		r->left--;
		if (got == RING_BAD)
			a->bad = true;
		else
			t = take_record(r, a);
		if (t == TAKEN_MEMORY)
			return false;
		r->damaged += t == TAKEN_BAD;
	}
	return true;
}
