/* SPDX-License-Identifier: ISC */
/*
 * remote.h: samples of all threads of a Python, taken from outside.
 *
 * The recorder never writes to the target, and stops it only if that is asked for.
 * The target therefore moves while it is read, except a running thread that can be
 * interrupted (interrupted.h).  One call copies the memory that the last round
 * needed of each thread that can have moved (plan.h).  The part of the copies that
 * can be believed becomes a sample (chains.h).  While one thread runs, or some take
 * turns at the GIL, and nothing else changes, the kernel makes the copies of the
 * next rounds (batch.h).
 */
#ifndef ENGINE_REMOTE_REMOTE_H
#define ENGINE_REMOTE_REMOTE_H

#include "engine/kernel/interrupt.h"
#include "engine/os/os.h"
#include "engine/threads/threads.h"
#include "error.h"
#include "python/runtime.h"
#include "tach.h"

struct remote;

/* All pointers must outlive it.  The interrupts may be NULL.  Returns NULL if
 * out of memory. */
struct remote *remote_new(const struct process *, const struct py_runtime *,
    const struct tach_recorder_options *, struct interrupts *,
    struct tach_table *, struct thread_names *);
/* Waits for threads that have yet to stop, until a time (ns, CLOCK_MONOTONIC) at
 * the latest: see stops_free.  NULL does nothing. */
void remote_free(struct remote *, uint64_t until);
/* Uses these interrupts from now on, where there were none; they must outlive it. */
void remote_interrupts(struct remote *, struct interrupts *);

/* See tach_recorder_locals. */
void remote_locals(struct remote *, const struct tach_locals *);

enum remote_result {
	REMOTE_OK,
	REMOTE_LOST,  /* no running Python any more: the target has ended, or is
		       * another program */
	REMOTE_ERROR, /* out of memory, or the sink failed */
};

/* Whether rounds are taken ahead (batch.h).  The caller then reads each of them by
 * remote_next and remote_round, until there are none. */
bool remote_is_ahead(const struct remote *);
/* How many rounds were read since the batch began or, later, there was new code;
 * 0 without a batch. */
uint64_t remote_ahead_rounds(const struct remote *);
/* Whether there is no other thread whose status could change without a sign while
 * rounds are taken ahead. */
bool remote_is_alone(const struct remote *);
/* To be called after each round that was not taken ahead: begins a batch once enough
 * rounds in a row could have been taken ahead.  `size` rounds are read at once. */
void remote_go_ahead(struct remote *, uint64_t interval_ns, uint32_t size);
/* Gives the batch another interval and size. */
void remote_keep_ahead(struct remote *, uint64_t interval_ns, uint32_t size);
/* Fills in descriptors to be polled, one for each thread of the batch: see batch_fd.
 * Returns how many. */
size_t remote_ahead_fds(const struct remote *,
    struct pollfd fds[INTERRUPT_TAKERS]);
/* Heeds these descriptors after a poll.  False if the batch is to be ended: a thread
 * of it has ended, or a descriptor failed. */
bool remote_heed_ahead(struct remote *, const struct pollfd *, size_t count);
/* Ends the batch; its records are still to be read. */
void remote_end_ahead(struct remote *);
/* Since when (ns, by clock_ns) it is not known that a thread of the batch has a CPU,
 * without which no records come; 0 if it has one.  The caller is to heed the batch
 * again a few intervals later. */
uint64_t remote_doubts_ahead(const struct remote *);
/* Goes on to the next round that was taken ahead, at *time (ns, CLOCK_MONOTONIC).
 * False if there is none so far: the next round is yet to be taken. */
bool remote_next(struct remote *, uint64_t *time);

/* Whether a round was taken ahead because another thread took its thread's CPU. */
bool remote_left(const struct remote *);
/* ns that this thread had been without a CPU since the round before. */
uint64_t remote_away(const struct remote *);
/* See batch_gap. */
uint64_t remote_gap(const struct remote *);
/* See batch_hurry. */
bool remote_hurry(struct remote *);
/* Whether all samples of the last round hold as long as no thread runs: none of them
 * failed or is torn. */
bool remote_can_repeat(const struct remote *);
/* Gives the samples of the last round to the sink once more, with this time (us): no
 * thread has run since.  False if the sink failed. */
bool remote_again(struct remote *, uint64_t time_us, struct tach_sink *,
    struct tach_recorder_stats *);

/* Samples every thread once.  Each good sample goes to the sink, with this time (us
 * since the first round).  Counts samples, failures and their reasons, retries. */
enum remote_result remote_round(struct remote *, uint64_t time_us,
    struct tach_sink *, struct tach_recorder_stats *);
/* Lets the threads go that stopped only after their round.  False if some have yet
 * to stop. */
bool remote_let_go(struct remote *);

#endif
