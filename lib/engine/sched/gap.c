/* SPDX-License-Identifier: ISC */
/* gap.c: see gap.h. */
#include "engine/sched/gap.h"

#define CLOSEST (2 * NS_PER_US) /* samples are so far apart at least */

bool
gap_wants_round(const struct gap *g, const struct pace *p, uint64_t ns)
{
	return ns == UINT64_MAX ? g->owed >= 0 :
	    g->owed + (int64_t)ns >= (int64_t)pace_distance(p);
}

void
gap_add_round(struct gap *g, const struct pace *p)
{
	g->owed -= (int64_t)pace_distance(p);
	g->due -= (int64_t)p->asked;
}

/* Counts the deadlines that were asked for and have no round. */
static uint64_t
count_spared(struct gap *g, const struct pace *p, uint64_t ns, uint64_t rounds)
{
	int64_t asked = (int64_t)p->asked, n;

	if (!pace_is_slow(p)) {
		g->due = g->owed;
		return 0;
	}
	g->due += (int64_t)ns - (int64_t)rounds * asked;
	n = g->due > 0 ? g->due / asked : 0;
	g->due -= n * asked;
	return (uint64_t)n;
}

uint64_t
gap_rounds(struct gap *g, const struct pace *p, uint64_t ns, uint64_t *spared)
{
	int64_t distance = (int64_t)pace_distance(p);
	uint64_t n;

	g->owed += (int64_t)ns;
	n = g->owed > 0 ? (uint64_t)(g->owed / distance) : 0;
	n = n < ns / CLOSEST ? n : ns / CLOSEST;
	g->owed -= (int64_t)n * distance;
	*spared = count_spared(g, p, ns, n);
	return n;
}
