/* SPDX-License-Identifier: ISC */
/*
 * past.h: the frames that a thread had when its state was copied, where the
 * memory that was copied later has lost their links.
 *
 * A generator that was suspended has lost the link to its resumer; resumers are
 * therefore noted when they are seen.  From 3.12 on, the link from a frame to a
 * caller by way of C lies on the C stack.  In 3.11 and 3.12 the address of the
 * current frame lies there, too.  The next call overwrites both.
 *
 * But frames lie one behind the other on the thread's data stack, until others
 * take their place; only generators' frames lie elsewhere.  The thread state
 * has the end of the innermost frame of the data stack, and the address of the
 * innermost generator that ran.  From these two the current frame is found.
 */
#ifndef PYTHON_PAST_H
#define PYTHON_PAST_H

#include "python/memory.h"
#include "python/offsets.h"

#define PAST_RESUMERS 512 /* sets */
#define PAST_WAYS 4	  /* resumers of a set */

struct py_place;

struct py_past {
	/* Frames of generators, the frames that were seen to resume them, and
	 * the code objects of both; addresses.  A frame's address is used
	 * again and can have several resumers.  A full set drops its oldest. */
	struct py_resumer {
		uint64_t frame, code, by, by_code;
	} resumers[PAST_RESUMERS][PAST_WAYS];
	/* Returns the bytes that a frame of a code object takes on a data
	 * stack; 0 if not known. */
	size_t (*frame_size)(const void *arg, uint64_t code);
	/* Whether the code object of one place was seen to call the other's. */
	bool (*calls)(const void *arg, const struct py_place *caller,
	    const struct py_place *callee);
	const void *arg; /* the first one of both functions; borrowed */
};

/* Notes that the frame `by` resumed a generator; NULL: no frame did. */
void past_note_resumer(struct py_past *, const struct py_place *generator,
    const struct py_place *by);
/* Returns the frame that was seen last to resume a generator's frame; 0 if none
 * was, or if one of the two belongs to another code object by now. */
uint64_t past_resumer(const struct py_past *, const struct py_offsets *,
    struct py_view *, uint64_t frame);

/* The frames that a walk has seen so far. */
struct past_seen {
	const struct py_place *places; /* innermost first */
	size_t depth;
	uint64_t end;	/* of the data stack's other frames; 0: not known */
	uint64_t stack; /* an address on the C stack; 0: none is known */
	bool entry;	/* the last frame seen is an entry frame */
	unsigned lost;	/* links that were searched for */
};

/* The variables of a thread's interpreter loops mostly lie within so many bytes
 * of the C stack. */
#define PAST_LOOPS_NEAR (64 * 1024)

static inline bool
past_is_near(uint64_t a, uint64_t b, uint64_t distance)
{
	return a - b + distance < 2 * distance;
}

/* Whether the link to a frame may be lost at all: it leads to the C stack, or it
 * comes from an entry frame, which lies there. */
static inline bool
past_may_lose(const struct past_seen *seen, uint64_t frame)
{
	return seen->entry ||
	    past_is_near(frame, seen->stack, PAST_LOOPS_NEAR);
}

/* Returns the end of the innermost frame of the data stack; 0 if not known. */
uint64_t past_stack_end(const struct py_offsets *, struct py_view *,
    uint64_t thread);

/* 3.11, 3.12: returns the current frame.  said: the current frame of the loop's
 * cframe.  It is returned unless it is 0 or one of the loop's own variables; then
 * it is returned only if no other frame is known to have run. */
uint64_t past_current(const struct py_past *, const struct py_offsets *,
    struct py_view *, uint64_t thread, uint64_t cframe, uint64_t said);

/* Whether the link to a frame is lost: it leads to the C stack, and the view has
 * neither an entry frame nor a known frame there.  In other places there may be
 * a frame of a code object that is not known yet. */
bool past_is_lost(const struct py_past *, const struct py_offsets *,
    struct py_view *, const struct past_seen *, uint64_t frame);

/* Whether an entry frame leads to an address that can hardly be a frame's: it is
 * not close below the end of the data stack, and the view has neither a
 * generator's nor a known frame there.  Most often the entry frame has been
 * overwritten. */
bool past_may_be_lost(const struct py_past *, const struct py_offsets *,
    struct py_view *, const struct past_seen *, uint64_t frame);

/* Returns the caller, by way of C, or the resumer of the outermost frame seen; 0
 * if not known. */
uint64_t past_caller(const struct py_past *, const struct py_offsets *,
    struct py_view *, uint64_t thread, const struct past_seen *);

#endif
