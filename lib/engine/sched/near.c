/* SPDX-License-Identifier: ISC */
/* near.c: see near.h. */
#include "engine/sched/near.h"

#include <sys/resource.h>

#include "engine/os/clock.h"
#include "engine/sched/caller.h"
#include "engine/sched/urgent.h"

#define STAY 64			       /* rounds */
#define STAY_INTERVAL (50 * NS_PER_US) /* rounds at less have no sleep */
#define WAIT_INTERVAL (500 * NS_PER_US) /* else the program would wait, too */
#define PAUSE 3			       /* times as long as the stay, ... */
#define PAUSE_MIN (100 * NS_PER_MS)
#define PAUSE_MIN_SHORT (2 * NS_PER_MS) /* after a stay of one round */
#define PAUSE_MAX 64 /* times the shortest, if nothing is learned */
#define DOUBTS 8      /* so many, and the program does something new */

void
near_init(struct near *n, const struct process *p, uint64_t interval)
{
	bool sleeps = interval >= STAY_INTERVAL;

	*n = (struct near){.process = p, .stay = sleeps ? STAY : 1,
	    .waits = interval >= WAIT_INTERVAL,
	    .pause_least = sleeps ? PAUSE_MIN : PAUSE_MIN_SHORT};
	caller_cpus(&n->cpus);
}

/* ---- places ------------------------------------------------------------ */

/* How often something else ran where we did. */
static long
own_switches(void)
{
	struct rusage u;

	getrusage(RUSAGE_THREAD, &u);
	return u.ru_nvcsw + u.ru_nivcsw;
}

static bool
is_there(const struct near *n)
{
	return process_thread_cpu(n->process, n->task) == n->cpu &&
	    sched_getcpu() == n->cpu;
}

bool
near_visit(struct near *n, pid_t task)
{
	int cpu = process_thread_cpu(n->process, task);
	cpu_set_t set;

	n->task = 0;
	n->there = false;
	if (cpu < 0 || cpu >= CPU_SETSIZE)
		return true; /* it has gone */
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) != 0)
		return false;
	n->moved = true;
	n->task = task;
	n->cpu = cpu;
	n->there = is_there(n);
	return true;
}

/* Away from there, where we would stand in its way, if we may. */
void
near_leave(struct near *n)
{
	cpu_set_t others = n->cpus;
	int cpu = sched_getcpu();

	if (n->rounds > 0)
		return;
	if (cpu >= 0 && cpu < CPU_SETSIZE)
		CPU_CLR(cpu, &others);
	sched_setaffinity(0, sizeof(others), &others);
	sched_setaffinity(0, sizeof(n->cpus), &n->cpus);
	n->moved = false;
	n->task = 0;
}

void
near_end(struct near *n)
{
	n->rounds = 0;
	if (n->moved)
		near_leave(n);
}

void
near_make_way(struct near *n, int cpu)
{
	if (CPU_COUNT(&n->cpus) > 1 && cpu == sched_getcpu())
		near_leave(n);
}

bool
near_is_at(const struct near *n, pid_t task)
{
	return task == n->task && n->there;
}

void
near_wait(struct near *n, pid_t task)
{
	bool may = n->waits && urgent_is();

	if (may && !near_is_at(n, task))
		n->waits = near_visit(n, task);
	else if (!may && n->task != 0)
		near_leave(n);
}

void
near_begin(struct near *n)
{
	if (n->task != 0)
		n->switches = own_switches();
}

bool
near_held(struct near *n, pid_t task)
{
	bool was = n->there;

	if (task == 0 || task != n->task)
		return false;
	n->there = is_there(n);
	return was && n->there && own_switches() == n->switches;
}

/* ---- stays ------------------------------------------------------------- */

void
near_want(struct near *n, pid_t task, bool doubt)
{
	n->wanted = task;
	n->doubts += doubt;
	if (n->doubts == DOUBTS) {
		n->settled = false;
		n->next = n->since + n->pause_min;
	}
}

void
near_unwant(struct near *n, pid_t task)
{
	if (n->wanted == task)
		n->wanted = 0;
}

static void
rest(struct near *n)
{
	n->rounds = 0;
	near_leave(n);
	n->since = clock_ns();
	n->next = n->since + n->pause;
}

void
near_break_off(struct near *n)
{
	if (n->rounds > 0)
		rest(n);
}

static void
begin_stay(struct near *n, uint64_t known)
{
	if (!near_visit(n, n->wanted))
		n->stay = 0;
	if (n->task == 0)
		return;
	n->rounds = n->stay;
	n->since = clock_ns();
	n->known = known;
}

static void
end_stay(struct near *n, uint64_t known)
{
	uint64_t least = (clock_ns() - n->since) * PAUSE, twice = n->pause * 2;

	n->doubts = 0;
	n->settled = known == n->known;
	n->pause_min = least > n->pause_least ? least : n->pause_least;
	n->pause = n->settled && twice > n->pause_min ? twice : n->pause_min;
	if (n->pause > n->pause_min * PAUSE_MAX)
		n->pause = n->pause_min * PAUSE_MAX;
	rest(n);
}

void
near_end_round(struct near *n, uint64_t known)
{
	if (n->rounds > 0 && --n->rounds == 0)
		end_stay(n, known);
	else if (n->rounds == 0 && n->wanted != 0 && n->stay > 0 &&
	    clock_ns() >= n->next)
		begin_stay(n, known);
	n->wanted = 0;
}
