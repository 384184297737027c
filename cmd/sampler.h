/* SPDX-License-Identifier: ISC */
/*
 * sampler.h: the one thread that takes the rounds of all processes of a family,
 * and saves them twice a second: it is the one that may be real-time.
 *
 * Nobody else touches the recording of a process while the sampler has it.
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

/* A process of which rounds are taken. */
struct sampled {
	struct handover handover;
	struct recording *recording;
	atomic_uint_fast64_t samples;
	bool over; /* once it is back: it is to be finished */
	/* The sampler's own: when it is due, and its descriptors: which, of all. */
	uint64_t due;
	size_t first_fd, fds;
};

/* NULL, with errno: there can be no thread. */
struct sampler *sampler_new(void);
/* No round is begun any more, and all that it has is the caller's again, but for
 * what is returned: a process whose round does not end.  Its thread waits on, so
 * that nothing that it uses may be freed.  NULL if there is none: the sampler is
 * freed. */
struct sampled *sampler_free(struct sampler *);
/* A process whose round takes longer than so many ns; NULL if there is none. */
struct sampled *sampler_stuck(const struct sampler *, uint64_t ns);

/* Gives it a process, which is back as soon as there is no Python in it any more,
 * or its recording is over. */
void sampler_give(struct sampler *, struct sampled *);

#endif
