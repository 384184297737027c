/* SPDX-License-Identifier: ISC */
/*
 * plain.h: rounds of a process without Python: all frames of its threads, from the
 * innermost function of C to the outermost one.
 *
 * A thread that runs is copied in an interrupt, as far as there are interrupts.  Else it
 * is stopped, and then seen some microseconds late, or at its next system call.  With
 * frames of the kernel, one that waits for a CPU is read as it is.
 *
 * A thread that is blocked is read as it is, by its stack pointer; only where that does
 * not lead to its outermost frame is it stopped, too, and never in a call that would end
 * early by it.  It is not read again before it has had a CPU.
 */
#ifndef ENGINE_PLAIN_PLAIN_H
#define ENGINE_PLAIN_PLAIN_H

#include "engine/kernel/interrupt.h"
#include "engine/target/target.h"
#include "tach-record.h"

struct plain;

/* The target must outlive it.  NULL if out of memory. */
struct plain *plain_new(struct target *);
/* From now on threads are copied by these interrupts, which must outlive it.  With frames
 * of the kernel they were asked for these, too. */
void plain_interrupts(struct plain *, struct interrupts *);
/* Notes in the table how many stacks are whole, lets all threads go, and waits for late
 * ones until a time (ns, CLOCK_MONOTONIC). */
void plain_free(struct plain *, uint64_t until);
/* Lets go the threads that have stopped late.  False if some have yet to stop. */
bool plain_let_go(struct plain *);

/* Looks for new threads, mappings and names: a few times a second is enough.  False if
 * out of memory. */
bool plain_look(struct plain *);

/* Samples each thread that is wanted, at a time of the profile (us).  due: when the round
 * was to begin; ns.  False if the sink failed, or if out of memory. */
bool plain_round(struct plain *, uint64_t due, uint64_t time_us, struct tach_sink *);

#endif
