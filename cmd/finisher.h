/* SPDX-License-Identifier: ISC */
/*
 * finisher.h: the one thread that completes the profiles of a family.  It waits for
 * the disk, so that no other thread has to.
 *
 * While the finisher has a recording, no other thread touches it or steps its
 * recorder.
 */
#ifndef FINISHER_H
#define FINISHER_H

#include <stdint.h>

#include "handover.h"
#include "recording.h"

struct finisher;

/* A recording whose rounds are over. */
struct finished {
	struct handover handover; /* back: it is done */
	struct recording *recording;
	/* Valid once it is back: the result, and the profile's size. */
	enum recording_result result;
	uint64_t bytes;
};

/* NULL, with errno: the thread cannot be started. */
struct finisher *finisher_new(void);
/* Waits until all its recordings are done.  NULL is allowed. */
void finisher_free(struct finisher *);

/* Gives a recording to the finisher, which completes and closes it.  The recording
 * must stay until it is back. */
void finisher_give(struct finisher *, struct finished *);

#endif
