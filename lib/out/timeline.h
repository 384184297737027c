/* SPDX-License-Identifier: ISC */
/*
 * timeline.h: for formats that show what each thread did when.  A thread is a
 * track, in which segments follow each other.
 */
#ifndef OUT_TIMELINE_H
#define OUT_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tach.h"

/* Some time in which a thread's stack stayed the same, in microseconds. */
struct segment {
	uint64_t begin, end;
	bool idle; /* all of it; if not, none of it */
};

/*
 * Gives the next segment of a run, from its tick *next on, and moves that on;
 * false: there is none.  A segment ends where a gap begins, or where the
 * thread begins or ceases to be idle.  What lasts no time is passed over.
 */
bool timeline_next(const struct tach_run *, size_t *next, struct segment *);

/* Whatever a format keeps for a track; one for each index of a run. */
struct tracks {
	void *tracks;
	uint32_t count;
	/* private */
	uint32_t max;
};

/* The track of an index, all zero at first, which moves when another comes.
 * NULL: out of memory, or more than may be held (limits.h). */
void *tracks_find(struct tracks *, uint32_t index, size_t size);

#endif
