/* SPDX-License-Identifier: ISC */
/*
 * outside.h: single threads of a Python that sample themselves, read from
 * outside: one that waits tells nothing before its wait is over.
 */
#ifndef ENGINE_INPROCESS_OUTSIDE_H
#define ENGINE_INPROCESS_OUTSIDE_H

#include "engine/os/process.h"
#include "engine/threads/threads.h"
#include "python/runtime.h"
#include "tach.h"

struct outside;

/* All must outlive it.  NULL: out of memory. */
struct outside *outside_new(const struct process *, const struct py_runtime *,
    const struct tach_recorder_options *, struct tach_table *,
    struct thread_names *);
void outside_free(struct outside *);

/* How a thread was when it was read. */
struct outside_sample {
	uint32_t index, interp; /* of the thread */
	const uint32_t *frames; /* innermost first; valid until the next look */
	uint32_t depth;
	uint32_t shared; /* of the outermost, that the thread's sample before
			  * had, too */
	uint8_t status;
	bool compiled; /* in code that Python's JIT made */
};

/* Looks which threads there are, for those that are read next.  False: that
 * cannot be seen. */
bool outside_look(struct outside *);
/* Reads a thread by its pthread_self; tid: as it knows itself.  False: it has no
 * stack, or none that is certain. */
bool outside_read(struct outside *, uint64_t ident, uint64_t tid,
    struct outside_sample *);
/* As it was when it was read last, if that could be done. */
bool outside_again(const struct outside *, uint64_t ident,
    struct outside_sample *);

#endif
