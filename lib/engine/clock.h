/* SPDX-License-Identifier: ISC */
/* clock.h: absolute deadlines at an interval. */
#ifndef ENGINE_CLOCK_H
#define ENGINE_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NS_PER_S UINT64_C(1000000000)
#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_US UINT64_C(1000)

uint64_t clock_ns(void); /* CLOCK_MONOTONIC */
/* Sleeps until then.  False: a signal came first. */
bool clock_sleep(uint64_t until);

/*
 * Deadlines lie at start + n * interval, or, with a seed that is not 0, at
 * random distances of that mean, however long ago the last one was: such
 * sampling cannot fall into step with what it looks at.  A deadline that has
 * passed is missed, and counted, never made up.
 */
struct pacer {
	uint64_t interval; /* ns */
	uint64_t next;	   /* the deadline to wait for */
	uint64_t random;   /* state; 0: a steady interval */
};

void pacer_start(struct pacer *, uint64_t interval, uint64_t seed,
    uint64_t now);
/* To be called when the work of a deadline is done, with the time then.
 * Returns how many deadlines were missed over it. */
uint64_t pacer_advance(struct pacer *, uint64_t now);

#endif
