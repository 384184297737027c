/* SPDX-License-Identifier: ISC */
/*
 * test_interrupt: what is copied of a thread that runs is of one moment, however
 * fast it changes; and memory that makes no sense is none.
 */
#undef NDEBUG
#include <assert.h>
#include <string.h>
#include <unistd.h>

#include "counter.h"

#define READS 2000
#define ITEMS 4

static enum interrupt_result
read_once(struct interrupts *in, const struct process *p, struct snapshot *s,
    int *cpu, const struct interrupt_way *way)
{
	counter_ask(s);
	return interrupts_read(in, p, p->pid, cpu, s, way);
}

/* Something else may run there just now. */
static enum interrupt_result
read_running(struct interrupts *in, const struct process *p,
    struct snapshot *s, int *cpu, const struct interrupt_way *way)
{
	enum interrupt_result result;

	while ((result = read_once(in, p, s, cpu, way)) == INTERRUPT_ELSEWHERE)
		usleep(1000);
	return result;
}

static void
test_moments(struct interrupts *in)
{
	struct snapshot s = {0};
	struct process p;
	int cpu = -1;

	counter_start(&p, counter_run);
	for (int i = 0; i < READS; i++) {
		assert(read_running(in, &p, &s, &cpu, &counter_way) ==
		    INTERRUPT_OK);
		counter_check(&s);
	}
	counter_stop(&p);
	snapshot_free(&s);
}

/* One that rests is on no CPU, nor is one that is no more. */
static void
test_elsewhere(struct interrupts *in)
{
	struct snapshot s = {0};
	struct process p;
	int cpu = -1;

	counter_start(&p, counter_rest);
	usleep(10000);
	assert(read_once(in, &p, &s, &cpu, &counter_way) ==
	    INTERRUPT_ELSEWHERE);
	counter_stop(&p);
	assert(read_once(in, &p, &s, &cpu, &counter_way) ==
	    INTERRUPT_ELSEWHERE);
	snapshot_free(&s);
}

/* Chains that lead nowhere: each is refused, and does no harm. */
static void
test_nonsense(struct interrupts *in)
{
	struct counter_frame *nowhere[] = {(void *)8, (void *)-1,
	    (void *)(1ull << 47), (void *)0xffffffff81000000,
	    &counter->frames[0],
	    (struct counter_frame *)((char *)&counter->frames[1] + 4090)};
	struct snapshot s = {0};
	struct process p;
	int cpu = -1;

	for (size_t i = 0; i < sizeof(nowhere) / sizeof(*nowhere); i++) {
		counter_link_frames();
		counter->frames[COUNTER_FRAMES - 1].previous = nowhere[i];
		memset(counter->frames[1].rest, 0xff,
		    sizeof(counter->frames[1].rest));
		counter_start(&p, counter_run);
		assert(read_running(in, &p, &s, &cpu, &counter_way) ==
		    INTERRUPT_FAILED);
		counter_stop(&p);
	}
	snapshot_free(&s);
}

/* What a thread handles: a word leads to it, each to the next one. */
struct item {
	uint64_t value;
	struct item *previous;
};

static struct item *
item_at(size_t i)
{
	return (struct item *)counter->frames[i].rest;
}

/* The last one is not copied; one that is not there has nothing be copied. */
static void
test_exceptions(struct interrupts *in)
{
	struct interrupt_way way = counter_way;
	struct snapshot s = {0};
	struct process p;
	int cpu = -1;

	counter_link_frames();
	way.item = 3 * sizeof(uint64_t); /* the sign */
	way.item_size = sizeof(struct item);
	way.item_previous = offsetof(struct item, previous);
	way.item_last = (uint64_t)(uintptr_t)item_at(ITEMS);
	counter->sign = (uint64_t)(uintptr_t)item_at(0);
	for (size_t i = 0; i < ITEMS; i++)
		*item_at(i) = (struct item){i, item_at(i + 1)};
	counter_start(&p, counter_run);
	assert(read_running(in, &p, &s, &cpu, &way) == INTERRUPT_OK);
	assert(s.count == 2 + COUNTER_FRAMES + ITEMS);
	for (size_t i = 0; i < ITEMS; i++)
		assert(s.remote[2 + COUNTER_FRAMES + i].iov_base == item_at(i));
	item_at(ITEMS - 1)->previous = NULL;
	assert(read_running(in, &p, &s, &cpu, &way) == INTERRUPT_OK);
	item_at(ITEMS - 1)->previous = (struct item *)8;
	assert(read_running(in, &p, &s, &cpu, &way) == INTERRUPT_FAILED);
	counter_stop(&p);
	counter->sign = 0;
	snapshot_free(&s);
}

int
main(void)
{
	struct interrupts *in = interrupts_new();

	if (!counter_prepare(in))
		return 77;
	test_moments(in);
	test_elsewhere(in);
	test_nonsense(in);
	test_exceptions(in);
	interrupts_drop(in);
	return 0;
}
