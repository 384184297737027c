/* SPDX-License-Identifier: ISC */
/*
 * test_interrupt: what is copied of a thread that runs is of one moment, however
 * fast it changes; and memory that makes no sense is none.
 */
#undef NDEBUG
#include <assert.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "counter.h"
#include "engine/os/os.h"

#define READS 2000
#define ITEMS 4

static enum interrupt_result
read_once(struct interrupts *in, const struct process *p, struct snapshot *s,
    int *cpu, const struct interrupt_way *way)
{
	enum interrupt_result result;
	uint64_t rest;

	counter_ask(s);
	result = interrupts_read(in, p->pid, *cpu, s, way, &rest);
	if (result == INTERRUPT_ELSEWHERE)
		*cpu = process_thread_cpu(p, p->pid);
	return result;
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
	int cpu;

	counter_start(&p, counter_rest);
	usleep(10000);
	cpu = process_thread_cpu(&p, p.pid);
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
		assert(s.ranges[2 + COUNTER_FRAMES + i].addr ==
		    (uintptr_t)item_at(i));
	item_at(ITEMS - 1)->previous = NULL;
	assert(read_running(in, &p, &s, &cpu, &way) == INTERRUPT_OK);
	item_at(ITEMS - 1)->previous = (struct item *)8;
	assert(read_running(in, &p, &s, &cpu, &way) == INTERRUPT_FAILED);
	counter_stop(&p);
	counter->sign = 0;
	snapshot_free(&s);
}

/* What frames run: a code object has a text. */
struct code {
	uint64_t number;
	char *text;
};

#define TEXT 64 /* is copied of it ... */
#define LEFT 16 /* ... or this, where nothing is mapped after it */

static struct code *
code_of(size_t frame)
{
	return *(struct code **)counter->frames[frame].rest;
}

static void
set_code(size_t frame, struct code *code)
{
	*(struct code **)counter->frames[frame].rest = code;
}

/* Whether a part is all that was to be copied of something. */
static bool
is_part(const struct snapshot *s, size_t part, const void *addr, size_t size)
{
	return s->ranges[2 + part].addr == (uintptr_t)addr &&
	    s->ranges[2 + part].size == size;
}

/* Two code objects, and a page that is the last one. */
static struct code *
make_codes(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct code *codes = (struct code *)p;

	assert(p != MAP_FAILED && munmap(p + page, page) == 0);
	codes[0] = (struct code){0, p + page / 2};
	codes[1] = (struct code){1, p + page - LEFT};
	return codes;
}

/* It has these in its memory only if it uses them. */
static void
run_codes(void)
{
	for (size_t i = 0; i < COUNTER_FRAMES; i++)
		*(volatile char *)code_of(i)->text = 't';
	counter_run();
}

/* A code object is copied once for frames that follow each other; one that is
 * not there is lacking, and all else is copied. */
static void
test_codes(struct interrupts *in)
{
	struct interrupt_way way = counter_way;
	struct code *codes = make_codes();
	size_t half = COUNTER_FRAMES / 2;
	struct snapshot s = {0};
	struct process p;
	int cpu = -1;

	counter_link_frames();
	for (size_t i = 0; i < COUNTER_FRAMES; i++)
		set_code(i, &codes[i >= half]);
	way.frame_size = 3 * sizeof(uint64_t);
	way.frame_code = offsetof(struct counter_frame, rest);
	way.code_size = sizeof(struct code);
	way.text[1] = offsetof(struct code, text);
	way.text_size = TEXT;
	counter_start(&p, run_codes);
	assert(read_running(in, &p, &s, &cpu, &way) == INTERRUPT_OK);
	assert(s.count == 2 + COUNTER_FRAMES + 4);
	assert(is_part(&s, 1, code_of(0), sizeof(struct code)) &&
	    is_part(&s, 2, codes[0].text, TEXT) &&
	    is_part(&s, half + 3, code_of(half), sizeof(struct code)) &&
	    is_part(&s, half + 4, codes[1].text, LEFT));
	set_code(1, (struct code *)8);
	assert(read_running(in, &p, &s, &cpu, &way) == INTERRUPT_OK);
	assert(s.count == 2 + COUNTER_FRAMES + 6);
	counter_stop(&p);
	munmap(codes, (size_t)sysconf(_SC_PAGESIZE));
	snapshot_free(&s);
}

int
main(void)
{
	struct interrupts *in = interrupts_new(NS_PER_S, 0);

	if (!counter_prepare(in))
		return 77;
	test_moments(in);
	test_elsewhere(in);
	test_nonsense(in);
	test_exceptions(in);
	test_codes(in);
	interrupts_drop(in);
	return 0;
}
