/* SPDX-License-Identifier: ISC */
/*
 * ticks.h: when a thread samples itself: its clock, the ticks that divide its
 * time, and the timer that goes off at them.
 */
#ifndef AGENT_TICKS_H
#define AGENT_TICKS_H

#include "agent/thread.h"

uint64_t clock_of(clockid_t);

/* How many ticks there were until a time on the thread's clock. */
uint64_t ticks_until(const struct agent_thread *, uint64_t now);

/* Has the timer go off at the next tick, or if it is sharp then if the thread
 * runs until then; now and then, so that a thread to which others tell
 * the ticks notices when they do not any more; or no more. */
void ticks_arm(struct agent_thread *);
void ticks_watch(struct agent_thread *);
void ticks_disarm(struct agent_thread *);

/* Has a sharp timer give way to one of the thread's CPU clock, or if there is
 * none, the thread itself to time on the wall; it is not armed then. */
void ticks_blunt(struct agent_thread *, struct wire_slot *);

/* Whether that is due, or a better clock, now that a sharp timer's signal has
 * come.  kept: back, as long as the thread waited. */
void ticks_judge(struct agent_thread *, struct wire_slot *, bool kept);

/* Chooses the clock of the calling thread, which t is of, and makes its timer,
 * which is not armed; t->timer is -1 if there is none, which is counted. */
void ticks_start(struct agent_thread *, struct wire_slot *);
/* The calling thread's timer, of which its area may not tell any more. */
int32_t ticks_timer(void);
/* Whether that goes off while the thread sleeps, too. */
bool ticks_may_wake(void);

/* Makes a timer that signals a thread, with a value.  False: errno says why,
 * and the other counts it. */
bool ticks_make_timer(int32_t *made, clockid_t, pid_t tid, const void *value);
void ticks_refused(struct wire_slot *);

/* Whether a signal is that of a thread's own timer. */
bool ticks_is_timer(const siginfo_t *);

#endif
