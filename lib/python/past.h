/* SPDX-License-Identifier: ISC */
/*
 * past.h: what a thread did when its state was copied, as far as the memory
 * that is copied after that has lost it.
 *
 * A generator that was suspended has forgotten who resumed it: that is noted
 * when it is seen.  From 3.12 on, the link from a frame to the one that called
 * it by way of C lies on the C stack, in 3.11 and 3.12 so does the address of
 * the current frame, and what is called next overwrites both.  But frames lie
 * one behind the other on the thread's data stack, until others take their
 * place, and only those of generators lie elsewhere.  So the state tells by
 * itself who ran: it has the end of the innermost frame of the data stack, and
 * the address of the innermost generator that ran.
 */
#ifndef PYTHON_PAST_H
#define PYTHON_PAST_H

#include "python/memory.h"
#include "python/offsets.h"

#define PAST_RESUMERS 512 /* sets */
#define PAST_WAYS 4

struct py_place;

struct py_past {
	/* By which frames those of generators were resumed when that was last
	 * seen, with their code objects; addresses.  A frame's address is used
	 * again, so it can have several; what has no room is forgotten. */
	struct py_resumer {
		uint64_t frame, code, by, by_code;
	} resumers[PAST_RESUMERS][PAST_WAYS];
	/* How many bytes the frames of a code object take on a data stack; 0:
	 * that is not known. */
	size_t (*frame_size)(const void *arg, uint64_t code);
	/* Whether one of its code objects was seen to call another's. */
	bool (*calls)(const void *arg, const struct py_place *caller,
	    const struct py_place *callee);
	const void *arg;
};

/* by: NULL: nobody's frame. */
void past_note_resumer(struct py_past *, const struct py_place *generator,
    const struct py_place *by);
/* 0: not known, or one of the two frames is another function's by now. */
uint64_t past_resumer(const struct py_past *, const struct py_offsets *,
    struct py_view *, uint64_t frame);

/* What a walk has seen of a thread so far, of which it lacks a link. */
struct past_seen {
	const struct py_place *places; /* innermost first */
	size_t depth;
	uint64_t end;	/* of what else the data stack has; 0: not known */
	uint64_t stack; /* an address on the C stack; 0: none is known */
	bool entry;	/* what was seen last is an entry frame */
	unsigned lost;	/* links that had to be sought */
};

/* A thread's loops of the interpreter have their variables within so many bytes
 * of the C stack, mostly. */
#define PAST_LOOPS_NEAR (64 * 1024)

static inline bool
past_is_near(uint64_t a, uint64_t b, uint64_t distance)
{
	return a - b + distance < 2 * distance;
}

/* Whether the link to a frame may be lost at all: it leads to the C stack, or is
 * that of an entry frame, which lies there. */
static inline bool
past_may_lose(const struct past_seen *seen, uint64_t frame)
{
	return seen->entry ||
	    past_is_near(frame, seen->stack, PAST_LOOPS_NEAR);
}

/* Where the innermost frame ends that is on the data stack; 0: not known. */
uint64_t past_stack_end(const struct py_offsets *, struct py_view *,
    uint64_t thread);

/* 3.11, 3.12: the frame that ran, if that is known, where the loop's cframe said
 * that none did, or one of its own variables; else what it said. */
uint64_t past_current(const struct py_past *, const struct py_offsets *,
    struct py_view *, uint64_t thread, uint64_t cframe, uint64_t said);

/* Whether the link to a frame leads to the C stack, where the view has anything
 * but an entry frame.  What it has elsewhere may be a frame of a code object
 * that is not known yet. */
bool past_is_lost(const struct py_past *, const struct py_offsets *,
    struct py_view *, const struct past_seen *, uint64_t frame);

/* Whether an entry frame leads to what can be no frame: most often something
 * else is where it was. */
bool past_may_be_lost(const struct py_past *, const struct py_offsets *,
    struct py_view *, const struct past_seen *, uint64_t frame);

/* The frame that called the outermost one of those seen, by way of C; 0: not
 * known. */
uint64_t past_caller(const struct py_past *, const struct py_offsets *,
    struct py_view *, uint64_t thread, const struct past_seen *);

#endif
