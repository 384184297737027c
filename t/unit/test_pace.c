/* SPDX-License-Identifier: ISC */
/*
 * test_pace: the recorders of a family share their deadlines and the distance
 * between these; where rounds take more of the CPUs than they may, the deadlines
 * move apart for all of them, what was left out is counted, and they come together
 * again.
 */
#undef NDEBUG
#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "engine/os/os.h"
#include "engine/sched/pace.h"

#define INTERVAL NS_PER_MS
#define START (1000 * NS_PER_S)
#define WINDOW (100 * NS_PER_MS)

/* Two recorders of one pace, on a machine of two CPUs. */
static struct pace *
make_pair(struct pace_mark *a, struct pace_mark *b)
{
	struct pace *p = pace_new(INTERVAL, false);

	assert(p != NULL);
	p->cpus = 2;
	pace_hold(p);
	pace_enter(p, a, START);
	pace_enter(p, b, START);
	p->since = START;
	p->cpu = 0;
	return p;
}

static void
drop_pair(struct pace *p, struct pace_mark *a, struct pace_mark *b)
{
	pace_leave(p, a);
	pace_leave(p, b);
	pace_drop(p);
	pace_drop(p);
}

static void
test_same_deadlines(void)
{
	struct pace_mark a = {0}, b = {0};
	struct pace *p = make_pair(&a, &b);
	uint64_t due;

	for (int i = 0; i < 100; i++) {
		due = pace_due(p, &a);
		assert(due == pace_due(p, &b));
		assert(!pace_take(p, &a, due - 1, 0));
		assert(pace_take(p, &a, due, 0) && a.missed == 0);
		/* The other one's is due until it is taken. */
		assert(pace_due(p, &a) > due && pace_due(p, &b) == due);
		assert(pace_take(p, &b, due + 1, 0) && b.missed == 0);
		assert(!pace_take(p, &b, due + 1, 0));
	}
	drop_pair(p, &a, &b);
}

/* Rounds that take longer than there is between two are not made up; who comes
 * last in the round has missed what came meanwhile, too. */
static void
test_late(void)
{
	struct pace_mark a = {0}, b = {0};
	struct pace *p = make_pair(&a, &b);
	uint64_t due = pace_due(p, &a), now = due + 5 * INTERVAL;

	assert(pace_take(p, &a, due, 0));
	p->done = now;
	assert(pace_take(p, &b, now, 0) && b.missed >= 4 && b.missed <= 6);
	assert(pace_due(p, &a) > now && pace_due(p, &a) <= now + 2 * INTERVAL);
	assert(pace_take(p, &a, pace_due(p, &a), 0));
	assert(a.missed >= 4 && a.missed <= 6 && a.left == 0);
	drop_pair(p, &a, &b);
}

/* Rounds for a second, at their deadlines; how many. */
static unsigned
run(struct pace *p, struct pace_mark *m, uint64_t *now, uint64_t *left)
{
	uint64_t end = *now + NS_PER_S, due;
	unsigned n = 0;

	*left = 0;
	while ((due = pace_due(p, m)) < end) {
		assert(pace_take(p, m, due, 0));
		*left += m->left;
		n++;
	}
	*now = end;
	return n;
}

static void
test_budget(void)
{
	struct pace_mark a = {0}, b = {0};
	struct pace *p = make_pair(&a, &b);
	uint64_t now = START + WINDOW, cpu = 0, left;
	uint64_t may = 2 * WINDOW * PACE_PART / 100;
	unsigned n;

	/* As much as it may. */
	assert(pace_look(p, now, cpu += may - 1) && !pace_is_slow(p));
	/* Four times as much: the others come first until the time is over. */
	assert(!pace_look(p, now + WINDOW / 4, cpu += may));
	assert(pace_is_slow(p));
	assert(pace_look(p, now + WINDOW, cpu));
	now += WINDOW;
	/* Its deadlines have moved apart, and it says so. */
	pace_look(p, now + WINDOW, cpu += 4 * may);
	pace_look(p, now += WINDOW, cpu);
	run(p, &a, &now, &left);
	n = run(p, &a, &now, &left);
	assert(n < 500 && left > 500 && n + left > 980 && n + left < 1020);
	/* It costs nothing any more. */
	for (int i = 0; i < 20; i++)
		assert(pace_look(p, now += WINDOW, cpu));
	assert(!pace_is_slow(p));
	run(p, &a, &now, &left);
	n = run(p, &a, &now, &left);
	assert(n > 960 && n < 1040 && left == 0);
	drop_pair(p, &a, &b);
}

/* However much it costs, there are rounds. */
static void
test_slowest(void)
{
	struct pace_mark a = {0}, b = {0};
	struct pace *p = make_pair(&a, &b);
	uint64_t now = START, cpu = 0;

	for (int i = 0; i < 50; i++)
		pace_look(p, now += WINDOW, cpu += 2 * WINDOW);
	p->done = now;
	assert(pace_due(p, &a) <= now + 2 * NS_PER_S);
	drop_pair(p, &a, &b);
}

/* While others keep the deadlines of all, nobody takes them here: what came
 * meanwhile was missed neither by one that goes on, nor by one that is new. */
static void
test_kept_by_others(void)
{
	struct pace_mark a = {0}, b = {0}, c = {0};
	struct pace *p = make_pair(&a, &b);
	uint64_t now = START + 10 * NS_PER_S;

	pace_resume(p, &a, now - 3 * INTERVAL, now);
	assert(a.missed == 3 && a.left == 0);
	assert(pace_take(p, &a, pace_due(p, &a), 0) && a.missed <= 1);
	now += 10 * NS_PER_S;
	pace_hold(p);
	pace_enter(p, &c, now);
	assert(pace_take(p, &c, pace_due(p, &c), 0) && c.missed <= 1);
	/* All pause; one goes on before another has seen that it may. */
	pace_leave(p, &a);
	now += 10 * NS_PER_S;
	pace_enter(p, &a, now);
	assert(pace_take(p, &a, pace_due(p, &a), 0) && a.missed <= 1);
	pace_leave(p, &c);
	pace_drop(p);
	drop_pair(p, &a, &b);
}

/* How often the distance changes until then, if so many recorders ask for that each
 * millisecond. */
static unsigned
count_steps(struct pace *p, uint64_t *now, unsigned recorders, uint64_t end)
{
	uint64_t before;
	unsigned n = 0;

	for (; *now < end; *now += NS_PER_MS)
		for (unsigned i = 0; i < recorders; i++) {
			before = pace_distance(p);
			pace_step(p, *now);
			n += pace_distance(p) != before;
		}
	return n;
}

/* Twice may chance give the same distance again. */
static void
test_step(void)
{
	struct pace_mark a = {0}, b = {0};
	struct pace *p = make_pair(&a, &b);
	uint64_t now = START;
	unsigned n;

	n = count_steps(p, &now, 1, now + NS_PER_S);
	assert(n >= 8 && n <= 10);
	n = count_steps(p, &now, 50, now + NS_PER_S);
	assert(n >= 8 && n <= 10);
	/* Deadlines that are kept here have distances of their own. */
	p->done = now;
	now = pace_due(p, &a);
	assert(pace_take(p, &a, now, 0));
	assert(count_steps(p, &now, 50, now + WINDOW) == 0);
	drop_pair(p, &a, &b);
}

int
main(void)
{
	test_same_deadlines();
	test_late();
	test_budget();
	test_slowest();
	test_kept_by_others();
	test_step();
	return 0;
}
