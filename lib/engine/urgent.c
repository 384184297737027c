/* SPDX-License-Identifier: ISC */
/* urgent.c: see urgent.h. */
#include "engine/urgent.h"

#include <linux/sched.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/clock.h"

#define SLICE (100 * NS_PER_US) /* the shortest that is granted */
#define PRIORITY 1		/* the least of a real-time class */
#define LOOK (100 * NS_PER_MS)	/* at what we take of a CPU */
#define PAUSE NS_PER_S		/* after we took too much */
#define PART 90			/* per cent of one of some CPUs, ... */
#define PART_OF_ONE 50		/* or of the only one */

/* As the kernel has it. */
struct sched_attributes {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period; /* ns */
};

/* That of this thread alone: those that it begins have no hurry. */
static bool
set_class(bool real_time)
{
	struct sched_attributes a = {.size = sizeof(a),
	    .flags = SCHED_FLAG_RESET_ON_FORK,
	    .policy = real_time ? SCHED_FIFO : SCHED_OTHER,
	    .priority = real_time ? PRIORITY : 0,
	    .runtime = real_time ? 0 : SLICE};

	return syscall(SYS_sched_setattr, 0, &a, 0) == 0;
}

/* Whether nobody has chosen something else for us. */
static bool
is_ordinary(void)
{
	struct sched_attributes a;

	return syscall(SYS_sched_getattr, 0, &a, sizeof(a), 0) == 0 &&
	    a.policy == SCHED_OTHER && a.nice == 0;
}

void
urgent_prepare(void)
{
	if (is_ordinary())
		set_class(false);
}

static unsigned
part_of_cpu(void)
{
	cpu_set_t cpus;

	return sched_getaffinity(0, sizeof(cpus), &cpus) == 0 &&
		CPU_COUNT(&cpus) == 1 ? PART_OF_ONE : PART;
}

void
urgent_begin(struct urgent *u, uint64_t now)
{
	*u = (struct urgent){.may = is_ordinary() && set_class(true),
	    .part = part_of_cpu(), .since = now, .cpu = clock_cpu_ns(),
	    .next = now + LOOK};
	u->is = u->may;
}

void
urgent_set(struct urgent *u, bool real_time)
{
	if (u->may && u->is != real_time)
		set_class(real_time);
	u->is = real_time;
}

void
urgent_look(struct urgent *u, uint64_t now)
{
	uint64_t cpu;
	bool greedy;

	if (!u->may || now < u->next)
		return;
	cpu = clock_cpu_ns();
	greedy = (cpu - u->cpu) * 100 > (now - u->since) * u->part;
	urgent_set(u, !greedy);
	u->since = now;
	u->cpu = cpu;
	u->next = now + (greedy ? PAUSE : LOOK);
}

bool
urgent_is(void)
{
	int policy = sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;

	return policy == SCHED_FIFO || policy == SCHED_RR;
}

void
urgent_end(struct urgent *u)
{
	if (u->may)
		set_class(false);
	u->may = false;
}
