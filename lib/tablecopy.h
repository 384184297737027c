/* SPDX-License-Identifier: ISC */
/*
 * tablecopy.h: a table with the frames of another one that were asked for, and with
 * all of its notes: for sources that add frames to those that they read.
 */
#ifndef TABLECOPY_H
#define TABLECOPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tach.h"

struct tablecopy {
	const struct tach_table *from; /* must outlive the copy; may grow */
	struct tach_table *to;
	uint32_t noted;	    /* strings looked at for notes */
	uint32_t *frame_of; /* by frame of the other table; TACH_NONE: not known yet */
	size_t nframes, room;
};

/* False: out of memory, and nothing is to be cleared. */
bool tablecopy_init(struct tablecopy *, const struct tach_table *from);
void tablecopy_clear(struct tablecopy *);

/* Takes the notes that the other table has got since the last call.  False: out of
 * memory. */
bool tablecopy_notes(struct tablecopy *);
/* The frame of the other table as one of the copy.  TACH_NONE: out of memory. */
uint32_t tablecopy_frame(struct tablecopy *, uint32_t index);
/* A frame of the copy that stands for no code.  TACH_NONE: out of memory. */
uint32_t tablecopy_mark(struct tablecopy *, const char *name);

#endif
