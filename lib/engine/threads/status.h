/* SPDX-License-Identifier: ISC */
/* status.h: the status of a thread when it was sampled, as bits of enum
 * tach_status. */
#ifndef ENGINE_THREADS_STATUS_H
#define ENGINE_THREADS_STATUS_H

#include "engine/os/os.h"
#include "engine/threads/threads.h"

/* A thread at the moment of a sample, besides its frames. */
struct moment {
	uint64_t time_us;
	const struct py_offsets *offsets;
	uint64_t gil; /* address of the GIL that it uses, or 0 */
	bool holds_gil;
	bool wants_gil; /* its state says so */
	bool ran; /* it ran just now */
	bool waits; /* it is known to wait for the GIL */
	bool exception;
	uint8_t status; /* the result of status_of */
};

/* The status of a thread, by its moment and by a look at the thread now. */
uint8_t status_of(const struct process *, struct thread *,
    const struct moment *);

/* Whether a thread runs, or only waits for a CPU. */
bool status_runs(const struct thread *);

/* Whether a thread waits for the GIL at an address now. */
bool status_waits_for(const struct thread *, const struct py_offsets *,
    uint64_t gil);

/* Whether a thread is blocked; or blocked in such a call, with these arguments.  False
 * also if that cannot be read. */
bool status_is_blocked(const struct thread *);
bool status_is_in_call(const struct thread *, const struct task_call *);

/* Whether a thread was blocked at the last look at its status.  False also if there
 * was none. */
bool status_was_blocked(const struct thread *);
/* The same, and the page of its perf event shows that it has had no CPU since. */
bool status_rests(const struct thread *);

/* Whether samples of this status are wanted. */
bool status_kept(const struct tach_recorder_options *, uint8_t status);

#endif
