/* SPDX-License-Identifier: ISC */
/*
 * past.h: what a thread did when its state was copied, as far as the memory
 * that is copied after that has lost it.
 *
 * A generator that was suspended has forgotten who resumed it: that is noted
 * when it is seen.  From 3.11 on, the link from a frame to the one that called
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

#define PAST_RESUMERS 1024

struct py_past {
	/* By which frames those of generators were resumed when that was last
	 * seen; addresses.  What has no room for both of two of them forgets
	 * one. */
	struct py_resumer {
		uint64_t frame, by;
	} resumers[PAST_RESUMERS];
	/* How many bytes the frames of a code object take on a data stack; 0:
	 * that is not known.  NULL: of none. */
	size_t (*frame_size)(const void *arg, uint64_t code);
	const void *arg;
};

void past_note_resumer(struct py_past *, uint64_t frame, uint64_t by);
/* 0: not known. */
uint64_t past_resumer(const struct py_past *, uint64_t frame);

/* Whether there is a frame at an address, as far as the view has it: one of
 * the interpreter's own, or one of a code object that is known. */
bool past_is_frame(const struct py_past *, const struct py_offsets *,
    struct py_view *, uint64_t frame);

/* 3.11, 3.12: the frame that ran; `frame`, if that may be it.  cframe: which
 * said so, after the state was copied. */
uint64_t past_current(const struct py_past *, const struct py_offsets *,
    struct py_view *, uint64_t thread, uint64_t cframe, uint64_t frame);

/* The innermost frame of a generator that ran; 0: there was none, or it is not
 * told. */
uint64_t past_generator(const struct py_offsets *, struct py_view *,
    uint64_t thread);

/* The frame that called another by way of C; 0: not known.  ran: the
 * generator's of past_generator, unless it ran inside of the other; or 0. */
uint64_t past_caller(const struct py_past *, const struct py_offsets *,
    struct py_view *, uint64_t frame, uint64_t ran);

#endif
