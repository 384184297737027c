/* SPDX-License-Identifier: ISC */
/* test_pacer: when rounds are due, by a clock that is made up here. */
#include "engine/os/os.h"
#include "engine/sched/pacer.h"
#include "profile.h"

#define INTERVAL (100 * NS_PER_US)
#define DEADLINES 100000
#define PHASES 10
#define SEED 88172645463325252

/* Deadlines that are all met. */
static void
test_wander(void)
{
	unsigned phases[PHASES] = {0};
	uint64_t most = INTERVAL * PACER_WANDER / 100, last = NS_PER_S;
	struct pacer p;

	pacer_start(&p, INTERVAL, false, SEED, last);
	check_number(p.next, NS_PER_S); /* the first is due at once */
	for (int i = 0; i < DEADLINES; i++) {
		check_number(pacer_advance(&p, last), 0);
		check(p.next - last >= INTERVAL - most);
		check(p.next - last <= INTERVAL + most);
		last = p.next;
		phases[last % INTERVAL * PHASES / INTERVAL]++;
	}
	/* The rate is what was asked for, ... */
	last -= NS_PER_S;
	check(last > DEADLINES * INTERVAL / 1000 * 999);
	check(last < DEADLINES * INTERVAL / 1000 * 1001);
	/* ... and no moment of a timer's is preferred. */
	for (int i = 0; i < PHASES; i++) {
		check(phases[i] > DEADLINES / PHASES * 8 / 10);
		check(phases[i] < DEADLINES / PHASES * 12 / 10);
	}
}

static void
test_jitter(void)
{
	uint64_t last = NS_PER_S;
	unsigned shorter = 0;
	struct pacer p;

	pacer_start(&p, INTERVAL, true, SEED, last);
	for (int i = 0; i < DEADLINES; i++) {
		check_number(pacer_advance(&p, last - 1), 0);
		shorter += p.next - last < INTERVAL;
		last = p.next;
	}
	last -= NS_PER_S;
	check(last > DEADLINES * INTERVAL / 100 * 98);
	check(last < DEADLINES * INTERVAL / 100 * 102);
	check(shorter > DEADLINES / 100 * 62 && shorter < DEADLINES / 100 * 65);
}

/* What has passed is counted, and not made up. */
static void
test_missed(void)
{
	for (int jitter = 0; jitter < 2; jitter++) {
		struct pacer p;
		uint64_t now = NS_PER_S, missed;
		pacer_start(&p, INTERVAL, jitter, SEED, now);
		now += 10 * INTERVAL;
		missed = pacer_advance(&p, now);
		check(missed >= (jitter ? 1 : 9) && missed <= 10);
		check(p.next > now);
		check(jitter || p.next <= now + INTERVAL);
	}
}

/* Deadlines that somebody else has kept, up to one: the next one lies a step
 * after that, and steps are others each time. */
static void
test_resume(void)
{
	uint64_t most = INTERVAL * PACER_WANDER / 100, before = 0;
	struct pacer p;

	pacer_start(&p, INTERVAL, false, SEED, NS_PER_S);
	for (int i = 0; i < PHASES; i++) {
		pacer_step(&p);
		check(p.step != before);
		check(p.step >= INTERVAL - most && p.step <= INTERVAL + most);
		before = p.step;
		pacer_resume(&p, 2 * NS_PER_S);
		check_number(pacer_advance(&p, 2 * NS_PER_S), 0);
		check_number(p.next, 2 * NS_PER_S + p.step);
		pacer_resume(&p, 2 * NS_PER_S);
		check(pacer_advance(&p, 2 * NS_PER_S + 10 * INTERVAL) >= 9);
	}
}

int
main(void)
{
	test_wander();
	test_jitter();
	test_missed();
	test_resume();
	return failures != 0;
}
