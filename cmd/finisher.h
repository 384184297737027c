/* SPDX-License-Identifier: ISC */
/*
 * finisher.h: the one thread that completes the profiles of a family: it waits
 * for the disk in the stead of the others.
 *
 * Nobody else touches a recording while the finisher has it, nor steps its
 * recorder any more.
 */
#ifndef FINISHER_H
#define FINISHER_H

#include <stdint.h>

#include "handover.h"
#include "recording.h"

struct finisher;

/* A recording that is over. */
struct finished {
	struct handover handover; /* back: it is done */
	struct recording *recording;
	/* Once it is done: its result, and the bytes of its profile. */
	enum recording_result result;
	uint64_t bytes;
};

/* NULL, with errno: there can be no thread. */
struct finisher *finisher_new(void);
/* Waits until all that it has is done.  NULL is nothing. */
void finisher_free(struct finisher *);

/* Gives it a recording, which is completed and closed.  It must stay until that is
 * done. */
void finisher_give(struct finisher *, struct finished *);

#endif
