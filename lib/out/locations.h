/* SPDX-License-Identifier: ISC */
/*
 * locations.h: frames that a format shows alike are one location.  A table has
 * a frame for every column and opcode; a format that shows lines wants one
 * location for all frames of a line.
 */
#ifndef OUT_LOCATIONS_H
#define OUT_LOCATIONS_H

#include "buf.h"
#include "kind.h"
#include "set.h"
#include "tach.h"

/* Frames are one location if these are equal.  Strings are compared by content,
 * since the table of a file can have the same string twice. */
enum location_kind {
	LOCATION_FUNCTIONS, /* file and function */
	LOCATION_LINES,	    /* and line */
	LOCATION_POSITIONS, /* and column */
	LOCATION_TEXTS,	    /* the text that the format writes for it */
};

#define LOCATION_HIDDEN (TACH_NONE - 1) /* a frame that is left out */

struct location {
	struct tach_string file, func;
	/* 0 if there is none.  A function has the smallest of its frames. */
	int32_t line;
	int32_t column; /* -1 if not known; only LOCATION_POSITIONS have it */
	/* KIND_SOURCE if one of its frames is of that kind. */
	enum frame_kind kind;
	struct tach_string text; /* if the format has a function that makes it */
};

/* Writes the text of a frame. */
typedef void location_text_fn(struct buf *, struct tach_string file,
    struct tach_string func, int32_t line);

struct locations {
	const struct tach_table *table;
	enum location_kind kind;
	location_text_fn *text; /* NULL if the format writes none */
	struct location *all;
	uint32_t count;
	/* private */
	size_t max;
	uint32_t *location_of; /* by frame; TACH_NONE: not known yet */
	uint32_t nframes;
	struct set set;
	struct buf scratch;
	size_t size; /* of all texts */
	const char *failure; /* the limit that was reached; else NULL */
};

void locations_init(struct locations *, const struct tach_table *,
    enum location_kind, location_text_fn *);
void locations_clear(struct locations *);

/* Whether a profile with these locations is of Python: it has a version of Python, which
 * a text may lack, or a function in a file of source. */
bool locations_of_python(const struct locations *, const struct tach_meta *);

/*
 * The index of a frame's location.  It stays the same when locations are added,
 * but the array moves.  LOCATION_HIDDEN if the frame is one by which CPython's
 * profiler starts a program (_sync_coordinator.py): its own outputs leave these
 * out, too.  TACH_NONE if out of memory.
 */
uint32_t locations_find(struct locations *, uint32_t frame);

/* The location of a frame that stands for no code and has this name, which must
 * outlive the locations.  TACH_NONE if out of memory. */
uint32_t locations_add_name(struct locations *, const char *name);

static inline uint32_t
locations_of(struct locations *p, uint32_t frame)
{
	if (frame < p->nframes && p->location_of[frame] != TACH_NONE)
		return p->location_of[frame];
	return locations_find(p, frame);
}

/* The order of strings by their bytes: below 0, 0 or above 0. */
int string_order(struct tach_string, struct tach_string);

/* Synthetic frames, such as <GC>, have the file "~" and no line. */
static inline bool
synthetic(struct tach_string file, int32_t line)
{
	return line == 0 && file_is_none(file);
}

/* Whether a location has the file of a module, or of the kernel, and not of source. */
static inline bool
location_in_module(const struct location *p)
{
	return (p->kind == KIND_NATIVE || p->kind == KIND_KERNEL) && p->line <= 0 &&
	    !file_is_none(p->file);
}

/* Whether it is a line of C. */
static inline bool
location_in_c_source(const struct location *p)
{
	return p->kind == KIND_NATIVE && p->line > 0;
}

/* See kind_has_caller. */
static inline bool
location_has_caller(const struct location *p)
{
	return kind_has_caller(p->kind, p->line);
}

/* The frame of a stack without frames, in formats that need one: such a sample
 * counts, too. */
#define NO_FRAMES "<no frames>"

#endif
