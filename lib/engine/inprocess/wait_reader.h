/* SPDX-License-Identifier: ISC */
/*
 * wait_reader.h: threads that sample themselves, read from outside one by one: a
 * thread that waits tells nothing until its wait is over, and nothing at all if its
 * program ends before.
 *
 * A wait is therefore read while it goes on, ten times a second or less often.  For a
 * hundred threads that wait until their program ends this costs 0.02 core (3.13 at
 * 1 kHz), and has the effect that they have their samples, 3,000 each, not none.
 */
#ifndef ENGINE_INPROCESS_WAIT_READER_H
#define ENGINE_INPROCESS_WAIT_READER_H

#include "engine/inprocess/thread_ring.h"
#include "engine/native/mixed.h"
#include "engine/os/os.h"
#include "engine/threads/threads.h"
#include "python/runtime.h"
#include "tach-record.h"

struct wait_reader;

/* All arguments must outlive it.  The last one is NULL if frames of C are not asked for.
 * NULL if memory ran out. */
struct wait_reader *wait_reader_new(const struct process *,
    const struct py_runtime *, const struct tach_recorder_options *,
    struct tach_table *, struct thread_names *, struct mixed *);
void wait_reader_free(struct wait_reader *);

/* A thread as it was when it was read. */
struct wait_reader_sample {
	uint32_t index, interp; /* of the thread */
	const uint32_t *frames; /* innermost first; valid until the next look, or
				 * until the thread is read again */
	uint32_t depth;
	uint32_t shared; /* outermost frames that the thread's sample before had,
			  * too */
	uint8_t status;
	bool compiled; /* in code that Python's JIT made */
};

/* Lists the threads and looks at the GILs, for the next reads.  False if that cannot
 * be seen, or memory ran out. */
bool wait_reader_look(struct wait_reader *);
/* Reads a thread by its area.
 * False if it has no stack, or not all of it is certain, or memory ran out. */
bool wait_reader_read(struct wait_reader *, const struct thread_ring *,
    struct wait_reader_sample *);
/* Gives the last reading of a thread again.  False if there is none. */
bool wait_reader_again(const struct wait_reader *, uint64_t ident,
    struct wait_reader_sample *);

/* The frame of the reason for the wait of which the thread has told with its last sample.
 * callee: the frame of the function of C that it had called, or TACH_NONE.  TACH_NONE if
 * it has told of none, if reasons are not asked for, or if memory ran out. */
uint32_t wait_reader_told(struct wait_reader *, const struct thread_ring *,
    uint32_t callee);

#endif
