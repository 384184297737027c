/* SPDX-License-Identifier: ISC */
/* status.h: how a thread was when it was sampled, as bits of enum
 * tach_status. */
#ifndef ENGINE_STATUS_H
#define ENGINE_STATUS_H

#include "engine/process.h"
#include "engine/threads.h"

/* What a round's snapshot knows of a thread besides its frames. */
struct moment {
	uint64_t time_us;
	bool holds_gil;
	bool wants_gil;
};

uint8_t status_of(const struct process *, const struct thread *,
    const struct moment *);

#endif
