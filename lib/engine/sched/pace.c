/* SPDX-License-Identifier: ISC */
/* pace.c: see pace.h. */
#include "engine/sched/pace.h"

#include <sched.h>
#include <stdlib.h>
#include <sys/random.h>

#define LOOK (100 * NS_PER_MS) /* between two looks at the CPU time */
#define LOOK_LEAST (NS_PER_MS / 2) /* at least: a look takes time, too */
#define STEP_AFTER (100 * NS_PER_MS)
#define NEAR 0.8   /* of the CPU time that rounds may take: near enough */
#define AIM 0.9	   /* of that time: the aim of a change */
#define SPEED_UP 0.5 /* the least factor of one change */
#define SLOWEST NS_PER_S /* the most between deadlines */

static uint64_t
random_seed(void)
{
	uint64_t seed;

	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) !=
	    (ssize_t)sizeof(seed))
		seed = clock_ns();
	return seed | 1;
}

static unsigned
count_cpus(void)
{
	cpu_set_t cpus;

	return sched_getaffinity(0, sizeof(cpus), &cpus) == 0 ?
	    (unsigned)CPU_COUNT(&cpus) : 1;
}

struct pace *
pace_new(uint64_t interval_ns, bool jitter)
{
	struct pace *p = calloc(1, sizeof(*p));

	if (p == NULL)
		return NULL;
	p->holders = 1;
	p->asked = interval_ns;
	p->slow = 1;
	p->cpus = count_cpus();
	pacer_start(&p->pacer, interval_ns, jitter, random_seed(), 0);
	return p;
}

struct pace *
pace_hold(struct pace *p)
{
	p->holders++;
	return p;
}

void
pace_drop(struct pace *p)
{
	if (p != NULL && --p->holders == 0)
		free(p);
}

/* ---- deadlines --------------------------------------------------------- */

/* Goes to the next deadline after `now`.  The pacer may choose another distance
 * for it. */
static void
advance(struct pace *p, uint64_t now)
{
	uint64_t before = p->pacer.next, n = pacer_advance(&p->pacer, now) + 1;

	p->stepped = now;
	if (p->slow > 1) {
		uint64_t all = p->owed + (p->pacer.next - before);
		p->owed = all % p->asked;
		all /= p->asked;
		p->spared += all > n ? all - n : 0;
		n = all;
	}
	p->number += n;
}

/* The recorder of the mark has seen all deadlines up to now. */
static void
mark(const struct pace *p, struct pace_mark *m)
{
	m->number = p->number;
	m->spared = p->spared;
	m->turn = p->turn;
}

/* Leaves out deadlines that came while no recorder took rounds, but not one
 * that has just come. */
static void
catch_up(struct pace *p, uint64_t now)
{
	if (p->pacer.next + p->pacer.interval <= now)
		advance(p, now);
}

void
pace_enter(struct pace *p, struct pace_mark *m, uint64_t now)
{
	bool alone = p->members++ == 0;

	if (alone)
		pacer_start(&p->pacer, p->pacer.interval, p->pacer.jitter,
		    random_seed(), now);
	if (alone) {
		p->since = now;
		p->cpu = clock_cpu_ns();
		realtime_begin(&p->realtime, now);
	}
	catch_up(p, now);
	mark(p, m);
	m->missed = m->left = 0;
	m->member = true;
}

void
pace_leave(struct pace *p, struct pace_mark *m)
{
	if (m->member && --p->members == 0)
		realtime_end(&p->realtime);
	m->member = false;
}

/* Leaves out deadlines that came while rounds were taken: they are not made
 * up. */
static void
leave_deadlines_out(struct pace *p)
{
	if (p->done >= p->pacer.next)
		advance(p, p->done);
}

uint64_t
pace_due(struct pace *p, const struct pace_mark *m)
{
	leave_deadlines_out(p);
	return m->turn != p->turn ? p->at : p->pacer.next;
}

bool
pace_take(struct pace *p, struct pace_mark *m, uint64_t now, uint64_t early)
{
	leave_deadlines_out(p);
	if (p->pacer.next <= now + early) {
		advance(p, now);
		p->turn++;
		p->at = now;
	}
	if (m->turn == p->turn)
		return false;
	m->missed = p->number - m->number;
	m->missed -= m->missed > 0;
	m->left = p->spared - m->spared;
	m->left = m->left < m->missed ? m->left : m->missed;
	mark(p, m);
	return true;
}

static void
step(struct pace *p, uint64_t now)
{
	pacer_step(&p->pacer);
	p->stepped = now;
}

void
pace_step(struct pace *p, uint64_t now)
{
	if (now >= p->stepped + STEP_AFTER)
		step(p, now);
}

uint64_t
pace_distance(const struct pace *p)
{
	return p->pacer.step != 0 ? p->pacer.step : p->pacer.interval;
}

/* A recorder that is alone goes on after `last`; a recorder of a family goes on
 * with the deadlines that the family shares. */
void
pace_resume(struct pace *p, struct pace_mark *m, uint64_t last, uint64_t now)
{
	uint64_t number = p->number;

	if (p->holders == 1) {
		pacer_resume(&p->pacer, last);
		advance(p, now);
		m->missed = p->number - number;
		m->missed -= m->missed > 0;
	} else {
		m->missed = now > last ? (now - last) / p->asked : 0;
		catch_up(p, now);
	}
	m->left = pace_is_slow(p) ? m->missed : 0;
	mark(p, m);
}

bool
pace_is_slow(const struct pace *p)
{
	return p->slow > 1;
}

/* ---- the cost of rounds ------------------------------------------------ */

/* Sets the distance by the load, the part of the permitted CPU time that was
 * used: longer if it is above 1, shorter if it is below NEAR. */
static void
change(struct pace *p, double load, uint64_t now)
{
	double most = (double)SLOWEST / (double)p->asked;

	if (load > 1)
		p->slow *= load / AIM;
	else if (load < NEAR && p->slow > 1)
		p->slow *= load / AIM > SPEED_UP ? load / AIM : SPEED_UP;
	if (p->slow > most)
		p->slow = most;
	if (p->slow < 1)
		p->slow = 1;
	p->pacer.interval = (uint64_t)((double)p->asked * p->slow);
	step(p, now);
}

/* A thread that has used up its part before LOOK is over is not real-time until
 * then. */
bool
pace_look(struct pace *p, uint64_t now, uint64_t cpu)
{
	uint64_t allowed = LOOK * p->cpus * PACE_PART / 100;
	uint64_t used = cpu - p->cpu, since = now - p->since;

	if (since < LOOK && used < allowed)
		return now >= p->ordinary;
	if (since < LOOK)
		p->ordinary = p->since + LOOK;
	change(p, (double)used * LOOK / ((double)(since + 1) * (double)allowed),
	    now);
	p->since = now;
	p->cpu = cpu;
	return now >= p->ordinary;
}

void
pace_done(struct pace *p, uint64_t now)
{
	p->done = now;
	if (now < p->looked + LOOK_LEAST)
		return;
	p->looked = now;
	if (p->holders == 1 && !pace_is_slow(p))
		realtime_look(&p->realtime, now);
	else
		realtime_set(&p->realtime, pace_look(p, now, clock_cpu_ns()));
}
