/* SPDX-License-Identifier: ISC */
/* urgent.c: see urgent.h. */
#include "engine/sched/urgent.h"

#include <linux/capability.h>
#include <linux/sched.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/os/clock.h"
#include "engine/sched/caller.h"

#define SLICE (100 * NS_PER_US) /* the shortest that is granted */
#define PRIORITY 1		/* the least of a real-time class */
#define LOOK (100 * NS_PER_MS)	/* at what we take of a CPU */
#define PAUSE NS_PER_S		/* after we took too much */
#define PART 90			/* per cent of one of some CPUs, ... */
#define PART_OF_ONE 50		/* or of the only one */

static bool
set(struct sched_attributes a)
{
	a.size = sizeof(a);
	return syscall(SYS_sched_setattr, 0, &a, 0) == 0;
}

bool
urgent_get(struct sched_attributes *a)
{
	*a = (struct sched_attributes){0};
	return syscall(SYS_sched_getattr, 0, a, sizeof(*a), 0) == 0;
}

/* A slice that is nobody's choice is to stay so, which it is if it is set to
 * none. */
void
urgent_set_back(const struct sched_attributes *a)
{
	struct sched_attributes to = *a, now;

	if (a->policy == SCHED_OTHER || a->policy == SCHED_BATCH)
		to.runtime = 0;
	if (set(to) && urgent_get(&now) && now.runtime != a->runtime)
		set(*a);
}

/* Whether this thread may take the flag away again that it sets below. */
static bool
may_take_back(void)
{
	struct __user_cap_header_struct h = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct d[_LINUX_CAPABILITY_U32S_3] = {0};

	return syscall(SYS_capget, &h, d) == 0 &&
	    (d[0].effective & (1U << CAP_SYS_NICE)) != 0;
}

/* Threads that this one begins are to have no hurry; if it is real-time they must
 * not.  What of that cannot be taken back is left. */
static uint64_t
flags_of(bool real_time)
{
	struct sched_attributes a;

	if (real_time || may_take_back())
		return SCHED_FLAG_RESET_ON_FORK;
	return urgent_get(&a) ? a.flags & SCHED_FLAG_RESET_ON_FORK : 0;
}

/* A thread that ceases to be real-time loses its timer slack. */
static void
sharpen_timers(void)
{
	prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
}

static bool
set_class(bool real_time)
{
	bool ok = set((struct sched_attributes){.flags = flags_of(real_time),
	    .policy = real_time ? SCHED_FIFO : SCHED_OTHER,
	    .priority = real_time ? PRIORITY : 0,
	    .runtime = real_time ? 0 : SLICE});

	sharpen_timers();
	return ok;
}

/* Whether nobody has chosen something else for us. */
static bool
is_ordinary(void)
{
	struct sched_attributes a;

	return urgent_get(&a) && a.policy == SCHED_OTHER && a.nice == 0;
}

void
urgent_prepare(void)
{
	if (is_ordinary())
		set_class(false);
	else
		sharpen_timers();
}

static unsigned
part_of_cpu(void)
{
	cpu_set_t cpus;

	caller_cpus(&cpus);
	return CPU_COUNT(&cpus) == 1 ? PART_OF_ONE : PART;
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
