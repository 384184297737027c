/* SPDX-License-Identifier: ISC */
/* realtime.c: see realtime.h. */
#include "engine/sched/realtime.h"

#include <sched.h>
#include <sys/prctl.h>

#include "engine/os/os.h"
#include "engine/sched/caller.h"

#define SLICE (100 * NS_PER_US) /* the shortest that is granted */
#define PRIORITY 1		/* the lowest of a real-time class */
#define LOOK (100 * NS_PER_MS)	/* between two looks at the CPU time */
#define PAUSE NS_PER_S		/* after too much CPU time */
#define PART 90			/* per cent of one CPU of several, ... */
#define PART_OF_ONE 50		/* ... or of the only CPU */

/* Sets no slice first: the kernel then uses its default, which must not become a
 * chosen slice.  If this is not the earlier slice, the earlier one was chosen, and
 * is set. */
void
realtime_set_back(const struct schedule *a)
{
	struct schedule to = *a, now;

	if (a->policy == SCHED_OTHER || a->policy == SCHED_BATCH)
		to.runtime = 0;
	if (schedule_set(to) && schedule_get(&now) && now.runtime != a->runtime)
		schedule_set(*a);
}

/* Threads that this one starts should not inherit its scheduling, and must not
 * if it is real-time.  If the flag could not be cleared again, that of an
 * ordinary thread stays as it is. */
static uint64_t
flags_of(bool real_time)
{
	struct schedule a;

	if (real_time || schedule_is_free())
		return SCHEDULE_RESET_ON_FORK;
	return schedule_get(&a) ? a.flags & SCHEDULE_RESET_ON_FORK : 0;
}

/* Sets the least timer slack.  The kernel resets it when a thread ceases to be
 * real-time. */
static void
sharpen_timers(void)
{
	prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
}

static bool
set_class(bool real_time)
{
	bool ok = schedule_set((struct schedule){.flags = flags_of(real_time),
	    .policy = real_time ? SCHED_FIFO : SCHED_OTHER,
	    .priority = real_time ? PRIORITY : 0,
	    .runtime = real_time ? 0 : SLICE});

	sharpen_timers();
	return ok;
}

/* Whether the thread has the default class and niceness. */
static bool
is_ordinary(void)
{
	struct schedule a;

	return schedule_get(&a) && a.policy == SCHED_OTHER && a.nice == 0;
}

void
realtime_prepare(void)
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
realtime_begin(struct realtime *r, uint64_t now)
{
	*r = (struct realtime){.may = is_ordinary() && set_class(true),
	    .part = part_of_cpu(), .since = now, .cpu = clock_cpu_ns(),
	    .next = now + LOOK};
	r->is = r->may;
}

void
realtime_set(struct realtime *r, bool real_time)
{
	if (r->may && r->is != real_time)
		set_class(real_time);
	r->is = real_time;
}

void
realtime_look(struct realtime *r, uint64_t now)
{
	uint64_t cpu;
	bool greedy;

	if (!r->may || now < r->next)
		return;
	cpu = clock_cpu_ns();
	greedy = (cpu - r->cpu) * 100 > (now - r->since) * r->part;
	realtime_set(r, !greedy);
	r->since = now;
	r->cpu = cpu;
	r->next = now + (greedy ? PAUSE : LOOK);
}

bool
realtime_is(void)
{
	int policy = sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;

	return policy == SCHED_FIFO || policy == SCHED_RR;
}

void
realtime_end(struct realtime *r)
{
	if (r->may)
		set_class(false);
	r->may = false;
}
