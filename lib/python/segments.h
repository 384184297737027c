/* SPDX-License-Identifier: ISC */
/*
 * segments.h: the frames of Python that one loop runs: a segment (see cframes.h).
 *
 * The walk allocates nothing, so that a signal handler can take it.
 */
#ifndef PYTHON_SEGMENTS_H
#define PYTHON_SEGMENTS_H

#include "python/memory.h"
#include "python/offsets.h"

/* A step of a walk over a thread's frames, innermost first. */
enum segment_step {
	SEGMENT_FRAME, /* a frame, at ->at */
	SEGMENT_END,   /* the end of the segment with the frames before; ->at: its entry,
			* or 0 */
	SEGMENT_DONE,  /* there are no more frames */
	SEGMENT_BAD,   /* memory cannot be read, or the chain runs in a circle */
};

struct segment_walk {
	const struct py_offsets *o;
	const struct py_memory *memory;
	uint64_t at;
	uint64_t frame, cframe; /* the next ones; 0: none */
	uint64_t base;	/* the frame that all chains of the thread end with; or 0 */
	size_t steps;
	bool open;  /* the segment has frames */
	bool over;  /* the last frame was its segment's outermost */
};

/* Begins a walk of a thread that stands still, by the address of its state.  False if
 * memory cannot be read. */
bool segment_walk_begin(struct segment_walk *, const struct py_offsets *,
    const struct py_memory *, uint64_t thread);
enum segment_step segment_walk_next(struct segment_walk *);

#endif
