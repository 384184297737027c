/* SPDX-License-Identifier: ISC */
/*
 * chains.h: one thread's chain of frames, read until it can be trusted.
 *
 * The thread may run while it is read: its current frame and the callers of that
 * frame go on after its state was copied and before they are copied.  Frames that
 * have returned or were suspended by then are kept, as the sample is of the
 * moment of the state.  To take only live frames, or to read again until nothing
 * has moved, would miss functions that end within a microsecond.
 *
 * A chain counts if all its calls are known: the program makes them from there.
 * A caller that has left the place of its call is taken back to it, if only one
 * place is possible, and a suspended generator gets the caller that it had
 * before: see read_once.h.  If a call is still not known, the thread is read
 * again: see read_twice.h.
 */
#ifndef ENGINE_STACK_CHAINS_H
#define ENGINE_STACK_CHAINS_H

#include "engine/code/codes.h"
#include "engine/code/contexts.h"
#include "engine/copy/snapshot.h"
#include "engine/os/os.h"
#include "engine/sched/colocate.h"
#include "engine/threads/threads.h"
#include "python/runtime.h"
#include "python/status.h"

#define CHAINS_STACK (16 * 1024) /* bytes: no chunk of a data stack is smaller */

#define CHAINS_FILL (32 * 1024) /* bytes that a copy may lack; see candidate.h */

/* The result of a read of a thread, or of a step of one. */
enum read_result {
	READ_OK,    /* all of the chain is believed */
	READ_TORN,  /* not all of it, or none: another read may do better */
	READ_GONE,  /* the process has no memory any more */
	READ_NOMEM, /* the recorder is out of memory */
};

/* Why a thread could not be read. */
enum chain_trouble {
	CHAIN_UNREADABLE, /* its memory could not be read */
	CHAIN_MOVING,	  /* it never stood still for long enough */
	CHAIN_UNKNOWN,	  /* its code objects could not be read */
};

/* The part of a thread state that is read: offset and size in bytes. */
struct state_part {
	uint32_t low, size;
	uint32_t id; /* offset of the thread's id in a thread state */
};

/* The copies of a thread state that were made with a chain; borrowed. */
struct state_copies {
	const uint8_t *first; /* of the chain's moment */
	const uint8_t *after; /* a later one; `first` if there is none */
	uint64_t tid; /* the id that the state gave; see tids.h */
};

struct chain_wishes {
	bool native, gc; /* marks that the chains get */
	bool careful;	 /* a thread is first read from its own CPU */
};

/* Notes of read_twice on the reads of a thread. */
struct read_notes {
	bool nowhere_near; /* the thread's CPU is out of reach */
	bool missed;	   /* the last read lacked memory */
	bool rootless;	   /* only the root of the newest chain is not known */
	bool doubtful;	   /* both copies have it, but the thread ran */
	uint64_t print;	   /* hash of the copies of the newest failed read */
};

struct chains {
	const struct process *process;
	const struct py_offsets *offsets;
	uint64_t runtime; /* address */
	struct process_memory memory;
	struct codes *codes;
	struct contexts *contexts;
	struct colocation colocation;
	struct state_part part;
	struct py_past past;
	struct snapshot one; /* of one thread */
	struct spans spans;
	/* The newest chain, and the chain that it is compared with. */
	struct py_chain chain, other;
	struct state_copies copies; /* that go with the newest chain */
	struct chain_wishes wants;
	struct read_notes notes;
	bool sound;	  /* all calls of the newest chain are known */
	struct stamp stamp; /* of the newest chain */
	size_t last;	  /* its outermost frames that the last sample had */
	uint64_t patience; /* ns that a search may take; see seek.h */
	uint64_t retries; /* reads repeated because a thread moved on */
	enum chain_trouble trouble; /* of the last read that failed */
	uint8_t *filled; /* memory that the copy walked last lacked */
	uint8_t *newest; /* a copy of a thread's state, and of the newest chunk
			  * of its data stack */
};

/* READ_NOMEM if memory has run out in the tables of code objects and calls, which the
 * chain may therefore miss; else READ_OK or READ_TORN. */
enum read_result chains_result(const struct chains *, bool whole);

/* The process, the runtime and the table must outlive the chains.  False if out
 * of memory; chains_free must be called even then. */
bool chains_init(struct chains *, const struct process *,
    const struct py_runtime *, const struct tach_recorder_options *,
    struct tach_table *);
void chains_free(struct chains *);

/* To be called before a thread is read: forgets the code objects and calls that
 * were not used lately, if many were. */
void chains_trim(struct chains *, const struct thread *);

/* Adds the memory that a thread's last samples needed to a snapshot: its state,
 * then its frames.  False if out of memory. */
bool chains_add(const struct chains *, struct snapshot *,
    const struct thread *);
bool chains_add_state(const struct chains *, struct snapshot *,
    const struct thread *);
bool chains_add_frames(const struct chains *, struct snapshot *,
    const struct thread *);

/* Whether a thread state has the current frame and the end of the data stack: from
 * 3.13 on. */
bool chains_tell_frame(const struct chains *);

/* Whether frames lie apart, on the heap, without a data stack: to 3.10. */
bool chains_lie_apart(const struct chains *);

/*
 * In 3.11 and 3.12: adds the frames alone, to be copied before the state, as frames
 * that end at once are gone after it.  In other versions, and if the frames have more
 * than 64 KiB, adds nothing.  False if out of memory.
 *
 * This costs up to 64 KiB that are copied twice, and has the effect that a function
 * of truly 21 % has 15 to 22 % of the samples, not 4 to 11.
 */
bool chains_add_before(const struct chains *, struct snapshot *,
    const struct thread *);

/* Drops the n-th range that chains_add added, which could not be read, from the
 * thread's set.  False if it is the state (n is 0). */
bool chains_drop(const struct chains *, struct thread *, size_t n);

/* Adds an interpreter's words on garbage collection to a snapshot, if they are
 * wanted and no range from `first` on has them.  *where: their offset in the
 * snapshot's bytes.  False if out of memory. */
bool chains_add_gc(const struct chains *, struct snapshot *, size_t first,
    uint64_t interp, size_t *where);
/* The marks that a chain of a thread gets, by a copy of these words. */
struct py_marks chains_marks(const struct chains *, const struct thread *,
    const uint8_t *words);

/* Adds the root of a thread's last sample to the marks, if that sample is sound.
 * From 3.13 on only: before, the C stack is copied anyway. */
void chains_mark_root(const struct chains *, const struct thread *,
    struct py_marks *);

/* The field of 8 bytes at an offset of a thread state, by a copy of the part that
 * chains_add_state adds. */
uint64_t chains_state(const struct chains *, const uint8_t *copy,
    uint32_t offset);

/* Adds the counts of an interpreter that codes_stamp needs, if there are any, as
 * chains_add_gc does.  Two counts are always added. */
bool chains_add_count(const struct chains *, struct snapshot *, size_t first,
    uint64_t interp, size_t *where);

/* Adds the words of chains_add_gc to a working set, and the count of
 * chains_add_count if there is one only. */
enum copy_result chains_note_words(const struct chains *, struct workset *,
    uint64_t interp);

/* The thread that was read last: whether it raises or handles an exception,
 * whether its state says that it wants the GIL (states say so from 3.15 on), and
 * whether it runs code that the JIT made. */
bool chains_exception(const struct chains *, const struct thread *,
    struct py_none *);
bool chains_wants_gil(const struct chains *);
bool chains_compiled(const struct chains *);

#endif
