/* SPDX-License-Identifier: ISC */
/* ahead.c: see ahead.h. */
#include "engine/kernel/ahead.h"

#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/kernel/interruptload.h"
#include "engine/os/clock.h"

void
ahead_init(struct ahead *a, struct interrupts *in)
{
	*a = (struct ahead){.in = in};
}

/* ---- events ------------------------------------------------------------ */

static int
open_event(pid_t task, struct perf_event_attr attr, int leader, int program)
{
	int fd;

	attr.type = PERF_TYPE_SOFTWARE;
	attr.size = sizeof(attr);
	attr.exclude_hv = 1;
	attr.wakeup_events = 1;
	attr.remove_on_exec = 1;
	fd = (int)syscall(SYS_perf_event_open, &attr, task, -1, leader,
	    PERF_FLAG_FD_CLOEXEC);
	if (fd >= 0 && ioctl(fd, PERF_EVENT_IOC_SET_BPF, program) == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* A page that says what is in it, and another one that is written to over and
 * over, as we cannot write to it. */
static size_t
output_size(void)
{
	return 2 * (size_t)sysconf(_SC_PAGESIZE);
}

static bool
open_output(struct ahead_events *e)
{
	void *p = mmap(NULL, output_size(), PROT_READ, MAP_SHARED, e->leaves,
	    0);

	e->output = p != MAP_FAILED ? p : NULL;
	return e->output != NULL &&
	    ioctl(e->clock, PERF_EVENT_IOC_SET_OUTPUT, e->leaves) == 0;
}

static void
close_events(struct ahead_events *e)
{
	if (e->task == 0)
		return;
	if (e->output != NULL)
		munmap(e->output, output_size());
	if (e->clock >= 0)
		close(e->clock);
	if (e->leaves >= 0)
		close(e->leaves);
	e->task = 0;
}

/* That of the clock goes on whenever the other one does. */
static bool
open_events(struct ahead_events *e, const struct interrupts *in, pid_t task,
    uint64_t interval_ns)
{
	struct perf_event_attr leaves = {
		.config = PERF_COUNT_SW_CONTEXT_SWITCHES,
		.sample_period = 1, .disabled = 1};
	struct perf_event_attr clock = {.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = interval_ns,
		.read_format = PERF_FORMAT_TOTAL_TIME_RUNNING};

	close_events(e);
	*e = (struct ahead_events){.task = task, .clock = -1};
	e->leaves = open_event(task, leaves, -1, in->leave);
	if (e->leaves >= 0)
		e->clock = open_event(task, clock, e->leaves, in->tick);
	if (e->clock >= 0 && open_output(e))
		return true;
	close_events(e);
	return false;
}

static bool
is_asked(const struct ahead *a, const struct ahead_events *e)
{
	for (size_t i = 0; i < a->asks; i++)
		if (a->asked[i] == e)
			return true;
	return false;
}

static struct ahead_events *
events_of(struct ahead *a, pid_t task)
{
	for (size_t i = 0; i < AHEAD_THREADS; i++)
		if (a->list[i].task == task)
			return &a->list[i];
	return NULL;
}

/* Those of a thread: its own, or new ones in the place of others. */
static struct ahead_events *
choose_events(struct ahead *a, pid_t task)
{
	struct ahead_events *e = events_of(a, task);

	if (e != NULL)
		return e;
	do
		e = &a->list[a->oldest++ % AHEAD_THREADS];
	while (is_asked(a, e));
	return open_events(e, a->in, task, a->interval_ns) ? e : NULL;
}

/* ---- beginning and ending ---------------------------------------------- */

bool
ahead_prepare(struct ahead *a, uint64_t interval_ns)
{
	struct interrupts *in = a->in;

	if (in == NULL || a->on)
		return false;
	in->is_ahead = a->on = in->cost <= in->budget;
	a->asks = a->next = 0;
	a->rounds = a->known = a->last = a->left = 0;
	a->interval_ns = interval_ns;
	return a->on;
}

bool
ahead_ask(struct ahead *a, const struct ahead_ask *what)
{
	struct interrupt_ask *ask = &a->in->asks[a->asks];
	struct ahead_events *e;

	if (a->asks == INTERRUPT_TAKERS ||
	    !interrupts_ask(ask, what->task, what->first, &what->way))
		return false;
	ask->holder = what->holder;
	ask->waits = what->waits;
	memcpy(ask->watch, what->watch,
	    (what->watches + what->told) * sizeof(*what->watch));
	ask->watches = (uint32_t)what->watches;
	ask->told = (uint32_t)what->told;
	e = choose_events(a, what->task);
	if (e != NULL)
		a->asked[a->asks++] = e;
	return e != NULL;
}

static bool
is_stopped(const struct ahead *a)
{
	return __atomic_load_n(&a->in->ahead->stopped, __ATOMIC_ACQUIRE) !=
	    INTERRUPT_GOES_ON;
}

bool
ahead_knows_calls(const struct ahead *a)
{
	return a->in != NULL && a->in->tells_calls;
}

/* What tells of turns, and whose it is. */
static void
begin_turns(struct ahead *a, const struct interrupt_gil *gil, uint64_t switches)
{
	struct interrupt_ahead *to = a->in->ahead;

	to->takers = (uint32_t)a->asks;
	to->switches = switches;
	to->gil = *gil;
	to->gil.call_at = CALL_AT;
	to->gil.address_at = ARGUMENT_AT;
	to->gil.call = SYS_futex;
	for (uint32_t i = 0; i < a->asks; i++)
		if (!a->in->asks[i].waits)
			to->last = i;
}

static bool
enable(struct ahead *a)
{
	for (size_t i = 0; i < a->asks; i++)
		if (ioctl(a->asked[i]->leaves, PERF_EVENT_IOC_ENABLE, 0) != 0)
			return false;
	return true;
}

/* Whether it records one thread, also as another one takes its CPU. */
static bool
records_leaving(const struct ahead *a)
{
	return ahead_knows_calls(a) && a->asks == 1;
}

/* It may have no CPU now. */
static void
note_begin(struct ahead *a)
{
	struct {
		uint64_t value, running;
	} clock;

	if (!records_leaving(a) ||
	    read(a->asked[0]->clock, &clock, sizeof(clock)) != sizeof(clock))
		return;
	a->ran = clock.running;
	a->left = clock_ns();
}

/* What is left to copy. */
static uint32_t
limit_of(const struct interrupts *in)
{
	uint64_t ns = in->budget - in->cost;

	return ns < UINT32_MAX ? (uint32_t)ns : UINT32_MAX;
}

bool
ahead_begin(struct ahead *a, const struct interrupt_gil *gil, uint64_t switches,
    uint32_t batch)
{
	struct interrupt_ahead *to = a->in->ahead;

	for (size_t i = 0; i < INTERRUPT_WIRES; i++)
		interrupts_empty(&a->in->wires[i]);
	begin_turns(a, gil, switches);
	to->turn = to->away = to->rested = to->news = 0;
	to->cost = to->left = 0;
	to->limit = limit_of(a->in);
	to->batch = batch;
	memset(to->full, 0, sizeof(to->full));
	__atomic_store_n(&to->stopped, INTERRUPT_GOES_ON, __ATOMIC_RELEASE);
	ahead_set_interval(a, a->interval_ns);
	ahead_doubt(a);
	if (!enable(a))
		return false;
	note_begin(a);
	return true;
}

void
ahead_set_interval(struct ahead *a, uint64_t interval_ns)
{
	for (size_t i = 0; i < a->asks; i++)
		ioctl(a->asked[i]->clock, PERF_EVENT_IOC_PERIOD, &interval_ns);
}

void
ahead_set_batch(struct ahead *a, uint32_t batch)
{
	__atomic_store_n(&a->in->ahead->batch, batch, __ATOMIC_RELAXED);
}

/* When the call returns, nothing of it runs in the kernel any more. */
static void
silence(const struct ahead *a)
{
	for (size_t i = 0; i < a->asks; i++)
		ioctl(a->asked[i]->leaves, PERF_EVENT_IOC_DISABLE, 0);
}

void
ahead_end(struct ahead *a)
{
	if (!a->on)
		return;
	silence(a);
	if (!is_stopped(a))
		a->in->ahead->stopped = INTERRUPT_ENOUGH;
}

void
ahead_lose(struct ahead *a, size_t nth)
{
	ahead_end(a);
	a->asked[nth]->gone = true;
}

/* All was read. */
static void
leave(struct ahead *a)
{
	silence(a);
	a->in->is_ahead = false;
	for (size_t i = 0; i < a->asks; i++)
		if (a->asked[i]->gone)
			close_events(a->asked[i]);
	a->asks = 0;
	a->on = false;
}

void
ahead_cancel(struct ahead *a)
{
	ahead_end(a);
	if (a->on)
		leave(a);
}

void
ahead_free(struct ahead *a)
{
	ahead_cancel(a);
	for (size_t i = 0; i < AHEAD_THREADS; i++)
		close_events(&a->list[i]);
}

/* ---- reading ----------------------------------------------------------- */

bool
ahead_was_away(struct ahead *a)
{
	return a->on &&
	    __atomic_exchange_n(&a->in->ahead->away, 0, __ATOMIC_ACQ_REL) != 0;
}

void
ahead_doubt(struct ahead *a)
{
	a->doubt = clock_ns();
}

/* When the newest of the records was made that are still to be read; or 0. */
static uint64_t
newest_in(const struct interrupt_wire *w)
{
	uint64_t n = __atomic_load_n(&w->records, __ATOMIC_ACQUIRE);

	return n > 0 && n <= INTERRUPT_RECORDS ? w->record[n - 1].time : 0;
}

uint64_t
ahead_doubts(const struct ahead *a)
{
	if (!a->on || a->last > a->doubt || (a->last > 0 && records_leaving(a)))
		return 0;
	for (size_t i = 0; i < INTERRUPT_WIRES; i++)
		if (newest_in(&a->in->wires[i]) > a->doubt)
			return 0;
	return a->doubt;
}

bool
ahead_is_dear(const struct ahead *a)
{
	return a->in->ahead->stopped == INTERRUPT_DEAR;
}

bool
ahead_left(const struct ahead *a)
{
	return a->wire->record[a->now].left != 0;
}

uint64_t
ahead_away(const struct ahead *a)
{
	return a->gone;
}

/* How long a thread was without a CPU from one record to a later one; 0 if that is
 * not known. */
static uint64_t
gap_of(uint64_t time, uint64_t ran, const struct interrupt_record *later)
{
	uint64_t all = later->time - time, had = later->ran - ran;

	return later->ran != 0 && all > had ? all - had : 0;
}

uint64_t
ahead_gap(const struct ahead *a)
{
	const struct interrupt_record *r = &a->wire->record[a->now];

	if (a->next >= a->wire->records || a->next >= INTERRUPT_RECORDS)
		return UINT64_MAX;
	return r->ran != 0 ? gap_of(r->time, r->ran, r + 1) : 0;
}

bool
ahead_hurry(struct ahead *a)
{
	if (!records_leaving(a))
		return false;
	ahead_set_batch(a, 1);
	return true;
}

/* What the newest record says of the CPU. */
static void
note_cpu(struct ahead *a)
{
	const struct interrupt_record *r = &a->wire->record[a->now];

	a->gone = a->left != 0 ? gap_of(a->left, a->ran, r) : 0;
	a->left = r->left != 0 && r->ran != 0 ? r->time : 0;
	a->ran = r->ran;
}

int
ahead_fd(const struct ahead *a, size_t nth)
{
	return a->asked[nth]->leaves;
}

static bool
is_full(const struct ahead *a, uint32_t wire)
{
	return __atomic_load_n(&a->in->ahead->full[wire], __ATOMIC_ACQUIRE) !=
	    0;
}

/* The wire that is read: of those that are full the first one, which is the next
 * to be written to if all are; or that one, if nothing is written any more.  NULL:
 * none yet. */
static const struct interrupt_wire *
choose_wire(const struct ahead *a, uint32_t turn, uint32_t *number)
{
	bool stopped = is_stopped(a);

	for (uint32_t i = 0; i < INTERRUPT_WIRES; i++) {
		*number = (turn + i) % INTERRUPT_WIRES;
		if (is_full(a, *number))
			return &a->in->wires[*number];
	}
	*number = turn;
	return stopped ? &a->in->wires[turn] : NULL;
}

static uint32_t
turn_of(const struct ahead *a)
{
	return __atomic_load_n(&a->in->ahead->turn, __ATOMIC_ACQUIRE) %
	    INTERRUPT_WIRES;
}

/* The same of a turn that did not end meanwhile: else the newer of two that are
 * full would be chosen. */
static const struct interrupt_wire *
readable(const struct ahead *a, uint32_t *number)
{
	const struct interrupt_wire *w;
	uint32_t turn;

	do {
		turn = turn_of(a);
		w = choose_wire(a, turn, number);
	} while (turn != turn_of(a));
	return w;
}

/* Gives a wire back that was read. */
static void
give_back(struct ahead *a, uint32_t number)
{
	interrupts_empty(&a->in->wires[number]);
	__atomic_store_n(&a->in->ahead->full[number], 0, __ATOMIC_RELEASE);
	a->next = 0;
}

bool
ahead_next(struct ahead *a, uint64_t *time)
{
	const struct interrupt_wire *w;
	uint32_t number;

	if (!a->on)
		return false;
	if (is_stopped(a))
		silence(a); /* another thread's tick may still write */
	if (__atomic_exchange_n(&a->in->ahead->news, 0, __ATOMIC_ACQ_REL) != 0)
		a->known = 0;
	while ((w = readable(a, &number)) != NULL) {
		if (a->next < w->records && a->next < INTERRUPT_RECORDS) {
			a->wire = w;
			a->now = a->next++;
			a->rounds++;
			a->known++;
			a->last = *time = w->record[a->now].time;
			note_cpu(a);
			return true;
		}
		if (!is_full(a, number)) {
			leave(a);
			break;
		}
		give_back(a, number);
	}
	return false;
}

bool
ahead_more(struct ahead *a)
{
	const struct interrupt_wire *w = a->wire;

	if (!a->on || a->next >= w->records || a->next >= INTERRUPT_RECORDS ||
	    w->record[a->next].time != w->record[a->now].time)
		return false;
	a->now = a->next++;
	return true;
}

size_t
ahead_who(const struct ahead *a)
{
	return a->wire->record[a->now].who;
}

bool
ahead_take(const struct ahead *a, struct snapshot *s)
{
	return interrupts_take(a->wire, a->now, s);
}
