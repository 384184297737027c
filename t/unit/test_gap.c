/* SPDX-License-Identifier: ISC */
/*
 * test_gap: of a thread that leaves its CPU again and again there are as many
 * rounds as deadlines; where these have moved apart, all that were asked for are
 * taken or counted.
 */
#undef NDEBUG
#include <assert.h>
#include <stdlib.h>

#include "engine/os/os.h"
#include "engine/sched/gap.h"

#define INTERVAL NS_PER_MS
#define GAPS 2000

/* Of so many gaps in turn, each of them up to some intervals long. */
struct sum {
	uint64_t ns, rounds, spared;
};

static struct sum
leave(struct pace *p, unsigned intervals, bool known)
{
	struct gap g = {0};
	struct sum s = {0};

	srand(1);
	for (int i = 0; i < GAPS; i++) {
		uint64_t ns = (uint64_t)rand() % (intervals * INTERVAL), spared;
		if (gap_wants_round(&g, p, known ? ns : UINT64_MAX)) {
			gap_add_round(&g, p);
			s.rounds++;
		}
		s.rounds += gap_rounds(&g, p, ns, &spared);
		s.spared += spared;
		s.ns += ns;
	}
	return s;
}

static bool
is_near(uint64_t n, uint64_t of)
{
	return n <= of + 2 && of <= n + 2;
}

static void
test_gaps(double slow, unsigned intervals)
{
	struct pace *p = pace_new(INTERVAL, false);
	struct sum s;

	assert(p != NULL);
	p->slow = slow;
	p->pacer.interval = (uint64_t)((double)INTERVAL * slow);
	for (int known = 0; known < 2; known++) {
		s = leave(p, intervals, known);
		assert(is_near(s.rounds, s.ns / pace_distance(p)));
		assert(slow > 1 ? is_near(s.rounds + s.spared, s.ns / INTERVAL) :
				  s.spared == 0);
	}
	pace_drop(p);
}

int
main(void)
{
	test_gaps(1, 1);
	test_gaps(1, 8);
	test_gaps(1.2, 1);
	test_gaps(1.2, 8);
	test_gaps(10, 1);
	test_gaps(10, 8);
	test_gaps(10, 50);
	return 0;
}
