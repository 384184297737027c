/* SPDX-License-Identifier: ISC */
/*
 * sampler.h: the one thread that takes the rounds of all processes of a family, and
 * saves them twice a second.  It alone may be real-time.
 *
 * While the sampler has a process, no other thread touches its recording.
 */
#ifndef SAMPLER_H
#define SAMPLER_H

#include <poll.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "handover.h"
#include "recording.h"

struct sampler;

/* A process that is sampled. */
struct sampled {
	struct handover handover;
	struct recording *recording;
	atomic_uint_fast64_t samples;
	bool over; /* valid once it is back: its rounds are over */
	/* Private to the sampler: the time of the next round, and which of the
	 * descriptors are the process's. */
	uint64_t due;
	size_t first_fd, fds;
};

/* NULL, with errno: the thread cannot be started. */
struct sampler *sampler_new(void);
/* Ends the sampler; the caller has all processes again.  NULL: the sampler is
 * freed.  Otherwise returns a process whose round does not end: its thread still
 * waits, so nothing that it uses may be freed. */
struct sampled *sampler_free(struct sampler *);
/* A process whose round takes longer than ns; NULL: none. */
struct sampled *sampler_stuck(const struct sampler *, uint64_t ns);

/* Gives a process to the sampler.  It is back when there is no Python in it any
 * more, or when its recording is over. */
void sampler_give(struct sampler *, struct sampled *);

#endif
