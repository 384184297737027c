/* SPDX-License-Identifier: ISC */
/*
 * stacktext.h: the threads of an input whose stacks are text, outermost frame
 * first, each frame with a semicolon behind it.
 *
 * Most stacks equal the previous stack of their thread, or differ in some
 * innermost frames: only the text that differs is parsed.  The text of each
 * frame is parsed once.
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

/* A part of a line.  Behind it is always a byte that is not a part: a
 * separator, or the newline. */
struct piece {
	const char *text;
	size_t len;
};

struct text_thread {
	uint64_t id;
	uint32_t interp;
	uint64_t time; /* for the input's own use; 0 at first */
	struct stack stack;
	struct buf text; /* of the stack */
};

struct stacktext {
	struct source_input *in;
	/* Makes a frame of its text.  TACH_FATAL if that failed: the input's
	 * error says why. */
	int (*parse)(void *arg, struct piece, struct tach_frame *);
	void *arg;
	uint32_t nth; /* number of the frame that is parsed, from 1 */

	struct tach_table *texts; /* of frames, as strings */
	uint32_t *frames;	  /* by index of the text */
	size_t frames_max;

	struct text_thread *threads;
	uint32_t nthreads;
	size_t threads_max;
	struct set thread_set;
	uint32_t last; /* the current thread */
	uint64_t held; /* bytes of the stacks and their texts, of all threads */
};

/* The caller sets some members, and zeros the others.  False if out of
 * memory. */
bool stacktext_init(struct stacktext *);
void stacktext_clear(struct stacktext *);

/* Makes a thread the current one. */
int stacktext_thread(struct stacktext *, uint64_t id, uint32_t interp);

static inline struct text_thread *
stacktext_current(const struct stacktext *s)
{
	return &s->threads[s->last];
}

/* Whether a thread's stack has this text. */
bool stacktext_same(const struct text_thread *, struct piece stack);

/* Turns the stack of the current thread into this one, which has at least the
 * `shared` outermost frames of the previous stack. */
int stacktext_change(struct stacktext *, struct piece stack,
    uint32_t *shared);

/* A run of the current thread's stack, without ticks. */
struct tach_run stacktext_run(const struct stacktext *, uint32_t shared);

#endif
