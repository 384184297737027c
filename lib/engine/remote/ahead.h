/* SPDX-License-Identifier: ISC */
/*
 * ahead.h: rounds that the kernel takes ahead of the recorder (kernel/batch.h): when a
 * batch begins and ends, and the samples that its records are good for.
 */
#ifndef ENGINE_REMOTE_AHEAD_H
#define ENGINE_REMOTE_AHEAD_H

#include "engine/engine.h"
#include "engine/sched/gap.h"

struct remote_engine;

struct ahead {
	/* The last round that was taken ahead on time, and the last sign that the
	 * batch goes on; ns, CLOCK_MONOTONIC. */
	uint64_t last, heard;
	uint64_t newest; /* ns: the last such round, on time or not */
	uint64_t cost;	/* ns of CPU time to read one of them */
	uint64_t left;	/* ns: when a thread was last seen to leave its CPU */
	struct gap gap; /* the samples that it is owed since */
};

/* Whether rounds are taken ahead. */
bool ahead_is_on(const struct remote_engine *);
/* Begins a batch after a round, if rounds can be taken ahead: see remote_go_ahead. */
void ahead_begin(struct remote_engine *);
/* When the records of a batch are to be looked for, at the latest; ns,
 * CLOCK_MONOTONIC. */
uint64_t ahead_due(const struct remote_engine *);
/* Fills in the descriptors by which they may come earlier, after the target's.
 * Returns how many there are. */
size_t ahead_fds(const struct remote_engine *,
    struct pollfd fds[TACH_RECORDER_FDS]);
/* Reads the rounds of a batch that there are, and lets the batch go on or ends it. */
enum engine_result ahead_round(struct remote_engine *, struct tach_sink *);

#endif
