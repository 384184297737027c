/* SPDX-License-Identifier: ISC */
/*
 * remote.h: samples of all threads of a Python, taken from outside.
 *
 * The target is not written to, and stopped only if that is asked for, so it
 * moves while it is read, but for a thread that runs where that may be
 * interrupted (interrupted.h).  One call copies all that the last round needed
 * of the threads that can have moved (plan.h); what can be believed of the
 * copies is a sample (chains.h).  While one thread runs and nothing else changes,
 * the kernel makes the copies of the next rounds (batch.h).
 */
#ifndef ENGINE_REMOTE_REMOTE_H
#define ENGINE_REMOTE_REMOTE_H

#include <poll.h>

#include "engine/kernel/interrupt.h"
#include "engine/os/process.h"
#include "engine/threads/threads.h"
#include "error.h"
#include "python/runtime.h"
#include "tach.h"

struct remote;

/* All must outlive it; there may be no interrupts.  NULL: out of memory. */
struct remote *remote_new(const struct process *, const struct py_runtime *,
    const struct tach_recorder_options *, struct interrupts *,
    struct tach_table *, struct thread_names *);
/* Threads that have yet to stop are waited for until then: see stops_free. */
void remote_free(struct remote *, uint64_t until);
/* There are interrupts from now on, where there were none. */
void remote_interrupts(struct remote *, struct interrupts *);

/* See tach_recorder_locals. */
void remote_locals(struct remote *, const struct tach_locals *);

enum remote_result {
	REMOTE_OK,
	REMOTE_LOST,  /* what is there is no running Python: ended, or another
		       * program */
	REMOTE_ERROR, /* ours: out of memory, or the sink's */
};

/* Whether rounds are taken ahead: see batch.h.  Each of them is then to be read by
 * remote_next and remote_round, until there are none. */
bool remote_is_ahead(const struct remote *);
/* How many rounds were taken ahead since that began, or there was new code. */
uint64_t remote_ahead_rounds(const struct remote *);
/* There are no others whose state could change meanwhile without a sign. */
bool remote_is_alone(const struct remote *);
/* Begins that, if it can be had of what the last round saw, so many rounds at
 * once; and goes on at another interval and number. */
void remote_go_ahead(struct remote *, uint64_t interval_ns, uint32_t size);
void remote_keep_ahead(struct remote *, uint64_t interval_ns, uint32_t size);
/* Descriptors that say when there are some: see batch_fd; returns how many.
 * And heeds what they say.  False: it is to end. */
size_t remote_ahead_fds(const struct remote *,
    struct pollfd fds[INTERRUPT_TAKERS]);
bool remote_heed_ahead(struct remote *, const struct pollfd *, size_t count);
void remote_end_ahead(struct remote *);
/* Since when it may be that none come, as the thread has no CPU (ns, by clock_ns);
 * 0: it has one.  It is to be heeded again a few intervals later. */
uint64_t remote_doubts_ahead(const struct remote *);
/* The next round is that which was taken at *time: ns, CLOCK_MONOTONIC.  False:
 * it is yet to be taken. */
bool remote_next(struct remote *, uint64_t *time);

/* Of a round that was taken ahead: whether its thread had to leave its CPU then;
 * and how long it had been without one since the round before, ns. */
bool remote_left(const struct remote *);
uint64_t remote_away(const struct remote *);
/* See batch_gap. */
uint64_t remote_gap(const struct remote *);
/* See batch_hurry. */
bool remote_hurry(struct remote *);
/* Whether all samples of the last round hold for as long as nobody runs: none of
 * them failed or is torn. */
bool remote_can_repeat(const struct remote *);
/* The same samples as in the last round once more: nobody has run since. */
bool remote_again(struct remote *, uint64_t time_us, struct tach_sink *,
    struct tach_recorder_stats *);

/* Samples every thread once; each good sample goes to the sink, with this
 * time.  Counts into samples, torn, failed and retries. */
enum remote_result remote_round(struct remote *, uint64_t time_us,
    struct tach_sink *, struct tach_recorder_stats *);
/* Lets threads go that have stopped only after their round.  False: some have yet
 * to stop. */
bool remote_let_go(struct remote *);

#endif
