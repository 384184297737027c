/* SPDX-License-Identifier: ISC */
/*
 * places.h: what of a frame a format tells apart.  A table has a frame for
 * every column and opcode; a format that shows lines wants one place for all
 * frames of a line.
 */
#ifndef OUT_PLACES_H
#define OUT_PLACES_H

#include "buf.h"
#include "set.h"
#include "tach.h"

/* Frames are one place if these are equal; strings by content, since a file's
 * table may hold one more than once. */
enum place_kind {
	PLACE_FUNCTIONS, /* file and function */
	PLACE_LINES,	 /* and line */
	PLACE_POSITIONS, /* and column */
	PLACE_TEXTS,	 /* what the format writes for it */
};

#define PLACE_HIDDEN (TACH_NONE - 1) /* a frame that is left out */

struct place {
	struct tach_string file, func;
	/* 0: none.  Of a function the smallest that was seen. */
	int32_t line;
	int32_t column; /* -1: not known; of a position only */
	struct tach_string text; /* where there is a function for it */
};

/* Writes what stands for a frame. */
typedef void place_text_fn(struct buf *, struct tach_string file,
    struct tach_string func, int32_t line);

struct places {
	const struct tach_table *table;
	enum place_kind kind;
	place_text_fn *text; /* NULL: none is written */
	struct place *places;
	uint32_t count;
	/* private */
	size_t max;
	uint32_t *place_of; /* by frame; TACH_NONE: not known yet */
	uint32_t nframes;
	struct set set;
	struct buf scratch;
	size_t size; /* of all texts */
	const char *failure; /* why none could be added; NULL: no memory */
};

void places_init(struct places *, const struct tach_table *, enum place_kind,
    place_text_fn *);
void places_clear(struct places *);

/*
 * The index of a frame's place; PLACE_HIDDEN for the frames by which
 * CPython's profiler starts a program (_sync_coordinator.py), which its own
 * outputs leave out too; TACH_NONE: no memory.  Places do not move their
 * index, though the array moves.
 */
uint32_t places_find(struct places *, uint32_t frame);

static inline uint32_t
places_of(struct places *p, uint32_t frame)
{
	if (frame < p->nframes && p->place_of[frame] != TACH_NONE)
		return p->place_of[frame];
	return places_find(p, frame);
}

/* Synthetic frames, such as <GC>, are of this file and have no line. */
static inline bool
synthetic(struct tach_string file, int32_t line)
{
	return line == 0 && file.len == 1 && file.bytes[0] == '~';
}

/* What stands for a stack without frames where there must be one: such a
 * sample counts, too. */
#define NO_FRAMES "<no frames>"

#endif
