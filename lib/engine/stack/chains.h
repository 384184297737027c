/* SPDX-License-Identifier: ISC */
/*
 * chains.h: one thread's chain of frames, read until it can be trusted.
 *
 * The thread may run while it is read: the frame that was the current one when
 * its state was copied, and that one's callers, go on before they are copied.
 * What has returned or was suspended since then is kept, for the sample is of
 * the moment before: to take what goes on instead, or to read again until
 * nothing has moved, would pass over functions that end within a microsecond.
 * A chain counts if each of its calls is known to be one that the program
 * makes there.  A caller that has left its place is taken back to where it made
 * that call, if that can only be one, and a suspended generator has the caller
 * that it had before: see read_once.h.  If that does not do, the thread is read
 * again: see read_twice.h.
 */
#ifndef ENGINE_STACK_CHAINS_H
#define ENGINE_STACK_CHAINS_H

#include "engine/code/codes.h"
#include "engine/code/contexts.h"
#include "engine/copy/snapshot.h"
#include "engine/os/process.h"
#include "engine/sched/colocate.h"
#include "engine/threads/threads.h"
#include "python/runtime.h"
#include "python/status.h"

#define CHAINS_STACK (16 * 1024) /* bytes: no part of a data stack is smaller */

#define CHAINS_FILL (32 * 1024) /* bytes that a copy may lack; see candidate.h */

/* Why a thread could not be read. */
enum chain_trouble {
	CHAIN_UNREADABLE, /* its memory could not be read */
	CHAIN_MOVING,	  /* it never held still for long enough */
	CHAIN_UNKNOWN,	  /* its code objects could not be read */
};

struct chains {
	const struct process *process;
	const struct py_offsets *offsets;
	uint64_t runtime; /* address */
	struct process_memory memory;
	struct codes *codes;
	struct contexts *contexts;
	struct colocation colocation;
	/* The part of a thread state that is read. */
	uint32_t state_low, state_size;
	uint32_t id_field; /* in there */
	struct py_past past;
	struct snapshot one; /* of one thread */
	struct spans spans;
	/* The newest chain, and what it is compared with. */
	struct py_chain chain, other;
	uint64_t tid;	  /* that the thread state gave last; see tids.h */
	const uint8_t *state; /* the copy of it that goes with the chain ... */
	const uint8_t *after; /* ... and one from after it, if there is one */
	bool native, gc;  /* marks that the chains are to have */
	bool careful;	/* threads are read from their own CPUs at once */
	bool nowhere_near; /* the thread's CPU is not to be had */
	bool missed;	/* the last read lacked memory */
	bool rootless;	  /* only its root is not known */
	bool doubtful;	  /* two copies have the same, while the thread ran */
	bool sound;	  /* all calls of the newest chain are known */
	struct stamp stamp; /* of the newest chain */
	size_t last;	  /* frames of it that its thread's last sample had */
	uint64_t patience; /* ns to seek what ran */
	uint64_t print;	  /* hash of what the newest read copied, if it failed */
	uint64_t retries; /* reads repeated because a thread moved on */
	enum chain_trouble trouble; /* of the last read that failed */
	bool ended;	  /* the process has no memory any more */
	uint8_t *filled; /* what the copy that was walked last lacked */
	uint8_t *newest; /* a copy of a thread's state, and of the part of its
			  * data stack that it is in */
};

/* All must outlive it.  False: out of memory; chains_free is to be called all the
 * same. */
bool chains_init(struct chains *, const struct process *,
    const struct py_runtime *, const struct tach_recorder_options *,
    struct tach_table *);
void chains_free(struct chains *);

/* Adds to a snapshot what a thread's last samples needed: its state, then its
 * frames. */
bool chains_add(const struct chains *, struct snapshot *,
    const struct thread *);
bool chains_add_state(const struct chains *, struct snapshot *,
    const struct thread *);
bool chains_add_frames(const struct chains *, struct snapshot *,
    const struct thread *);

/* Whether a thread state says which frame is the current one, and where that
 * ends: from 3.13 on. */
bool chains_tell_frame(const struct chains *);

/* Whether there is no data stack: to 3.10. */
bool chains_lie_apart(const struct chains *);

/* Before 3.13: adds the frames alone, to be copied before the state: those
 * that end at once have gone after it. */
bool chains_add_before(const struct chains *, struct snapshot *,
    const struct thread *);

/* The n-th of the ranges that chains_add added could not be read.  False: that
 * is the state. */
bool chains_drop(const struct chains *, struct thread *, size_t n);

/* Adds an interpreter's words on garbage collection, if they are wanted and no
 * range from `first` on has them, and tells where they will be; and what they
 * say of a thread of it. */
bool chains_add_gc(const struct chains *, struct snapshot *, size_t first,
    uint64_t interp, size_t *where);
struct py_marks chains_marks(const struct chains *, const struct thread *,
    const uint8_t *words);

/* Adds to them the root that a thread's last sample had, if that is known beyond
 * doubt.  Not before 3.13, where the C stack is copied anyway. */
void chains_mark_root(const struct chains *, const struct thread *,
    struct py_marks *);

/* A field of a thread state that was copied with chains_add. */
uint64_t chains_state(const struct chains *, const uint8_t *copy,
    uint32_t offset);

/* Likewise what codes_stamp needs of an interpreter, where it keeps a
 * count. */
bool chains_add_count(const struct chains *, struct snapshot *, size_t first,
    uint64_t interp, size_t *where);

/* Adds to a working set what these two look for, where that is one range. */
bool chains_note_words(const struct chains *, struct workset *,
    uint64_t interp);

/* Of the thread that was read last: whether it raises or handles an exception,
 * whether its state says that it wants the GIL, which states do from 3.15 on,
 * and whether it runs code that the JIT made. */
bool chains_exception(const struct chains *, const struct thread *,
    struct py_none *);
bool chains_wants_gil(const struct chains *);
bool chains_compiled(const struct chains *);

#endif
