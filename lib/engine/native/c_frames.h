/* SPDX-License-Identifier: ISC */
/* c_frames.h: functions of C as frames of the table, by a cache: a place in the code that
 * was seen before has its frame by one look-up. */
#ifndef ENGINE_NATIVE_C_FRAMES_H
#define ENGINE_NATIVE_C_FRAMES_H

#include "engine/lines/late_lines.h"
#include "engine/native/native_frames.h"
#include "engine/native/unwinder.h"
#include "set.h"
#include "tach.h"

/* The function of C that a frame is in. */
struct c_frame {
	uint64_t pc; /* in it */
	struct module *of; /* NULL: code that was made at run time */
	uint64_t start;	   /* in memory; 0: not known */
	bool nameless;	   /* its name is an address, or its file's */
	bool glue;  /* by its name, it only passes a call of the interpreter on */
	bool agent; /* it is of our agent, in the process */
	uint32_t frame; /* TACH_NONE: not made yet */
};

#define C_FRAMES_RECENT 1024 /* a power of two */

struct c_frames {
	struct unwinder *unwinder;
	struct tach_table *table;
	struct native_frames notes;
	struct late_lines *lines; /* NULL: none are wanted */
	struct c_frame *list;
	size_t count, max;
	struct set set;
	uint32_t recent[C_FRAMES_RECENT]; /* indices that were found last, by place */
	const struct module *interpreter; /* NULL: not seen yet */
	uint64_t listed; /* ->listed of the modules that they are of */
};

/* The unwinder, the table and the lines must outlive them. */
void c_frames_init(struct c_frames *, struct unwinder *, struct tach_table *,
    struct late_lines *);
void c_frames_free(struct c_frames *);

/* The function that a frame is in, until the next call.  NULL if out of memory. */
struct c_frame *c_frames_find(struct c_frames *, const struct native_frame *);
/* Its frame of the table, which is made now if it is wanted first.  TACH_NONE if out of
 * memory. */
uint32_t c_frames_frame(struct c_frames *, struct c_frame *);
/* The frame for functions that are not known.  cause: its file, for people, or NULL.
 * TACH_NONE if out of memory. */
uint32_t c_frames_lost(struct c_frames *, const char *cause);

#endif
