/* SPDX-License-Identifier: ISC */
/* mixed.h: stacks of Python and C of threads that stand still: each is unwound and
 * merged with its chain (see cframes.h), and the functions of C get their names. */
#ifndef ENGINE_NATIVE_MIXED_H
#define ENGINE_NATIVE_MIXED_H

#include "engine/os/os.h"
#include "python/frames.h"
#include "python/offsets.h"
#include "tach-record.h"

struct mixed;

/* A thread that has stopped. */
struct mixed_thread {
	const struct stops *stops;
	pid_t task;
	uint64_t state; /* address of its thread state */
};

/* all: also the interpreter's own frames, and the frames below all of Python.  What is
 * given must outlive it.  NULL if out of memory. */
struct mixed *mixed_new(const struct process *, const struct py_offsets *,
    const struct py_memory *, struct tach_table *, bool all);
void mixed_free(struct mixed *);

/* Reads the frames of C of a thread, and merges them with its chain.  The thread may go
 * on afterwards.  False if out of memory. */
bool mixed_merge(struct mixed *, const struct mixed_thread *, const struct py_chain *);

/*
 * Names the frames of C of that stack, which can take long, and makes a chain of all.
 * callee: the frame of the table that stands for the function of C that the innermost
 * frame of Python calls, or TACH_NONE.  The result is valid until the next call; NULL
 * if out of memory.
 */
struct py_chain *mixed_name(struct mixed *, const struct py_chain *, uint32_t callee);

#endif
