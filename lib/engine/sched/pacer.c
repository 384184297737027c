/* SPDX-License-Identifier: ISC */
/* pacer.c: see pacer.h. */
#include "engine/sched/pacer.h"

/* A random number from 0 to 1, by xorshift64. */
static double
uniform(uint64_t *random)
{
	*random ^= *random << 13;
	*random ^= *random >> 7;
	*random ^= *random << 17;
	return (double)(*random >> 11) / (double)(UINT64_C(1) << 53);
}

/* A random number of the exponential distribution of mean 1, by von Neumann's
 * comparisons: numbers are drawn as long as they fall; the first is taken if the
 * count of these numbers is odd. */
static double
exponential(uint64_t *random)
{
	for (double whole = 0;; whole++) {
		double first = uniform(random), last = first, u;
		bool odd = true;
		for (; (u = uniform(random)) < last; last = u)
			odd = !odd;
		if (odd)
			return whole + first;
	}
}

/* The distance, which is the same for PACER_STEADY deadlines in turn. */
static uint64_t
wander(struct pacer *p)
{
	double most = (double)p->interval * PACER_WANDER / 100;

	if (p->left-- == 0) {
		p->left = PACER_STEADY - 1;
		p->step = (uint64_t)((double)p->interval +
		    (2 * uniform(&p->random) - 1) * most);
	}
	return p->step;
}

static uint64_t
distance(struct pacer *p)
{
	return p->jitter ? (uint64_t)(exponential(&p->random) *
			       (double)p->interval) :
			   wander(p);
}

void
pacer_start(struct pacer *p, uint64_t interval, bool jitter, uint64_t seed,
    uint64_t now)
{
	*p = (struct pacer){.interval = interval, .next = now,
	    .jitter = jitter, .random = seed};
}

uint64_t
pacer_advance(struct pacer *p, uint64_t now)
{
	uint64_t missed;

	p->next += distance(p);
	if (p->next > now)
		return 0;
	/* With jitter, this is how many are to be expected. */
	missed = (now - p->next) / p->interval + 1;
	p->next = p->jitter ? now + distance(p) :
	    p->next + missed * p->interval;
	return missed;
}

void
pacer_step(struct pacer *p)
{
	p->left = 0;
	wander(p);
}

void
pacer_resume(struct pacer *p, uint64_t last)
{
	p->next = last;
}
