/* SPDX-License-Identifier: ISC */
/*
 * test_interrupt: what is copied of a thread that runs is of one moment, however
 * fast it changes; and memory that makes no sense is none.
 */
#undef NDEBUG
#include <assert.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/interrupt.h"

#define FRAMES 64
#define READS 2000

/* What a thread has: a state, and frames in pages of their own. */
struct frame {
	uint64_t count;
	struct frame *previous;
	char rest[4096 - 2 * sizeof(uint64_t)];
};

struct memory {
	volatile uint64_t count; /* first written to */
	struct frame *current;
	struct frame frames[FRAMES];
	volatile uint64_t last; /* last */
	volatile int ready;
};

/* It is at the same address in both processes. */
static struct memory *m;

static const struct interrupt_way way = {
	.frame_size = 2 * sizeof(uint64_t),
	.frame_previous = offsetof(struct frame, previous), .block = 1};

static void
link_frames(void)
{
	m->current = &m->frames[0];
	for (size_t i = 0; i < FRAMES; i++)
		m->frames[i].previous = i + 1 < FRAMES ? &m->frames[i + 1] :
							 NULL;
}

/* Counts in everything, always in the same order. */
static void
run(void)
{
	for (uint64_t n = 1;; n++) {
		m->count = n;
		for (size_t i = 0; i < FRAMES; i++)
			*(volatile uint64_t *)&m->frames[i].count = n;
		m->last = n;
		m->ready = 1;
	}
}

static void
rest(void)
{
	m->ready = 1;
	for (;;)
		pause();
}

/* Stays on the n-th CPU that we may use.  False: there are not so many. */
static bool
stay_on(int n)
{
	static cpu_set_t all;
	cpu_set_t one;

	if (CPU_COUNT(&all) == 0)
		assert(sched_getaffinity(0, sizeof(all), &all) == 0);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &all) || n-- > 0)
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		return sched_setaffinity(0, sizeof(one), &one) == 0;
	}
	return false;
}

static void
start(struct process *p, void (*what)(void))
{
	pid_t pid;

	m->ready = 0;
	pid = fork();
	assert(pid >= 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		assert(stay_on(1));
		what();
	}
	while (!m->ready)
		usleep(1000);
	assert(process_open(p, pid));
}

static void
stop(struct process *p)
{
	kill(p->pid, SIGKILL);
	waitpid(p->pid, NULL, 0);
	process_close(p);
}

static enum interrupt_result
read_once(struct interrupts *in, const struct process *p, struct snapshot *s,
    int *cpu)
{
	snapshot_clear(s);
	assert(snapshot_add(s, (uint64_t)(uintptr_t)&m->count,
		   2 * sizeof(uint64_t)) &&
	    snapshot_add(s, (uint64_t)(uintptr_t)&m->last, sizeof(uint64_t)));
	return interrupts_read(in, p, p->pid, cpu, s, &way, sizeof(uint64_t));
}

/* Something else may run there just now. */
static enum interrupt_result
read_running(struct interrupts *in, const struct process *p,
    struct snapshot *s, int *cpu)
{
	enum interrupt_result result;

	while ((result = read_once(in, p, s, cpu)) == INTERRUPT_ELSEWHERE)
		usleep(1000);
	return result;
}

static uint64_t
count_at(const struct snapshot *s, size_t at)
{
	uint64_t n;

	memcpy(&n, s->bytes + at, sizeof(n));
	return n;
}

/* Whether all counts are those of one moment: none is larger than the one
 * before, and the first one by one than the last, at most. */
static void
check_moment(const struct snapshot *s)
{
	size_t at = 3 * sizeof(uint64_t);
	uint64_t first = count_at(s, 0), before = first, last;

	assert(s->count == 2 + FRAMES);
	last = count_at(s, 2 * sizeof(uint64_t));
	assert(first == last || first == last + 1);
	for (size_t i = 0; i < FRAMES; i++, at += way.frame_size) {
		uint64_t n = count_at(s, at);
		assert(s->remote[2 + i].iov_base == &m->frames[i]);
		assert(n <= before && n >= last);
		before = n;
	}
}

static void
test_moments(struct interrupts *in)
{
	struct snapshot s = {0};
	struct process p;
	int cpu = -1;

	link_frames();
	start(&p, run);
	for (int i = 0; i < READS; i++) {
		assert(read_running(in, &p, &s, &cpu) == INTERRUPT_OK);
		check_moment(&s);
	}
	stop(&p);
	snapshot_free(&s);
}

/* One that rests is on no CPU, nor is one that is no more. */
static void
test_elsewhere(struct interrupts *in)
{
	struct snapshot s = {0};
	struct process p;
	int cpu = -1;

	start(&p, rest);
	usleep(10000);
	assert(read_once(in, &p, &s, &cpu) == INTERRUPT_ELSEWHERE);
	stop(&p);
	assert(read_once(in, &p, &s, &cpu) == INTERRUPT_ELSEWHERE);
	snapshot_free(&s);
}

/* Chains that lead nowhere: each is refused, and does no harm. */
static void
test_nonsense(struct interrupts *in)
{
	struct frame *nowhere[] = {(void *)8, (void *)-1, (void *)(1ull << 47),
	    (void *)0xffffffff81000000, &m->frames[0],
	    (struct frame *)((char *)&m->frames[1] + 4090)};
	struct snapshot s = {0};
	struct process p;
	int cpu = -1;

	for (size_t i = 0; i < sizeof(nowhere) / sizeof(*nowhere); i++) {
		link_frames();
		m->frames[FRAMES - 1].previous = nowhere[i];
		memset(m->frames[1].rest, 0xff, sizeof(m->frames[1].rest));
		start(&p, run);
		assert(read_running(in, &p, &s, &cpu) == INTERRUPT_FAILED);
		stop(&p);
	}
	snapshot_free(&s);
}

int
main(void)
{
	struct interrupts *in = interrupts_new();

	if (in == NULL || !stay_on(1) || !stay_on(0)) {
		puts("needs to be root, or CAP_BPF and CAP_PERFMON, Linux "
		    "5.17, a build with libbpf, and two CPUs");
		return 77;
	}
	m = mmap(NULL, sizeof(*m), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert(m != MAP_FAILED);
	test_moments(in);
	test_elsewhere(in);
	test_nonsense(in);
	munmap(m, sizeof(*m));
	interrupts_drop(in);
	return 0;
}
