/* SPDX-License-Identifier: ISC */
/*
 * remote.h: samples of all threads of a Python, taken from outside.
 *
 * The recorder never writes to the target, and stops it only if that is asked for.
 * The target therefore moves while it is read, except a running thread that can be
 * interrupted (interrupted.h).  One call copies the memory that the last round
 * needed of each thread that can have moved (plan.h).  The part of the copies that
 * can be believed becomes a sample (stack_reader.h).  While one thread runs, or some
 * take turns at the GIL, and nothing else changes, the kernel makes the copies of the
 * next rounds (batches.h).
 */
#ifndef ENGINE_REMOTE_REMOTE_H
#define ENGINE_REMOTE_REMOTE_H

#include "engine/kernel/interrupt.h"
#include "engine/lines/late_lines.h"
#include "engine/os/os.h"
#include "engine/remote/batches.h"
#include "engine/sample/native_faults.h"
#include "engine/threads/threads.h"
#include "error.h"
#include "python/runtime.h"
#include "tach-record.h"

struct remote;

/* All pointers must outlive it.  The interrupts may be NULL.  Returns NULL if
 * out of memory. */
struct remote *remote_new(const struct process *, const struct py_runtime *,
    const struct tach_recorder_options *, struct interrupts *,
    struct tach_table *, struct thread_names *, struct native_faults *,
    struct late_lines *);
/* Waits for threads that have yet to stop, until a time (ns, CLOCK_MONOTONIC) at
 * the latest: see stops_free.  NULL does nothing. */
void remote_free(struct remote *, uint64_t until);
/* Uses these interrupts from now on, where there were none; they must outlive it.  A stay
 * on a thread's CPU ends, as it is not needed any more. */
void remote_interrupts(struct remote *, struct interrupts *);

/* Notes time 0 of the samples, before the first round; ns, CLOCK_MONOTONIC. */
void remote_start(struct remote *, uint64_t start);
/* Gives no samples of switches until a time (us), of a pause.  False if out of
 * memory. */
bool remote_pass_switches(struct remote *, uint64_t time_us,
    struct tach_recorder_stats *);

/* See tach_recorder_locals. */
void remote_locals(struct remote *, const struct tach_locals *);
/* See tach_recorder_mix. */
void remote_mix(struct remote *, bool on);

enum remote_result {
	REMOTE_OK,
	REMOTE_LOST,  /* no running Python any more: the target has ended, or is
		       * another program */
	REMOTE_ERROR, /* out of memory, or the sink failed */
};

/* Samples every thread once.  Each good sample goes to the sink, with this time (us
 * since the first round).  Counts samples, failures and their reasons, retries. */
enum remote_result remote_round(struct remote *, uint64_t time_us,
    struct tach_sink *, struct tach_recorder_stats *);
/* The same, of the round of batches_next, which was taken at a time (ns,
 * CLOCK_MONOTONIC). */
enum remote_result remote_records(struct remote *, struct batches *,
    uint64_t taken, uint64_t time_us, struct tach_sink *, struct tach_recorder_stats *);

/* The plan of its rounds, for batches_init. */
struct plan *remote_plan(struct remote *);
/* Whether records have all that its rounds need: they lack tasks and opcodes, which
 * are read when a sample is made. */
bool remote_fits_records(const struct remote *);

/* Whether all samples of the last round hold as long as no thread runs: none of them
 * failed or is torn. */
bool remote_can_repeat(const struct remote *);
/* Notes that a thread which could run had no CPU for `away` ns until now: the next
 * samples are of that time. */
void remote_note_gap(struct remote *, uint64_t away);
/* Gives the samples of the last round to the sink once more, with this time (us): no
 * thread has run since.  False if the sink failed. */
bool remote_again(struct remote *, uint64_t time_us, struct tach_sink *,
    struct tach_recorder_stats *);

/* Lets the threads go that stopped only after their round.  False if some have yet
 * to stop. */
bool remote_let_go(struct remote *);

#endif
