/* SPDX-License-Identifier: ISC */
/*
 * test_ring_model.c: the ring under every order of its steps that C11 allows.
 *
 * The code of the ring itself runs here, as two coroutines, on atomics and
 * copies that are ours.  Before each atomic step it is open which of them goes
 * on, and a load may give any value that its thread has not seen a later one
 * of.  All of that is tried.  Whether one's copying from and to the ring comes
 * before the other's is told by vector clocks: where no acquired release says
 * so, it is a race.  That this finds races is shown by taking each acquire and
 * each release away.
 */
#include <err.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "agent/ring.h"

#define CELL (WIRE_RING / 4) /* what we tell apart of the ring */
#define CELLS (WIRE_RING / CELL)
#define COPIED 64u /* bytes of a copy that matter */
#define CALLS 4	  /* of each side */
#define STEPS 64

enum thread { PRODUCER, CONSUMER, THREADS };
enum place { HEAD, TAIL, PLACES };
enum { NOTHING_WEAK = -1 };

struct clock {
	unsigned at[THREADS];
};

/* A value that was stored, and what is known by who acquires it. */
struct message {
	uint64_t value;
	struct clock clock;
};

static struct wire_area *area;
static const void *start_of_ring;

/* One execution. */
static struct message messages[PLACES][CALLS + 2];
static unsigned stored[PLACES];
static unsigned seen[THREADS][PLACES];
static struct clock clocks[THREADS];
static unsigned written[CELLS], read_[CELLS];
static bool race, broken;
static unsigned put, taken;

/* The choices on the way there, and how many there were. */
static unsigned choice[STEPS], choices[STEPS], depth;

/* Which order is taken away: place * 2 + (1: of its store). */
static int weak = NOTHING_WEAK;

static ucontext_t scheduler, contexts[THREADS];
static bool over[THREADS];
static enum thread current;

static unsigned
choose(unsigned n)
{
	if (n < 2)
		return 0;
	if (depth == STEPS)
		errx(1, "too many choices");
	choices[depth] = n;
	return choice[depth++];
}

/* ---- what the ring stands on ---------------------------------------------- */

static void
step(void)
{
	swapcontext(&contexts[current], &scheduler);
}

static bool
is_weak(enum place p, bool store)
{
	return weak == (int)p * 2 + store;
}

static uint64_t
model_load(const void *at, memory_order order)
{
	enum place p = at == &area->tail ? TAIL : HEAD;
	struct message m;

	if (at != &area->tail && at != &area->head)
		return atomic_load((const _Atomic uint32_t *)at);
	if ((p == HEAD) == (current == PRODUCER)) /* its own */
		return messages[p][stored[p]].value;
	step();
	seen[current][p] += choose(stored[p] - seen[current][p] + 1);
	m = messages[p][seen[current][p]];
	if (order == memory_order_acquire && !is_weak(p, false))
		for (int i = 0; i < THREADS; i++)
			if (m.clock.at[i] > clocks[current].at[i])
				clocks[current].at[i] = m.clock.at[i];
	return m.value;
}

static void
model_store(void *at, uint64_t value, memory_order order)
{
	enum place p = at == &area->tail ? TAIL : HEAD;
	struct message m = {.value = value};

	if (at != &area->tail && at != &area->head) {
		atomic_store((_Atomic uint32_t *)at, (uint32_t)value);
		return;
	}
	step();
	if (order == memory_order_release && !is_weak(p, true))
		m.clock = clocks[current];
	clocks[current].at[current]++;
	messages[p][++stored[p]] = m;
}

static bool
in_ring(const void *p, unsigned *cell)
{
	size_t off = (size_t)((const char *)p - (const char *)start_of_ring);

	*cell = (unsigned)(off / CELL);
	return off < WIRE_RING;
}

static void
model_copy(void *to, const void *from, size_t n)
{
	unsigned first, other = 1 - current;

	if (n == 0)
		return;
	if (in_ring(to, &first)) {
		for (unsigned i = 0; i <= (n - 1) / CELL; i++) {
			race |= read_[first + i] > clocks[current].at[other];
			written[first + i] = clocks[current].at[current];
		}
	} else if (in_ring(from, &first)) {
		for (unsigned i = 0; i <= (n - 1) / CELL; i++) {
			race |= written[first + i] > clocks[current].at[other];
			read_[first + i] = clocks[current].at[current];
		}
	}
	memcpy(to, from, n < COPIED ? n : COPIED);
}

#undef atomic_load_explicit
#undef atomic_store_explicit
#define atomic_load_explicit(at, order) model_load((at), (order))
#define atomic_store_explicit(at, value, order)                                \
	model_store((at), (value), (order))
#define memcpy model_copy
#include "agent/ring.c"
#undef memcpy

/* ---- both sides ------------------------------------------------------------- */

struct numbered {
	struct wire_record record;
	uint64_t number;
};

static const uint8_t filler[RING_RECORD_MAX];

static void
produce(void)
{
	static const uint32_t cells[CALLS] = {1, 2, 1, 2};

	for (int i = 0; i < CALLS; i++) {
		struct numbered r = {{cells[i] * CELL, WIRE_SAMPLE}, put};
		struct ring_piece pieces[] = {{&r, sizeof(r)},
		    {filler, r.record.size - sizeof(r)}};
		put += ring_put(area, pieces, 2);
	}
	over[PRODUCER] = true;
	step();
}

static void
consume(void)
{
	static _Alignas(8) uint8_t buf[RING_RECORD_MAX];
	struct ring_reader r = {area, messages[TAIL][0].value};
	struct numbered n;

	for (int i = 0; i < CALLS; i++) {
		enum ring_result got = ring_take(&r, buf);
		if (got == RING_EMPTY)
			continue;
		memcpy(&n, buf, sizeof(n));
		broken |= got == RING_BAD || n.number != taken;
		taken++;
	}
	over[CONSUMER] = true;
	step();
}

static void
begin(enum thread t, void (*run)(void))
{
	static char stacks[THREADS][64 * 1024];

	over[t] = false;
	getcontext(&contexts[t]);
	contexts[t].uc_stack.ss_sp = stacks[t];
	contexts[t].uc_stack.ss_size = sizeof(stacks[t]);
	contexts[t].uc_link = &scheduler;
	makecontext(&contexts[t], run, 0);
}

/* The ring begins a cell before its end, so that records wrap. */
static void
execute(void)
{
	memset(clocks, 0, sizeof(clocks));
	memset(written, 0, sizeof(written));
	memset(read_, 0, sizeof(read_));
	memset(seen, 0, sizeof(seen));
	memset(stored, 0, sizeof(stored));
	clocks[PRODUCER].at[PRODUCER] = clocks[CONSUMER].at[CONSUMER] = 1;
	for (int p = 0; p < PLACES; p++)
		messages[p][0] = (struct message){.value = WIRE_RING - CELL};
	put = taken = depth = 0;
	begin(PRODUCER, produce);
	begin(CONSUMER, consume);
	while (!over[PRODUCER] || !over[CONSUMER]) {
		if (over[PRODUCER] || over[CONSUMER])
			current = over[PRODUCER] ? CONSUMER : PRODUCER;
		else
			current = (enum thread)choose(THREADS);
		swapcontext(&scheduler, &contexts[current]);
	}
}

/* Goes to the next leaf of the tree of choices. */
static bool
advance(void)
{
	while (depth > 0 && choice[depth - 1] + 1 == choices[depth - 1])
		depth--;
	if (depth == 0)
		return false;
	choice[depth - 1]++;
	memset(choice + depth, 0, (STEPS - depth) * sizeof(*choice));
	return true;
}

/* How many executions there are. */
static unsigned long
explore(int which)
{
	unsigned long n = 0;

	weak = which;
	race = broken = false;
	memset(choice, 0, sizeof(choice));
	do {
		execute();
		n++;
		broken |= taken > put;
	} while (!race && !broken && advance());
	return n;
}

int
main(void)
{
	unsigned long n;

	area = mmap(NULL, sizeof(*area), PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (area == MAP_FAILED)
		err(1, NULL);
	start_of_ring = area->ring;
	n = explore(NOTHING_WEAK);
	if (race || broken)
		errx(1, "execution %lu: %s", n, race ? "race" : "wrong record");
	printf("%lu executions\n", n);
	if (n < 10000)
		errx(1, "that cannot be all");
	for (int which = 0; which < PLACES * 2; which++) {
		explore(which);
		if (!race && !broken)
			errx(1, "without the %s of %s nothing is wrong",
			    which % 2 ? "release" : "acquire",
			    which / 2 == HEAD ? "head" : "tail");
	}
	return 0;
}
