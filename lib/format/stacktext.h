/* SPDX-License-Identifier: ISC */
/*
 * stacktext.h: the threads of an input whose stacks are text, each frame
 * with a semicolon behind it, outermost first.
 *
 * Most stacks are those that their thread had before, or differ from them
 * only in some innermost frames: just the text that differs is looked at.
 * The text of each frame is taken apart once.
 */
#ifndef FORMAT_STACKTEXT_H
#define FORMAT_STACKTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "format/delta.h"
#include "format/source.h"
#include "set.h"
#include "tach.h"

/* A part of a line.  Behind it is always a byte that does not belong to a
 * part: what separates two of them, or the newline. */
struct piece {
	const char *text;
	size_t len;
};

struct text_thread {
	uint64_t id;
	uint32_t interp;
	uint64_t time; /* the kind of input uses it as it likes; 0 at first */
	struct stack stack;
	struct buf text; /* of the stack */
};

struct stacktext {
	struct source_input *in;
	/* Makes a frame of its text.  TACH_FATAL: the input's error says why. */
	int (*parse)(void *arg, struct piece, struct tach_frame *);
	void *arg;
	uint32_t nth; /* frame of the stack that is looked at, from 1 */

	struct tach_table *texts; /* of frames, as strings */
	uint32_t *frames;	  /* of those texts, by index */
	size_t frames_max;

	struct text_thread *threads;
	uint32_t nthreads;
	size_t threads_max;
	struct set thread_set;
	uint32_t last; /* the current thread */
};

/* What the caller knows is set, all else zero.  False: out of memory. */
bool stacktext_init(struct stacktext *);
void stacktext_clear(struct stacktext *);

/* Makes a thread the current one, which it is already if it is the one. */
int stacktext_thread(struct stacktext *, uint64_t id, uint32_t interp);

static inline struct text_thread *
stacktext_current(const struct stacktext *s)
{
	return &s->threads[s->last];
}

/* Whether this is the text of the stack that a thread has. */
bool stacktext_same(const struct text_thread *, struct piece stack);

/* Turns the current thread's stack into this one, which has the `shared`
 * outermost frames, at least, of the one before. */
int stacktext_change(struct stacktext *, struct piece stack,
    uint32_t *shared);

/* A run of the current thread's stack, without ticks. */
struct tach_run stacktext_run(const struct stacktext *, uint32_t shared);

#endif
