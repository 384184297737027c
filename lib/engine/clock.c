/* SPDX-License-Identifier: ISC */
/* clock.c: see clock.h. */
#include "engine/clock.h"

#include <time.h>

#define SLOW_MARGIN 300 /* ns: reads differ by so much of themselves */

uint64_t
clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

bool
clock_sleep(uint64_t until)
{
	struct timespec t = {(time_t)(until / NS_PER_S),
	    (long)(until % NS_PER_S)};

	return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == 0;
}

void
pacer_start(struct pacer *p, uint64_t interval, uint64_t now)
{
	*p = (struct pacer){.interval = interval, .next = now};
}

uint64_t
pacer_advance(struct pacer *p, uint64_t now)
{
	uint64_t missed = 0;

	p->next += p->interval;
	if (p->next <= now)
		missed = (now - p->next) / p->interval + 1;
	p->next += missed * p->interval;
	return missed;
}

/* An interrupt takes a microsecond at least.  The measure follows where all
 * become slower. */
bool
tempo_is_slow(struct tempo *t, uint64_t took, size_t size)
{
	if (t->size != size || took < t->fast) {
		t->size = size;
		t->fast = took;
	}
	if (took <= t->fast + t->fast / 4 + SLOW_MARGIN)
		return false;
	t->fast += t->fast / 16;
	return true;
}
