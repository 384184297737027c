/* SPDX-License-Identifier: ISC */
/* mixed.h: stacks of Python and C: the stack of a thread at one moment is unwound and
 * merged with its chain (see cframes.h), and the functions of C get their names. */
#ifndef ENGINE_NATIVE_MIXED_H
#define ENGINE_NATIVE_MIXED_H

#include "engine/native/native_capture.h"
#include "python/frames.h"
#include "python/offsets.h"
#include "tach-record.h"

struct mixed;

/* all: also the interpreter's own frames, and the frames below all of Python.  The
 * memory is the process's, for its code.  What is given must outlive it.  NULL if out
 * of memory. */
struct mixed *mixed_new(const struct process *, const struct py_offsets *,
    const struct py_memory *, struct tach_table *, bool all);
void mixed_free(struct mixed *);

/* Reads the frames of C of a capture, and merges them with the chain of the same moment.
 * state: the address of the thread's state.  The capture is not used afterwards.  False
 * if out of memory. */
bool mixed_merge(struct mixed *, const struct native_capture *, uint64_t state,
    const struct py_chain *);

/*
 * Names the frames of C of that stack, which can take long, and makes a chain of all.
 * callee: the frame of the table that stands for the function of C that the innermost
 * frame of Python calls, or TACH_NONE.  The result is valid until the next call; NULL
 * if out of memory.
 */
struct py_chain *mixed_name(struct mixed *, const struct py_chain *, uint32_t callee);

#endif
