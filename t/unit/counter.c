/* SPDX-License-Identifier: ISC */
/* counter.c: see counter.h. */
#undef NDEBUG
#include "counter.h"

#include <assert.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct counter_memory *counter;

const struct interrupt_way counter_way = {.current = sizeof(uint64_t),
	.frame_size = 2 * sizeof(uint64_t),
	.frame_previous = offsetof(struct counter_frame, previous), .block = 1};

void
counter_link_frames(void)
{
	counter->current = &counter->frames[0];
	for (size_t i = 0; i < COUNTER_FRAMES; i++)
		counter->frames[i].previous = i + 1 < COUNTER_FRAMES ?
		    &counter->frames[i + 1] : NULL;
}

void
counter_run(void)
{
	for (uint64_t n = 1;; n++) {
		counter->count = n;
		for (size_t i = 0; i < COUNTER_FRAMES; i++)
			*(volatile uint64_t *)&counter->frames[i].count = n;
		counter->last = n;
		counter->ready = 1;
	}
}

void
counter_rest(void)
{
	counter->ready = 1;
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

bool
counter_prepare(struct interrupts *in)
{
	if (in == NULL || !stay_on(1) || !stay_on(0)) {
		puts("needs to be root, or CAP_BPF and CAP_PERFMON, Linux "
		    "5.17, a build with libbpf, and two CPUs");
		return false;
	}
	counter = mmap(NULL, sizeof(*counter), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert(counter != MAP_FAILED);
	counter_link_frames();
	return true;
}

void
counter_start(struct process *p, void (*what)(void))
{
	pid_t pid;

	counter->ready = 0;
	pid = fork();
	assert(pid >= 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		assert(stay_on(1));
		what();
	}
	while (!counter->ready)
		usleep(1000);
	assert(process_open(p, pid));
}

void
counter_stop(struct process *p)
{
	kill(p->pid, SIGKILL);
	waitpid(p->pid, NULL, 0);
	process_close(p);
}

void
counter_ask(struct snapshot *s)
{
	snapshot_clear(s);
	assert(snapshot_add(s, (uint64_t)(uintptr_t)&counter->count,
		   2 * sizeof(uint64_t)) &&
	    snapshot_add(s, (uint64_t)(uintptr_t)&counter->last,
		2 * sizeof(uint64_t)));
}

static uint64_t
count_at(const struct snapshot *s, size_t at)
{
	uint64_t n;

	memcpy(&n, s->bytes + at, sizeof(n));
	return n;
}

/* None is larger than the one before, and the first one by one than the last,
 * at most. */
void
counter_check(const struct snapshot *s)
{
	size_t at = 4 * sizeof(uint64_t);
	uint64_t first = count_at(s, 0), before = first, last;

	assert(s->count == 2 + COUNTER_FRAMES);
	last = count_at(s, 2 * sizeof(uint64_t));
	assert(first == last || first == last + 1);
	for (size_t i = 0; i < COUNTER_FRAMES; i++) {
		uint64_t n = count_at(s, at);
		assert(s->ranges[2 + i].addr == (uintptr_t)&counter->frames[i]);
		assert(n <= before && n >= last);
		before = n;
		at += counter_way.frame_size;
	}
}
