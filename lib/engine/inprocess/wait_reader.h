/* SPDX-License-Identifier: ISC */
/*
 * wait_reader.h: single threads of a Python that sample themselves, read from
 * outside: one that waits tells nothing before its wait is over.
 */
#ifndef ENGINE_INPROCESS_WAIT_READER_H
#define ENGINE_INPROCESS_WAIT_READER_H

#include "engine/os/process.h"
#include "engine/threads/threads.h"
#include "python/runtime.h"
#include "tach.h"

struct wait_reader;

/* All must outlive it.  NULL: out of memory. */
struct wait_reader *wait_reader_new(const struct process *,
    const struct py_runtime *, const struct tach_recorder_options *,
    struct tach_table *, struct thread_names *);
void wait_reader_free(struct wait_reader *);

/* How a thread was when it was read. */
struct wait_reader_sample {
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
bool wait_reader_look(struct wait_reader *);
/* Reads a thread by its pthread_self; tid: as it knows itself.  False: it has no
 * stack, or none that is certain. */
bool wait_reader_read(struct wait_reader *, uint64_t ident, uint64_t tid,
    struct wait_reader_sample *);
/* As it was when it was read last, if that could be done. */
bool wait_reader_again(const struct wait_reader *, uint64_t ident,
    struct wait_reader_sample *);

#endif
