/* SPDX-License-Identifier: ISC */
/* clock.h: absolute deadlines at an interval. */
#ifndef ENGINE_OS_CLOCK_H
#define ENGINE_OS_CLOCK_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NS_PER_S UINT64_C(1000000000)
#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_US UINT64_C(1000)

uint64_t clock_ns(void);     /* CLOCK_MONOTONIC */
uint64_t clock_cpu_ns(void); /* CPU time that this thread has used */
/* Sleeps until then.  False: a signal came first. */
bool clock_sleep(uint64_t until);
/* The same, or until one of so many descriptors has something to say. */
void clock_poll(struct pollfd *, size_t count, uint64_t until);

/*
 * Deadlines have an interval between them that wanders: it is longer or shorter
 * by up to PACER_WANDER per cent for PACER_STEADY of them in turn, by as much as
 * chance has it.  Else what comes by a timer, such as the scheduler's ticks and
 * whatever it does then, would always be met at the same few moments.  Or, to
 * fall into step with nothing at all, they lie at random distances of that mean,
 * however long ago the last one was.  A deadline that has passed is missed, and
 * counted, never made up.
 */
#define PACER_WANDER 3
#define PACER_STEADY 32

struct pacer {
	uint64_t interval; /* ns */
	uint64_t next;	   /* the deadline to wait for */
	bool jitter;	   /* random distances */
	uint64_t random;   /* state; not 0 */
	uint64_t step;	   /* ns, for `left` deadlines more */
	unsigned left;
};

/* seed: any but 0. */
void pacer_start(struct pacer *, uint64_t interval, bool jitter, uint64_t seed,
    uint64_t now);
/* To be called when the work of a deadline is done, with the time then.
 * Returns how many deadlines were missed over it. */
uint64_t pacer_advance(struct pacer *, uint64_t now);
/* Chooses another ->step, where somebody else keeps the deadlines; and takes note
 * that the last one of these was at some time. */
void pacer_step(struct pacer *);
void pacer_resume(struct pacer *, uint64_t last);

#endif
