/* SPDX-License-Identifier: ISC */
/*
 * finisher.h: the one thread that completes the profiles of a family: it waits
 * for the disk, so that nobody else has to.
 *
 * Nobody else touches a recording while the finisher has it, nor steps its
 * recorder any more.
 */
#ifndef FINISHER_H
#define FINISHER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "recording.h"

struct finisher;

/* A recording that is over. */
struct finished {
	struct recording *recording;
	/* Once it is done: its result, and the bytes of its profile. */
	enum recording_result result;
	uint64_t bytes;
	atomic_bool done;
	struct finished *next; /* the finisher's own */
};

/* NULL, with errno: there can be no thread. */
struct finisher *finisher_new(void);
/* Waits until all that it has is done.  NULL is nothing. */
void finisher_free(struct finisher *);

/* Gives it a recording, which is completed and closed.  It must stay until that is
 * done. */
void finisher_give(struct finisher *, struct finished *);
bool finisher_is_done(const struct finished *);

#endif
