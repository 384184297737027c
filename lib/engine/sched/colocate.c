/* SPDX-License-Identifier: ISC */
/* colocate.c: see colocate.h. */
#include "engine/sched/colocate.h"

#include <sys/resource.h>

#include "engine/os/os.h"
#include "engine/sched/caller.h"
#include "engine/sched/realtime.h"

#define STAY 64			       /* rounds */
#define STAY_INTERVAL (50 * NS_PER_US) /* at less, rounds have no sleep */
#define WAIT_INTERVAL (500 * NS_PER_US) /* at less, the program would wait, too */
#define PAUSE 3			       /* times as long as the stay, ... */
#define PAUSE_MIN (100 * NS_PER_MS)
#define PAUSE_MIN_SHORT (2 * NS_PER_MS) /* after a stay of one round */
#define PAUSE_MAX 64 /* times the shortest, if nothing is learned */
#define DOUBTS 8      /* so many say that the program does something new */

void
colocate_init(struct colocation *c, const struct process *p, uint64_t interval)
{
	bool sleeps = interval >= STAY_INTERVAL;

	*c = (struct colocation){.process = p, .stay = sleeps ? STAY : 1,
	    .waits = interval >= WAIT_INTERVAL,
	    .pause_least = sleeps ? PAUSE_MIN : PAUSE_MIN_SHORT};
	caller_cpus(&c->cpus);
}

/* ---- places ------------------------------------------------------------ */

/* How often another thread may have run on the recorder's CPU. */
static long
own_switches(void)
{
	struct rusage u;

	getrusage(RUSAGE_THREAD, &u);
	return u.ru_nvcsw + u.ru_nivcsw;
}

static bool
is_colocated(const struct colocation *c)
{
	return process_thread_cpu(c->process, c->task) == c->cpu &&
	    sched_getcpu() == c->cpu;
}

bool
colocate_visit(struct colocation *c, pid_t task)
{
	int cpu = process_thread_cpu(c->process, task);
	cpu_set_t set;

	c->task = 0;
	c->there = false;
	if (cpu < 0 || cpu >= CPU_SETSIZE)
		return true; /* it has ended */
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) != 0)
		return false;
	c->moved = true;
	c->task = task;
	c->cpu = cpu;
	c->there = is_colocated(c);
	return true;
}

/* Moves to another CPU first, if there is one: here the recorder could keep the
 * thread from running. */
void
colocate_leave(struct colocation *c)
{
	cpu_set_t others = c->cpus;
	int cpu = sched_getcpu();

	if (c->rounds > 0)
		return;
	if (cpu >= 0 && cpu < CPU_SETSIZE)
		CPU_CLR(cpu, &others);
	sched_setaffinity(0, sizeof(others), &others);
	sched_setaffinity(0, sizeof(c->cpus), &c->cpus);
	c->moved = false;
	c->task = 0;
}

void
colocate_end(struct colocation *c)
{
	c->rounds = 0;
	if (c->moved)
		colocate_leave(c);
}

void
colocate_make_way(struct colocation *c, int cpu)
{
	if (CPU_COUNT(&c->cpus) > 1 && cpu == sched_getcpu())
		colocate_leave(c);
}

bool
colocate_is_at(const struct colocation *c, pid_t task)
{
	return task == c->task && c->there;
}

void
colocate_wait(struct colocation *c, pid_t task)
{
	bool may = c->waits && realtime_is();

	if (may && !colocate_is_at(c, task))
		c->waits = colocate_visit(c, task);
	else if (!may && c->task != 0)
		colocate_leave(c);
}

void
colocate_begin(struct colocation *c)
{
	if (c->task != 0)
		c->switches = own_switches();
}

bool
colocate_held(struct colocation *c, pid_t task)
{
	bool was = c->there;

	if (task == 0 || task != c->task)
		return false;
	c->there = is_colocated(c);
	return was && c->there && own_switches() == c->switches;
}

/* ---- stays ------------------------------------------------------------- */

void
colocate_want(struct colocation *c, pid_t task, bool doubt)
{
	c->wanted = task;
	c->doubts += doubt;
	if (c->doubts == DOUBTS) {
		c->settled = false;
		c->next = c->since + c->pause_min;
	}
}

void
colocate_unwant(struct colocation *c, pid_t task)
{
	if (c->wanted == task)
		c->wanted = 0;
}

static void
rest(struct colocation *c)
{
	c->rounds = 0;
	colocate_leave(c);
	c->since = clock_ns();
	c->next = c->since + c->pause;
}

void
colocate_break_off(struct colocation *c)
{
	if (c->rounds > 0)
		rest(c);
}

static void
begin_stay(struct colocation *c, uint64_t known)
{
	if (!colocate_visit(c, c->wanted))
		c->stay = 0;
	if (c->task == 0)
		return;
	c->rounds = c->stay;
	c->since = clock_ns();
	c->known = known;
}

static void
end_stay(struct colocation *c, uint64_t known)
{
	uint64_t least = (clock_ns() - c->since) * PAUSE, twice = c->pause * 2;

	c->doubts = 0;
	c->settled = known == c->known;
	c->pause_min = least > c->pause_least ? least : c->pause_least;
	c->pause = c->settled && twice > c->pause_min ? twice : c->pause_min;
	if (c->pause > c->pause_min * PAUSE_MAX)
		c->pause = c->pause_min * PAUSE_MAX;
	rest(c);
}

void
colocate_end_round(struct colocation *c, uint64_t known)
{
	if (c->rounds > 0 && --c->rounds == 0)
		end_stay(c, known);
	else if (c->rounds == 0 && c->wanted != 0 && c->stay > 0 &&
	    clock_ns() >= c->next)
		begin_stay(c, known);
	c->wanted = 0;
}
