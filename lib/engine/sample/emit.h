/* SPDX-License-Identifier: ISC */
/* emit.h: makes a sample of a thread's chain, once the chain is believed. */
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
	bool opcodes; /* frames have their opcodes */
	uint32_t torn_frame, marks[PLACE_MARKS]; /* TACH_NONE: not made yet */
};

/* Frames of a sample before the innermost one of its chain, outermost first.
 * TACH_NONE: there is none. */
struct sample_leaves {
	uint32_t callee; /* the function of C that the innermost frame calls */
	uint32_t wait;	 /* the reason for which the thread is blocked */
};

#define NO_LEAVES ((struct sample_leaves){TACH_NONE, TACH_NONE})

/* The table, the names and the codes must outlive the emitter. */
void emitter_init(struct emitter *, struct tach_table *,
    struct thread_names *, struct codes *);
void emitter_free(struct emitter *);

/*
 * Gives a chain of proven frames to the sink as a sample of a thread, whose index
 * must be set.  shown: the chain with frames of C, its callee among them, if the sample
 * is to have these; or NULL.  torn: the chain has only the outermost frames.  The chains
 * become the thread's last ones, and they the ones before these.  False if out of
 * memory, or if the sink failed.
 */
bool emit_sample(struct emitter *, struct thread *, struct py_chain *chain,
    struct py_chain *shown, struct sample_leaves, bool torn, const struct moment *,
    struct tach_sink *);

/* The index of a frame that has no line, in a file that stands for its kind.  TACH_NONE
 * if out of memory. */
uint32_t emit_lineless(struct tach_table *, const char *file,
    struct tach_string name);
/* The index of a frame that is no function, such as "<GC>".  TACH_NONE if out of
 * memory. */
uint32_t emit_synthetic(struct tach_table *, const char *name);

/* Gives the last sample of a thread once more: the thread has not run since.  False
 * if the sink failed. */
bool emit_again(struct emitter *, struct thread *, uint64_t time_us,
    struct tach_sink *);
/* Likewise, but with another reason for which it is blocked, or none: TACH_NONE. */
bool emit_waiting(struct emitter *, struct thread *, uint32_t wait, uint64_t time_us,
    struct tach_sink *);

#endif
