/* SPDX-License-Identifier: ISC */
/*
 * ticks.h: the moments at which a thread samples itself: its clock, the ticks
 * that divide its time, and the timer that goes off at them.
 */
#ifndef AGENT_TICKS_H
#define AGENT_TICKS_H

#include "agent/thread.h"

/* The time of a clock, in ns. */
uint64_t clock_of(clockid_t);

/* The number of ticks until a time on the thread's clock, in ns. */
uint64_t ticks_until(const struct agent_thread *, uint64_t now);

/* Arms the timer for the next tick.  A sharp timer goes off when the thread
 * reaches the tick if it runs all the time. */
void ticks_arm(struct agent_thread *);
/* Arms the timer to go off now and then: by this a thread with a perf event
 * notices that its recorder has gone. */
void ticks_watch(struct agent_thread *);
void ticks_disarm(struct agent_thread *);

/* Replaces a sharp timer by one of the thread's CPU clock, not armed.  If the
 * kernel has no such timer, ticks of wall time follow. */
void ticks_blunt(struct agent_thread *, struct wire_slot *);

/* Judges a sharp timer by its signal: replaces the timer if too many signals
 * came early; asks the recorder for a perf event if the thread is no longer
 * young.  kept: the signal was kept back while the thread waited. */
void ticks_judge(struct agent_thread *, struct wire_slot *, bool kept);

/* Chooses the clock of the calling thread and makes its timer, not armed.  The
 * timer is -1 if the kernel refuses it; then the slot counts that. */
void ticks_start(struct agent_thread *, struct wire_slot *);
/* The calling thread's timer, even if its area is no longer its own. */
int32_t ticks_timer(void);
/* True if that timer goes off while the thread sleeps, too. */
bool ticks_may_wake(void);

/* Makes a timer that sends a thread our signal, with a value.  *made: the
 * kernel's number of it.  False, with errno, if the kernel refuses it. */
bool ticks_make_timer(int32_t *made, clockid_t, pid_t tid, const void *value);
/* Counts a refusal, and its errno, in the slot. */
void ticks_refused(struct wire_slot *);

/* True if a signal is of a thread's own timer. */
bool ticks_is_timer(const siginfo_t *);

#endif
