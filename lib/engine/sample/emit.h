/* SPDX-License-Identifier: ISC */
/* emit.h: from a thread's chain, once it can be trusted, to a sample. */
#ifndef ENGINE_SAMPLE_EMIT_H
#define ENGINE_SAMPLE_EMIT_H

#include "engine/code/codes.h"
#include "engine/threads/status.h"
#include "engine/threads/threads.h"
#include "tach.h"

struct emitter {
	struct tach_table *table;
	struct thread_names *names;
	struct codes *codes;
	uint32_t *frames; /* of the sample that is being made */
	size_t frames_max;
	bool opcodes; /* frames have theirs */
	uint32_t torn_frame, marks[PLACE_MARKS];
};

/* All must outlive it. */
void emitter_init(struct emitter *, struct tach_table *,
    struct thread_names *, struct codes *);
void emitter_free(struct emitter *);

/*
 * Gives a chain of proven frames to the sink as the sample of a thread, which
 * has an index.  torn: these are its outermost frames only.  The chain becomes
 * the thread's last one, and *chain the one that was.  False: out of memory,
 * or the sink failed.
 */
bool emit_sample(struct emitter *, struct thread *, struct py_chain *chain,
    bool torn, const struct moment *, struct tach_sink *);

/* The frame of something that is no function, such as "<GC>".  TACH_NONE: out
 * of memory. */
uint32_t emit_synthetic(struct tach_table *, const char *name);

/* The same sample once more: of a thread that has not run since. */
bool emit_again(struct emitter *, struct thread *, uint64_t time_us,
    struct tach_sink *);

#endif
