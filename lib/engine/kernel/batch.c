/* SPDX-License-Identifier: ISC */
/* batch.c: see batch.h. */
#include "engine/kernel/batch.h"

#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/kernel/bpf_load.h"
#include "engine/os/os.h"

void
batch_init(struct batch *b, struct interrupts *in)
{
	*b = (struct batch){.in = in};
}

/* ---- events ------------------------------------------------------------ */

static int
open_batch_event(pid_t task, struct perf_event_attr attr, int leader, int program)
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

/* Bytes of a perf buffer: a page of its state, and one page of data, which the
 * kernel writes over and over, as the buffer is mapped to read only. */
static size_t
output_size(void)
{
	return 2 * (size_t)sysconf(_SC_PAGESIZE);
}

static bool
open_output(struct batch_events *e)
{
	void *p = mmap(NULL, output_size(), PROT_READ, MAP_SHARED, e->leaves,
	    0);

	e->output = p != MAP_FAILED ? p : NULL;
	return e->output != NULL &&
	    ioctl(e->clock, PERF_EVENT_IOC_SET_OUTPUT, e->leaves) == 0;
}

static void
close_events(struct batch_events *e)
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

/* Opens both events as one group: the clock runs whenever `leaves` is enabled. */
static bool
open_events(struct batch_events *e, const struct interrupts *in, pid_t task,
    uint64_t interval_ns)
{
	struct perf_event_attr leaves = {
		.config = PERF_COUNT_SW_CONTEXT_SWITCHES,
		.sample_period = 1, .disabled = 1};
	struct perf_event_attr clock = {.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = interval_ns,
		.read_format = PERF_FORMAT_TOTAL_TIME_RUNNING};

	close_events(e);
	*e = (struct batch_events){.task = task, .clock = -1};
	e->leaves = open_batch_event(task, leaves, -1, in->leave);
	if (e->leaves >= 0)
		e->clock = open_batch_event(task, clock, e->leaves, in->tick);
	if (e->clock >= 0 && open_output(e))
		return true;
	close_events(e);
	return false;
}

static bool
is_asked(const struct batch *b, const struct batch_events *e)
{
	for (size_t i = 0; i < b->asks; i++)
		if (b->asked[i] == e)
			return true;
	return false;
}

static struct batch_events *
events_of(struct batch *b, pid_t task)
{
	for (size_t i = 0; i < BATCH_THREADS; i++)
		if (b->list[i].task == task)
			return &b->list[i];
	return NULL;
}

/* The events of a thread: its own, or new ones in the place of another thread's.
 * NULL if they cannot be opened. */
static struct batch_events *
choose_events(struct batch *b, pid_t task)
{
	struct batch_events *e = events_of(b, task);

	if (e != NULL)
		return e;
	do
		e = &b->list[b->oldest++ % BATCH_THREADS];
	while (is_asked(b, e));
	return open_events(e, b->in, task, b->interval_ns) ? e : NULL;
}

/* ---- beginning and ending ---------------------------------------------- */

bool
batch_prepare(struct batch *b, uint64_t interval_ns)
{
	struct interrupts *in = b->in;

	if (in == NULL || b->on)
		return false;
	in->is_ahead = b->on = in->cost <= in->budget;
	b->asks = b->next = 0;
	b->rounds = b->known = b->last = b->left = 0;
	b->interval_ns = interval_ns;
	return b->on;
}

bool
batch_ask(struct batch *b, const struct batch_ask *what)
{
	struct interrupt_ask *ask = &b->in->asks[b->asks];
	struct batch_events *e;

	if (b->asks == INTERRUPT_TAKERS ||
	    !interrupts_ask(ask, what->task, what->first, &what->way))
		return false;
	ask->holder = what->holder;
	ask->waits = what->waits;
	memcpy(ask->watch, what->watch,
	    (what->watches + what->told) * sizeof(*what->watch));
	ask->watches = (uint32_t)what->watches;
	ask->told = (uint32_t)what->told;
	ask->kernel_size = -1;
	e = choose_events(b, what->task);
	if (e != NULL)
		b->asked[b->asks++] = e;
	return e != NULL;
}

static bool
is_stopped(const struct batch *b)
{
	return __atomic_load_n(&b->in->ahead->stopped, __ATOMIC_ACQUIRE) !=
	    INTERRUPT_GOES_ON;
}

bool
batch_knows_calls(const struct batch *b)
{
	return b->in != NULL && b->in->tells_calls;
}

/* Writes how turns are told, and which taker has the GIL. */
static void
begin_turns(struct batch *b, const struct interrupt_gil *gil, uint64_t switches)
{
	struct interrupt_ahead *to = b->in->ahead;

	to->takers = (uint32_t)b->asks;
	to->switches = switches;
	to->gil = *gil;
	to->gil.call_at = CALL_AT;
	to->gil.address_at = ARGUMENT_AT;
	to->gil.call = SYS_futex;
	for (uint32_t i = 0; i < b->asks; i++)
		if (!b->in->asks[i].waits)
			to->last = i;
}

static bool
enable(struct batch *b)
{
	for (size_t i = 0; i < b->asks; i++)
		if (ioctl(b->asked[i]->leaves, PERF_EVENT_IOC_ENABLE, 0) != 0)
			return false;
	return true;
}

/* Whether the batch has one thread, and records it also when another thread takes
 * its CPU. */
static bool
records_leaving(const struct batch *b)
{
	return batch_knows_calls(b) && b->asks == 1;
}

/* Notes the CPU time of the one thread, as it may have no CPU now. */
static void
note_begin(struct batch *b)
{
	struct {
		uint64_t value, running;
	} clock;

	if (!records_leaving(b) ||
	    read(b->asked[0]->clock, &clock, sizeof(clock)) != sizeof(clock))
		return;
	b->ran = clock.running;
	b->left = clock_ns();
}

/* ns of the budget that are left for copies. */
static uint32_t
limit_of(const struct interrupts *in)
{
	uint64_t ns = in->budget - in->cost;

	return ns < UINT32_MAX ? (uint32_t)ns : UINT32_MAX;
}

bool
batch_begin(struct batch *b, const struct interrupt_gil *gil, uint64_t switches,
    uint32_t size)
{
	struct interrupt_ahead *to = b->in->ahead;

	for (size_t i = 0; i < INTERRUPT_WIRES; i++)
		interrupts_empty(&b->in->wires[i]);
	begin_turns(b, gil, switches);
	to->turn = to->away = to->rested = to->news = 0;
	to->cost = to->left = 0;
	to->limit = limit_of(b->in);
	to->batch = size;
	to->spare = b->in->asks[0].way.stack ? INTERRUPT_STACK : 0;
	memset(to->full, 0, sizeof(to->full));
	__atomic_store_n(&to->stopped, INTERRUPT_GOES_ON, __ATOMIC_RELEASE);
	batch_set_interval(b, b->interval_ns);
	batch_doubt(b);
	if (!enable(b))
		return false;
	note_begin(b);
	return true;
}

void
batch_set_interval(struct batch *b, uint64_t interval_ns)
{
	for (size_t i = 0; i < b->asks; i++)
		ioctl(b->asked[i]->clock, PERF_EVENT_IOC_PERIOD, &interval_ns);
}

void
batch_set_size(struct batch *b, uint32_t size)
{
	__atomic_store_n(&b->in->ahead->batch, size, __ATOMIC_RELAXED);
}

/* Disables the events.  Once the calls have returned, none of their programs runs
 * in the kernel any more. */
static void
silence(const struct batch *b)
{
	for (size_t i = 0; i < b->asks; i++)
		ioctl(b->asked[i]->leaves, PERF_EVENT_IOC_DISABLE, 0);
}

void
batch_end(struct batch *b)
{
	if (!b->on)
		return;
	silence(b);
	if (!is_stopped(b))
		b->in->ahead->stopped = INTERRUPT_ENOUGH;
}

void
batch_lose(struct batch *b, size_t nth)
{
	batch_end(b);
	b->asked[nth]->gone = true;
}

/* Gives the interrupts back, and closes the events of ended threads. */
static void
leave_batch(struct batch *b)
{
	silence(b);
	b->in->is_ahead = false;
	for (size_t i = 0; i < b->asks; i++)
		if (b->asked[i]->gone)
			close_events(b->asked[i]);
	b->asks = 0;
	b->on = false;
}

void
batch_cancel(struct batch *b)
{
	batch_end(b);
	if (b->on)
		leave_batch(b);
}

void
batch_free(struct batch *b)
{
	batch_cancel(b);
	for (size_t i = 0; i < BATCH_THREADS; i++)
		close_events(&b->list[i]);
}

/* ---- reading ----------------------------------------------------------- */

bool
batch_was_away(struct batch *b)
{
	return b->on &&
	    __atomic_exchange_n(&b->in->ahead->away, 0, __ATOMIC_ACQ_REL) != 0;
}

void
batch_doubt(struct batch *b)
{
	b->doubt = clock_ns();
}

/* The time of the newest record of a wire; 0 if it has none. */
static uint64_t
newest_in(const struct interrupt_wire *w)
{
	uint64_t n = __atomic_load_n(&w->records, __ATOMIC_ACQUIRE);

	return n > 0 && n <= INTERRUPT_RECORDS ? w->record[n - 1].time : 0;
}

uint64_t
batch_doubts(const struct batch *b)
{
	if (!b->on || b->last > b->doubt || (b->last > 0 && records_leaving(b)))
		return 0;
	for (size_t i = 0; i < INTERRUPT_WIRES; i++)
		if (newest_in(&b->in->wires[i]) > b->doubt)
			return 0;
	return b->doubt;
}

bool
batch_is_dear(const struct batch *b)
{
	return b->in->ahead->stopped == INTERRUPT_DEAR;
}

bool
batch_left(const struct batch *b)
{
	return b->wire->record[b->now].left != 0;
}

uint64_t
batch_away(const struct batch *b)
{
	return b->gone;
}

/* ns that a thread was without a CPU from a moment, when it had had `ran` ns of CPU
 * time, to a later record; 0 if that is not known. */
static uint64_t
gap_of(uint64_t time, uint64_t ran, const struct interrupt_record *later)
{
	uint64_t all = later->time - time, had = later->ran - ran;

	return later->ran != 0 && all > had ? all - had : 0;
}

uint64_t
batch_gap(const struct batch *b)
{
	const struct interrupt_record *r = &b->wire->record[b->now];

	if (b->next >= b->wire->records || b->next >= INTERRUPT_RECORDS)
		return UINT64_MAX;
	return r->ran != 0 ? gap_of(r->time, r->ran, r + 1) : 0;
}

bool
batch_hurry(struct batch *b)
{
	if (!records_leaving(b))
		return false;
	batch_set_size(b, 1);
	return true;
}

/* Notes the time without a CPU that ended with the newest record, or begins with
 * it. */
static void
note_cpu(struct batch *b)
{
	const struct interrupt_record *r = &b->wire->record[b->now];

	b->gone = b->left != 0 ? gap_of(b->left, b->ran, r) : 0;
	b->left = r->left != 0 && r->ran != 0 ? r->time : 0;
	b->ran = r->ran;
}

int
batch_fd(const struct batch *b, size_t nth)
{
	return b->asked[nth]->leaves;
}

static bool
is_full(const struct batch *b, uint32_t wire)
{
	return __atomic_load_n(&b->in->ahead->full[wire], __ATOMIC_ACQUIRE) !=
	    0;
}

/* The wire to read: the first full one from `turn` on, as the oldest one is the
 * next to be written to if all are full.  Without a full one, it is the wire of
 * `turn`, if nothing is written any more.  NULL if there is none yet. */
static const struct interrupt_wire *
choose_wire(const struct batch *b, uint32_t turn, uint32_t *number)
{
	bool stopped = is_stopped(b);

	for (uint32_t i = 0; i < INTERRUPT_WIRES; i++) {
		*number = (turn + i) % INTERRUPT_WIRES;
		if (is_full(b, *number))
			return &b->in->wires[*number];
	}
	*number = turn;
	return stopped ? &b->in->wires[turn] : NULL;
}

static uint32_t
turn_of(const struct batch *b)
{
	return __atomic_load_n(&b->in->ahead->turn, __ATOMIC_ACQUIRE) %
	    INTERRUPT_WIRES;
}

/* The same, with a turn that did not end meanwhile: otherwise the newer one of two
 * full wires could be chosen. */
static const struct interrupt_wire *
readable(const struct batch *b, uint32_t *number)
{
	const struct interrupt_wire *w;
	uint32_t turn;

	do {
		turn = turn_of(b);
		w = choose_wire(b, turn, number);
	} while (turn != turn_of(b));
	return w;
}

/* Gives the kernel back a wire that was read. */
static void
give_back(struct batch *b, uint32_t number)
{
	interrupts_empty(&b->in->wires[number]);
	__atomic_store_n(&b->in->ahead->full[number], 0, __ATOMIC_RELEASE);
	b->next = 0;
}

bool
batch_next(struct batch *b, uint64_t *time)
{
	const struct interrupt_wire *w;
	uint32_t number;

	if (!b->on)
		return false;
	if (is_stopped(b))
		silence(b); /* another thread's tick may still write */
	if (__atomic_exchange_n(&b->in->ahead->news, 0, __ATOMIC_ACQ_REL) != 0)
		b->known = 0;
	while ((w = readable(b, &number)) != NULL) {
		if (b->next < w->records && b->next < INTERRUPT_RECORDS) {
			b->wire = w;
			b->now = b->next++;
			b->rounds++;
			b->known++;
			b->last = *time = w->record[b->now].time;
			note_cpu(b);
			return true;
		}
		if (!is_full(b, number)) {
			leave_batch(b);
			break;
		}
		give_back(b, number);
	}
	return false;
}

bool
batch_more(struct batch *b)
{
	const struct interrupt_wire *w = b->wire;

	if (!b->on || b->next >= w->records || b->next >= INTERRUPT_RECORDS ||
	    w->record[b->next].time != w->record[b->now].time)
		return false;
	b->now = b->next++;
	return true;
}

size_t
batch_who(const struct batch *b)
{
	return b->wire->record[b->now].who;
}

enum interrupt_result
batch_take(const struct batch *b, struct snapshot *s)
{
	return interrupts_take(b->wire, b->now, s);
}

bool
batch_registers(const struct batch *b, struct task_registers *r)
{
	return interrupts_take_registers(b->wire, b->now, r);
}

struct kernel_stack
batch_kernel(const struct batch *b)
{
	return interrupts_take_kernel(b->wire, b->now);
}

void
batch_set_stack_end(struct batch *b, size_t nth, uint64_t end)
{
	if (b->on && nth < b->asks)
		__atomic_store_n(&b->in->asks[nth].way.stack_end, end,
		    __ATOMIC_RELAXED);
}
