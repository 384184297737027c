/* SPDX-License-Identifier: ISC */
/* mixed.h: stacks of Python and C: the stack of a thread at one moment is unwound and
 * merged with its chain (see cframes.h), and the functions of C get their names. */
#ifndef ENGINE_NATIVE_MIXED_H
#define ENGINE_NATIVE_MIXED_H

#include "engine/lines/late_lines.h"
#include "engine/native/native_capture.h"
#include "engine/sample/native_faults.h"
#include "python/cframes.h"
#include "python/frames.h"
#include "python/offsets.h"
#include "tach-record.h"

struct mixed;

/* The memory is the process's, for its code.  What is given must outlive it.  Each stack
 * is counted among the faults.  The lines are NULL if none are wanted.  NULL if out of
 * memory. */
struct mixed *mixed_new(const struct process *, const struct py_offsets *,
    const struct py_memory *, struct tach_table *, struct native_faults *,
    struct late_lines *, const struct tach_recorder_options *);
void mixed_free(struct mixed *);

/*
 * The four steps of a stack.  A thread that has stopped may go on after the first one if
 * the capture has a copy of its stack, else after the second one.
 *
 * mixed_begin: reads what links Python and C, of the thread whose state lies at `state`;
 * mixed_unwind: finds the frames of C, and returns whether they are all that the thread
 * has, for sure.
 */
void mixed_begin(struct mixed *, const struct native_capture *, uint64_t state);
bool mixed_unwind(struct mixed *, const struct native_capture *);
/* Whether a copy of the stack was not enough for them. */
bool mixed_is_cut(const struct mixed *);
/* In the place of mixed_begin: takes segments that are known, and that must stay until
 * the stack is merged. */
void mixed_take(struct mixed *, struct py_segments *);
/* Keeps the frames of such a stack, of a thread that was blocked; and finds again, in
 * the place of mixed_unwind, those of a capture with the same stack. */
void mixed_keep(struct mixed *, pid_t task, const struct native_capture *);
bool mixed_recall(struct mixed *, pid_t task, const struct native_capture *);
/* The end of that stack; 0: not known. */
uint64_t mixed_stack_end(const struct mixed *);
/* Merges these frames with the chain of the same moment.  False if out of memory. */
bool mixed_merge(struct mixed *, const struct py_chain *);

/* The part of a stack that was needed to merge it.  It may be asked of a stack that is cut
 * before that is merged. */
struct mixed_need {
	uint64_t low; /* address */
	uint64_t end; /* above the outermost loop, and what it keeps; 0: not known, or
		       * all of its frames are wanted */
	bool cut;     /* it is not exact as the copy of the stack ended before that */
};

struct mixed_need mixed_needs(const struct mixed *);

/*
 * Names the frames of C of that stack, which can take long, and makes a chain of all.
 * callee: the frame of the table that stands for the function of C that the innermost
 * frame of Python calls, or TACH_NONE.  The result is valid until the next call; NULL
 * if out of memory.
 */
struct py_chain *mixed_name(struct mixed *, const struct py_chain *, uint32_t callee);

#endif
