/* SPDX-License-Identifier: ISC */
/*
 * unwinder.h: the frames of C of a process's threads.
 *
 * From Python 3.11 on, the loop's frame of C ends at a fixed distance above its entry:
 * see cframes.h.  The distance is one number for each binary; it is learned from the
 * first whole stack, or found by a search.  It proves stacks, and where an unwind
 * breaks, the unwind goes on at the next loop by it.
 */
#ifndef ENGINE_NATIVE_UNWINDER_H
#define ENGINE_NATIVE_UNWINDER_H

#include "engine/native/native_capture.h"
#include "engine/native/process_modules.h"
#include "engine/native/stack_window.h"
#include "python/cframes.h"

#define LOOPS_MAX 8   /* starts of the loop's functions that are known */
#define CAUSE_MAX 512 /* bytes */

/* Where the loop's frame of C ends, and what it keeps there. */
struct loop_frame {
	bool known;
	uint64_t above; /* bytes from the entry to the frame's end */
	uint32_t slot;	/* of the caller's frame pointer; 0: it is unchanged */
	uint64_t pc;	/* where one was */
};

/* Addresses of a function of the loop, in memory. */
struct loop_function {
	uint64_t start, end;
};

struct unwinder {
	struct process_modules modules;
	struct stack_window window;
	struct native_frame *frames; /* of the last stack, innermost first */
	size_t count;
	bool guessed;		/* a return address of it was not told by a table */
	bool short_of_stack;	/* it ends where the copy of the stack does */
	struct loop_code code;	/* of the loop; to 3.10 set with the first stack */
	bool code_sought;
	struct loop_frame loop; /* from 3.11 on */
	struct loop_function loops[LOOPS_MAX];
	size_t nloops;
	char cause[CAUSE_MAX]; /* why the stack is not whole; "" if it is */
	uint64_t end;		/* of the stack, if that is whole; else 0 */
};

/* The process and its memory must outlive the unwinder.  False if out of memory. */
bool unwinder_init(struct unwinder *, const struct process *,
    const struct py_memory *);
void unwinder_free(struct unwinder *);

/* Unwinds the stack of a capture that has registers.  Its segments are given. */
void unwinder_read(struct unwinder *, const struct native_capture *,
    const struct py_segments *);
/* Takes the frames of a whole stack that was unwound before, and that a capture has a copy
 * of. */
void unwinder_take(struct unwinder *, const struct native_capture *,
    const struct native_frame *, size_t n, uint64_t end);
/* Makes it a stack without frames, for a cause. */
void unwinder_forget(struct unwinder *, const char *cause);
/* Notes that a frame of the last stack is the loop of an entry (0: of none), and what
 * that tells of all loops.  An entry is given only of a stack that is whole down to the
 * last loop. */
void unwinder_learn(struct unwinder *, const struct native_frame *, uint64_t entry);

/* The address by which a frame is looked up. */
uint64_t unwinder_inside(const struct native_frame *);
/* The start of the function that a frame is in, in memory; 0: not known. */
uint64_t unwinder_function(struct unwinder *, const struct native_frame *);
/* Whether the function that starts there is known to be the loop. */
bool unwinder_is_loop(const struct unwinder *, uint64_t start);
/* Whether a frame of the last stack is in a function that is known to be the loop.
 * *entry: its entry's address, or 0 if that is not known. */
bool unwinder_in_loop(const struct unwinder *, const struct native_frame *,
    uint64_t *entry);
/* Goes on from the frame *i to the one that has an address of the stack.  False if none
 * has it. */
bool unwinder_reaches(const struct native_frame *, size_t n, uint64_t at, size_t *i);
/* Whether a module has the loop, by its symbols. */
bool unwinder_is_python(struct unwinder *, struct module *);

#endif
