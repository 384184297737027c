/* SPDX-License-Identifier: ISC */
/* status.h: how a thread was when it was sampled, as bits of enum
 * tach_status. */
#ifndef ENGINE_THREADS_STATUS_H
#define ENGINE_THREADS_STATUS_H

#include "engine/os/process.h"
#include "engine/threads/threads.h"

/* What was read of a thread besides its frames. */
struct moment {
	uint64_t time_us;
	const struct py_offsets *offsets;
	uint64_t gil; /* address of the GIL that it uses, or 0 */
	bool holds_gil;
	bool wants_gil; /* it says so itself */
	bool ran; /* it did so just now */
	bool waits; /* it waits for the GIL, as is known */
	bool exception;
	uint8_t status; /* what all that comes to */
};

/* Also looks at what the thread does now. */
uint8_t status_of(const struct process *, struct thread *,
    const struct moment *);

/* Whether a thread runs, or waits for a CPU only. */
bool status_runs(const struct thread *);

/* Whether a thread waits for the GIL at that address just now. */
bool status_waits_for(const struct thread *, const struct py_offsets *,
    uint64_t gil);

/* Whether it is blocked, which is not known of each one that does not run. */
bool status_is_blocked(const struct thread *);

/* Whether it was blocked when that was looked at last, if it was. */
bool status_was_blocked(const struct thread *);

/* Whether samples of this status are to be kept. */
bool status_kept(const struct tach_recorder_options *, uint8_t status);

#endif
