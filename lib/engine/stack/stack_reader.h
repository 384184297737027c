/* SPDX-License-Identifier: ISC */
/*
 * stack_reader.h: what stays between reads of stacks: the process, what is known of
 * its code objects and calls, and room for one read.  One thread's stack is read until
 * it can be trusted.
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
#ifndef ENGINE_STACK_STACK_READER_H
#define ENGINE_STACK_STACK_READER_H

#include "engine/code/codes.h"
#include "engine/code/contexts.h"
#include "engine/copy/snapshot.h"
#include "engine/os/os.h"
#include "engine/sched/colocate.h"
#include "engine/stack/call_stack.h"
#include "engine/threads/threads.h"
#include "python/calls.h"
#include "python/runtime.h"
#include "python/status.h"

#define READER_STACK (16 * 1024) /* bytes: no chunk of a data stack is smaller */

#define READER_FILL (32 * 1024) /* bytes that a copy may lack; see candidate.h */

/* The part of a thread state that is read: offset and size in bytes. */
struct state_part {
	uint32_t low, size;
	uint32_t id; /* offset of the thread's id in a thread state */
};

struct read_wishes {
	bool native, gc; /* marks that the stacks get */
	bool callees;	 /* the objects that are called */
	bool mixed;	 /* registers and the stack of C, with each interrupt */
	bool kernel;	 /* the stack in the kernel, likewise */
	bool careful;	 /* a thread is first read from its own CPU */
};

/* Room for one read.  It carries nothing from one read to the next. */
struct read_scratch {
	struct snapshot copy; /* of one thread */
	struct spans spans;   /* of the capture that is walked */
	/* Another walk of the thread, whose stack may come to nothing: if it is
	 * believed, it is exchanged with the caller's. */
	struct call_stack spare;
	uint8_t *filled; /* memory that the capture lacked */
	uint8_t *newest; /* a thread's state, and the newest chunk of its data
			  * stack */
};

struct stack_reader {
	/* Borrowed from the caller, and valid as long as the reader. */
	const struct process *process;
	const struct py_offsets *offsets;
	uint64_t runtime; /* address */
	struct process_memory memory;
	struct py_calls calls;
	struct codes *codes;
	struct contexts *contexts;
	struct colocation colocation;
	struct state_part part;
	struct py_past past;
	struct py_none none;
	struct read_wishes wants;
	uint64_t patience; /* ns that a search may take; see seek.h */
	uint64_t retries; /* reads repeated because a thread moved on */
	struct read_scratch scratch;
};

/* READ_NOMEM if memory has run out in the tables of code objects and calls, which a
 * stack may therefore miss; else READ_SURE or READ_RETRY. */
enum read_result reader_result(const struct stack_reader *, bool whole);
/* The verdict on a stack with so many believed frames, likewise.  whole: they are all
 * of its frames, and all its calls are known or may be believed. */
struct verdict reader_verdict(const struct stack_reader *, size_t sure, bool whole);

/* The process, the runtime and the table must outlive the reader.  False if out
 * of memory; reader_free must be called even then. */
bool reader_init(struct stack_reader *, const struct process *,
    const struct py_runtime *, const struct tach_recorder_options *,
    struct tach_table *);
void reader_free(struct stack_reader *);

/* To be called before a thread is read: forgets the code objects and calls that
 * were not used lately, if many were. */
void reader_trim(struct stack_reader *, const struct thread *);

/* Adds the memory that a thread's last samples needed to a snapshot: its state,
 * then its frames.  False if out of memory. */
bool reader_add(const struct stack_reader *, struct snapshot *,
    const struct thread *);
bool reader_add_state(const struct stack_reader *, struct snapshot *,
    const struct thread *);
bool reader_add_frames(const struct stack_reader *, struct snapshot *,
    const struct thread *);

/*
 * In 3.11 and 3.12: adds the frames alone, to be copied before the state, as frames
 * that end at once are gone after it.  In other versions, and if the frames have more
 * than 64 KiB, adds nothing.  False if out of memory.
 *
 * This costs up to 64 KiB that are copied twice, and has the effect that at 1 kHz a
 * function of truly 19.5 % (t/programs/brief.py on 3.11) has 17 to 24 % of the
 * samples, not 14 to 21.  On 3.12 and at 10 kHz it buys nothing.
 */
bool reader_add_before(const struct stack_reader *, struct snapshot *,
    const struct thread *);

/* Drops the n-th range that reader_add added, which could not be read, from the
 * thread's set.  False if it is the state (n is 0). */
bool reader_drop(const struct stack_reader *, struct thread *, size_t n);

/* Adds an interpreter's words on garbage collection to a snapshot, if they are
 * wanted and no range from `first` on has them.  *where: their offset in the
 * snapshot's bytes.  False if out of memory. */
bool reader_add_gc(const struct stack_reader *, struct snapshot *, size_t first,
    uint64_t interp, size_t *where);
/* The marks that a chain of a thread gets, by a copy of these words. */
struct py_marks reader_marks(const struct stack_reader *, const struct thread *,
    const uint8_t *words);

/* Adds the root of a thread's last sample to the marks, if that sample is sound.
 * From 3.13 on only: before, the C stack is copied anyway. */
void reader_mark_root(const struct stack_reader *, const struct thread *,
    struct py_marks *);

/* The field of 8 bytes at an offset of a thread state, by a copy of the part that
 * reader_add_state adds. */
uint64_t reader_state(const struct stack_reader *, const uint8_t *copy,
    uint32_t offset);

/* Adds the counts of an interpreter that codes_stamp needs, if there are any, as
 * reader_add_gc does.  Two counts are always added. */
bool reader_add_count(const struct stack_reader *, struct snapshot *, size_t first,
    uint64_t interp, size_t *where);

/* Adds the words of reader_add_gc to a working set, and the count of
 * reader_add_count if there is one only. */
enum copy_result reader_note_words(const struct stack_reader *, struct workset *,
    uint64_t interp);

/* Fills in the words of a believed stack, by its capture.  still: the thread stood
 * still for that, so that all of ->view is of one moment. */
void reader_take_state(struct stack_reader *, const struct thread *,
    const struct capture *, bool still, struct call_stack *);

#endif
