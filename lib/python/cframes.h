/* SPDX-License-Identifier: ISC */
/*
 * cframes.h: Python's frames and the frames of C as one stack.
 *
 * A function of the interpreter, its loop, runs Python's frames.  Each time C calls
 * Python there is one more frame of C of the loop, and it runs one or more frames of
 * Python: a segment.  From 3.11 on a struct of the interpreter's own lies in the loop's
 * frame of C, an entry frame or a cframe, and it is linked between the segments: the
 * frame of C that has it in its stack is the loop's.  No name of a function is needed.
 * To 3.10 each frame of Python has a loop of its own.  The loops' frames of C are told by
 * their code, and which one is whose by the frames' addresses, or if these are not known
 * by their number.
 */
#ifndef PYTHON_CFRAMES_H
#define PYTHON_CFRAMES_H

#include "native/unwind.h"
#include "python/frames.h"

/* The frames of Python that one loop runs. */
struct py_segment {
	uint64_t entry; /* an address in the loop's frame of C; 0: not known */
	uint64_t frame; /* the innermost one's address; 0: not known */
	size_t first, count; /* in py_segments.frames */
};

struct py_segments {
	struct py_segment *list; /* innermost first */
	size_t count, max;
	uint64_t *frames; /* addresses, innermost first; if told, numbers */
	size_t nframes, frames_max;
	bool told; /* the thread told of them, as its own */
};

/* Reads the segments of a thread that stands still.  False if memory cannot be read,
 * if the chain runs in a circle, or if out of memory. */
bool segments_read(const struct py_offsets *, const struct py_memory *,
    uint64_t thread, struct py_segments *);
void segments_free(struct py_segments *);

/* The code of the loop: one function, and parts of it that lie elsewhere. */
#define LOOP_PARTS 4

struct loop_code {
	struct {
		uint64_t start, end; /* in memory */
	} parts[LOOP_PARTS];
	size_t count; /* 0: not known */
};

bool loop_has(const struct loop_code *, uint64_t pc);

/*
 * To 3.10 a loop keeps the address of its frame of Python in its frame of C, or in a register
 * that is saved below it, or still has that value.  Gives segments without an entry the
 * innermost address of their loop's frame of C.  There can be more loops than segments: some
 * above them, which begin or end or are of another interpreter, and some below.  registers:
 * those of the innermost frame.  Returns how many segments have their loop, the innermost
 * ones; fewer than all only if there are fewer loops; 0 if that is not certain.
 */
size_t segments_link(struct py_segments *, const struct native_frame *, size_t n,
    const struct loop_code *, struct native_stack *, const uint64_t *registers,
    size_t nregisters);

/* A place of the one stack. */
enum merged_kind {
	MERGED_PYTHON, /* the place `index` of the chain */
	MERGED_C,      /* the frame `index` of C */
	MERGED_LOOP,   /* this frame of C is a loop */
	MERGED_LOST,   /* frames that are not known */
};

struct merged_place {
	enum merged_kind kind;
	size_t index;
	size_t segment; /* that a loop runs; SIZE_MAX: none, as it only begins or ends */
};

/* Why a stack is not exact. */
enum merge_fault {
	MERGE_EXACT,
	MERGE_BROKEN,  /* frames of C are not known, or end before the last loop */
	MERGE_COUNT,   /* to 3.10: there are not as many loops as frames */
	MERGE_STRANGE, /* the chain has frames that the segments lack */
};

struct merged {
	struct merged_place *list; /* innermost first */
	size_t count, max;
	size_t below; /* the places from this one on are below all of Python */
	bool below_lost; /* some of these are not known: no fault */
	enum merge_fault fault;
};

/*
 * Merges a chain of Python and the frames of C of one moment, both innermost first.
 * The frames of C may end before the last loop, or have frames that are lost: then the
 * frames of Python that cannot be placed follow a MERGED_LOST.  The loop's code is used
 * for segments without an entry.  False if out of memory.
 */
bool cframes_merge(const struct py_chain *, const struct py_segments *,
    const struct native_frame *, size_t n, const struct loop_code *,
    struct merged *);
void merged_free(struct merged *);

#endif
