/* SPDX-License-Identifier: ISC */
/*
 * call_stack.h: the values of a read of a thread.  A reader fills a capture; to walk
 * the capture gives a call stack; to prove the stack gives a verdict.  Only then is
 * anything of it stored in the thread.
 */
#ifndef ENGINE_STACK_CALL_STACK_H
#define ENGINE_STACK_CALL_STACK_H

#include "engine/code/codes.h"
#include "engine/copy/snapshot.h"
#include "engine/threads/threads.h"
#include "python/callable.h"
#include "python/frames.h"

/*
 * A thread as it was copied.  The copy lies in a snapshot: the capture, and all that
 * its pointers lead to, are valid until the snapshot is cleared.  Nobody changes it
 * afterwards; but to walk it sets ->view.
 */
struct capture {
	const struct snapshot *in;
	size_t first, count; /* its ranges, of which the first is the state */
	size_t offset;	     /* of the first range's bytes */
	/* The first range, and the offset of the bytes, of frames that were copied
	 * before the state; ->first if there are none. */
	size_t before, before_at;
	const uint8_t *state; /* the copy of the state, of the stack's moment */
	const uint8_t *after; /* a later copy of it; ->state if there is none */
	const uint8_t *gc;    /* the words on garbage collection, if wanted */
	struct stack_copy stack; /* its stack of C, in the same snapshot */
	struct kernel_stack kernel; /* of the same moment, in an interrupt's record */
	struct stamp stamp;
	/* The memory that was walked.  Its spans are scratch of the reader: they are
	 * valid until the reader walks again. */
	struct py_view view;
};

/* The capture of a thread that has this copy in a snapshot.  gc: the offset there of
 * the words on garbage collection. */
struct capture capture_of(const struct snapshot *, const struct thread_copy *,
    size_t gc, const struct stamp *);

/* What a capture says of the thread besides its frames. */
struct state_words {
	uint64_t tid;	/* the id that the state gives; see tids.h */
	bool wants_gil; /* states say so from 3.15 on */
	bool compiled;	/* it runs code that the JIT made */
	bool exception; /* it raises an exception, or handles one */
};

/* The object that the innermost frame calls, or the operands of its operator, and where
 * that has it. */
struct called {
	struct py_called it; /* the objects' types are 0 if they were not copied with the
			      * stack */
	uint64_t instr, at; /* see struct interrupt_site */
};

/* The stack of a thread.  It belongs to its caller, borrows nothing, and is free to be
 * used for other threads.  All zero: a stack without frames. */
struct call_stack {
	struct py_chain chain;
	size_t last;	 /* its outermost frames that the last sample had, too */
	bool sound;	 /* all its calls are known */
	struct stamp stamp;
	/* Set once the stack is believed. */
	struct state_words words;
	struct called called;
};

void call_stack_swap(struct call_stack *, struct call_stack *);
void call_stack_free(struct call_stack *);

/* The result of a read of a thread, or of a step of one. */
enum read_result {
	READ_SURE,  /* all of the stack is believed, or the step was done */
	READ_TORN,  /* the outermost frames are: another read may do better */
	READ_RETRY, /* nothing is: another read may do better */
	READ_GONE,  /* the process has no memory any more */
	READ_NOMEM, /* the recorder is out of memory */
};

/* Why nothing of a stack is believed. */
enum read_trouble {
	TROUBLE_UNREADABLE, /* its memory could not be read */
	TROUBLE_MOVING,	    /* it never stood still for long enough */
	TROUBLE_UNKNOWN,    /* its code objects could not be read */
};

/* The verdict on a stack. */
struct verdict {
	enum read_result is;
	size_t sure; /* its outermost frames that are believed */
	enum read_trouble trouble; /* if it is not READ_SURE */
};

/* Whether another read may give a better stack. */
static inline bool
verdict_can_improve(const struct verdict *v)
{
	return v->is == READ_TORN || v->is == READ_RETRY;
}

/* Whether the stack, or a part of it, is believed. */
static inline bool
verdict_believes(const struct verdict *v)
{
	return v->is == READ_SURE || v->is == READ_TORN;
}

#endif
