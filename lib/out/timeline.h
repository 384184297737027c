/* SPDX-License-Identifier: ISC */
/*
 * timeline.h: the samples of a thread in the order of time.  A thread is a
 * track, and its segments follow each other.
 */
#ifndef OUT_TIMELINE_H
#define OUT_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tach.h"

/* A time in which a thread's stack stayed the same, in microseconds. */
struct segment {
	uint64_t begin, end;
	bool idle; /* in all of it, or in none of it */
};

/*
 * The next segment of a run, from its tick *next on, which it moves on.  False
 * if there is none.  A segment ends where a gap begins, or where the thread
 * becomes idle or busy.  Segments without duration are skipped.
 */
bool timeline_next(const struct tach_run *, size_t *next, struct segment *);

/* An array with the tracks of a format, one for each index of a run. */
struct tracks {
	void *tracks;
	uint32_t count;
	/* private */
	uint32_t max;
};

/* The track of an index.  A new track is all zero.  Tracks move when another is
 * added.  NULL if out of memory, or if limits.h allows no more tracks. */
void *tracks_find(struct tracks *, uint32_t index, size_t size);

#endif
