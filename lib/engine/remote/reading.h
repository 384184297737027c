/* SPDX-License-Identifier: ISC */
/*
 * reading.h: the ways to read the stack of a thread, in their order: by the copy of the
 * round, in an interrupt, stopped, or while it runs.
 *
 * reading.c has the table of the ways; mixed_reading.c the ones of a thread with its
 * frames of C or of the kernel.
 */
#ifndef ENGINE_REMOTE_READING_H
#define ENGINE_REMOTE_READING_H

#include "engine/native/mixed.h"
#include "engine/native/native_capture.h"
#include "engine/os/os.h"
#include "engine/remote/batches.h"
#include "engine/remote/bindings.h"
#include "engine/remote/plan.h"
#include "engine/sample/kernel_frames.h"
#include "engine/stack/stack_reader.h"
#include "engine/threads/threads.h"
#include "python/runtime.h"
#include "tach-record.h"

#define READING_TRIES 4 /* to stop a thread outside the making of a call */

/* All that threads are read with. */
struct reading {
	/* Borrowed from the caller, and valid as long as this: these three and the
	 * interrupts. */
	const struct process *process;
	const struct py_offsets *offsets;
	const struct tach_recorder_options *options;
	struct interrupts *interrupts; /* or NULL */
	struct stack_reader reader;
	struct plan plan;
	struct bindings bindings;
	struct stops stops;
	struct batches *records; /* that the round is made of; or NULL */
	struct call_stack stack; /* of the thread that was read last */
	struct capture from;	 /* in which the stack was walked, if it was an
				  * interrupt's; ->in NULL: it was another one */
	struct mixed *mixed;	 /* NULL: frames of C are not asked for */
	struct native_room room; /* for copies of stacks */
	bool mixes;		 /* frames of C are in this round */
	struct kernel_frames kernel; /* of the thread that was read last, if asked for */
	bool lingers; /* a stopped thread is to stand still until its sample is made */
};

/* The process, the runtime, the table, the faults and the lines must outlive it; the
 * interrupts and the lines can be NULL.  False if out of memory; reading_free must be called even then. */
bool reading_init(struct reading *, const struct process *, const struct py_runtime *,
    const struct tach_recorder_options *, struct interrupts *, struct tach_table *,
    struct native_faults *, struct late_lines *);
/* See remote_free. */
void reading_free(struct reading *, uint64_t until);

/* Reads a thread's stack by the ways that fit. */
struct verdict reading_chain(struct reading *, struct thread *);
/* Whether a thread has ended, or never was one.  Then it is no failure if it could not
 * be read. */
bool reading_has_ended(const struct reading *, const struct thread *);
/* Whether the copy of the round is a record of a round that the kernel took. */
bool reading_is_record(struct reading *, struct thread *);

/*
 * Merges the chain that was read with the frames of C of its thread, which is let go
 * unless it is to linger.  callee: a frame of the table, or TACH_NONE; it becomes a frame
 * of the result, which is valid until the next read.  NULL if out of memory.
 */
struct py_chain *reading_mix(struct reading *, struct thread *, uint32_t callee);

/*
 * Puts the thread's frames of the kernel above all others: *shown becomes the chain with
 * them, if there are some; NULL before: that is the chain that was read, and the callee
 * is put between.  False if out of memory.
 */
bool reading_show_kernel(struct reading *, uint32_t callee, struct py_chain **shown,
    struct tach_recorder_stats *);

/* The rest is between the two files. */

/* Reads a running thread in an interrupt.  READ_RETRY also if it runs no more. */
struct verdict reading_interrupted(struct reading *, struct thread *);
/* Whether a thread that runs can be interrupted. */
bool reading_can_interrupt(const struct reading *, const struct thread *);
/* Reads a thread that goes on, wherever it is now. */
struct verdict reading_racing(struct reading *, struct thread *);
/* Notes how often a blocked thread has had a CPU.  While the count is the same, the
 * thread stands still, and need not be read from its CPU. */
void reading_park(const struct reading *, struct thread *);

/* Reads a thread with its frames of C. */
struct verdict reading_mixed(struct reading *, struct thread *);
/* Whether an interrupt can copy the thread with its stack of C. */
bool reading_can_copy_c(struct reading *, struct thread *);
/* Finds the frames of C of a thread whose stack was walked in the copy of an interrupt.
 * False if that copy ends too early, and another one can be had. */
bool reading_copied_frames(struct reading *, struct thread *);
/* Whether a thread has had no CPU since it was seen to have none. */
bool reading_has_stood_still(const struct reading *, struct thread *);

/* Reads a thread with its frames of the kernel. */
struct verdict reading_with_kernel(struct reading *, struct thread *);

#endif
