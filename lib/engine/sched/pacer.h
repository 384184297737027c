/* SPDX-License-Identifier: ISC */
/* pacer.h: absolute deadlines at an interval. */
#ifndef ENGINE_SCHED_PACER_H
#define ENGINE_SCHED_PACER_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Deadlines, whose distance wanders: it differs from the interval by up to
 * PACER_WANDER per cent, at random, and is the same for PACER_STEADY deadlines
 * in turn.  At a fixed distance, deadlines would always meet periodic work,
 * such as the scheduler at its ticks, at the same few moments.  With `jitter`
 * the distances are random, with the interval as their mean, however long ago
 * the last deadline was: such deadlines fall into step with nothing at all.  A
 * deadline that has passed is missed, and counted, never made up.
 */
#define PACER_WANDER 3
#define PACER_STEADY 32

struct pacer {
	uint64_t interval; /* ns */
	uint64_t next;	   /* the next deadline; ns, CLOCK_MONOTONIC */
	bool jitter;	   /* random distances */
	uint64_t random;   /* state of the generator; not 0 */
	uint64_t step;	   /* distance in ns, for `left` deadlines more */
	unsigned left;
};

/* The first deadline is `now`.  seed: any number but 0. */
void pacer_start(struct pacer *, uint64_t interval, bool jitter, uint64_t seed,
    uint64_t now);
/* Goes to the next deadline; to be called when the work of the last one is done,
 * with the time then.  Returns how many deadlines were missed meanwhile. */
uint64_t pacer_advance(struct pacer *, uint64_t now);
/* For deadlines that another timer keeps: chooses another ->step; and notes when
 * the last of these deadlines was. */
void pacer_step(struct pacer *);
void pacer_resume(struct pacer *, uint64_t last);

#endif
