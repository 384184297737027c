/* SPDX-License-Identifier: ISC */
/*
 * exact.h: each wait of a process's threads, from its begin to its end: --waits=exact.
 *
 * The kernel records each switch of a thread from its CPU and to one (switch_feed.h):
 * the time, the task's state, the system call with its arguments, and the thread's Python
 * frames, which cannot change while the thread is away.  A record costs the thread about
 * a microsecond.  The recorder reads them before each round, up to the round's time, and
 * makes two samples of each wait:
 *
 *	at its begin	the stack with the reason as its leaf
 *	at its end	the same stack without it: the thread goes on from there
 *
 * Both have TACH_STATUS_SWITCH, as they are of no round.  The thread's samples of rounds
 * in between have the same stack and the same leaf, so that they make one interval;
 * while it runs they have no leaf, whatever a look at the thread says: from its switches
 * it is known that it runs.  So intervals begin and end at the microsecond, and never
 * overlap.  A thread that could go on but had no CPU has the reason "no CPU".
 *
 * Weights: each sample of a round counts for an interval, as ever, and samples of
 * switches for nothing.  By time, each sample counts for the time until the thread's
 * next one, of either kind; then each wait has its true time, and the sum is the
 * thread's time in both ways.
 *
 * The first samples of a wait can be held back until a later round, for its stack to be
 * believed.  A stack that is not believed is left out, not guessed: then the samples of
 * switches have the leaf alone, or no frames, and rounds look at the thread as without
 * --waits=exact.
 * So they do where records were lost, until the thread's next one, and in waits that began
 * before the recorder came.  The stacks have no <GC>, <native> and callees.
 */
#ifndef ENGINE_WAITS_EXACT_H
#define ENGINE_WAITS_EXACT_H

#include "engine/threads/interps.h"
#include "engine/waits/waits.h"

struct exact;

/* All arguments must outlive it, and so must all that the place points to.  NULL with
 * errno: out of memory, or the kernel cannot record switches. */
struct exact *exact_new(const struct process *, const struct py_runtime *,
    struct tach_table *, struct thread_names *, struct waits *,
    const struct waits_place *, const struct interps *, uint64_t interval_ns);
void exact_free(struct exact *);

/* Has what exact_new needs made ready, so that it cannot be refused, until
 * exact_unprepare.  False with errno: ENOSYS if this build, machine or kernel has none. */
bool exact_prepare(void);
void exact_unprepare(void);

/* Gives the samples of all switches up to a time (us since `start`, ns) to the sink; with
 * NULL, of a pause, to nobody.  False if the sink failed, or out of memory. */
bool exact_take(struct exact *, uint64_t start, uint64_t time_us, struct tach_sink *,
    struct tach_recorder_stats *);

/* Whether a thread was away from its CPU at that time, and its stack is believed; or
 * whether it ran then.  If neither, a round looks at it as ever; so it does with NULL. */
bool exact_waits(struct exact *, const struct thread *);
bool exact_runs(const struct exact *, const struct thread *);
/* Gives the sample of a round of a thread that waits so.  It may hold it back for some
 * rounds, with the wait's first sample, for a stack that is not believed yet.  False if the
 * sink failed. */
bool exact_again(struct exact *, struct thread *, uint64_t time_us, struct tach_sink *);
/* Gives the samples that are held back, before another sample of the thread is given. */
bool exact_settle(struct exact *, struct thread *, struct tach_sink *);

#endif
