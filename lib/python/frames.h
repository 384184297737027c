/* SPDX-License-Identifier: ISC */
/* frames.h: from a thread state to its chain of frames, in a view. */
#ifndef PYTHON_FRAMES_H
#define PYTHON_FRAMES_H

#include "python/memory.h"
#include "python/offsets.h"
#include "python/past.h"
#include "python/same.h"

/* A place of a chain: a Python frame, or a mark. */
struct py_place {
	uint64_t code;	/* address of the code object; or a py_mark */
	uint64_t instr; /* address of the instruction that it is at */
	uint64_t frame; /* address of the frame */
	uint32_t copy; /* of the bytecode that instr lies in; 0: the original */
	bool calls; /* it called the frame before it without leaving the loop */
	bool resumed; /* it is a generator's own frame */
	bool left; /* it may have left the instruction at which it called the
		    * frame before it */
};

/* Places without a code object; no code object has such an address. */
enum py_mark {
	PLACE_NONE,
	PLACE_GC,     /* the garbage collector, above the frame that called it */
	PLACE_NATIVE, /* C code that called Python code */
	PLACE_FRAME,  /* a made-up frame; instr is its index */
	PLACE_PAST,   /* a frame that has lost its code object; instr is
		       * still known */
	PLACE_CUT,    /* the outer frames of a stack that is too deep */
	PLACE_MARKS,
};

static inline bool
place_is_mark(const struct py_place *p)
{
	return p->code < PLACE_MARKS;
}

/*
 * Whether a code object with these names, which are not terminated, is a shim:
 * one of the interpreter's own, whose frames stand for no call of Python code.
 * From 3.13 on each process has one that calls __init__ without leaving the loop.
 * In 3.12 each interpreter has one for its entry frames.  An entry frame is
 * known by its owner, but gets its code object before its owner.
 */
bool frame_is_shim(const struct py_offsets *, const char *name,
    size_t name_size, const char *file, size_t file_size);

#define SHIMS_MAX 8

struct py_shims {
	uint64_t codes[SHIMS_MAX]; /* addresses; 0: none */
};

bool shims_has(const struct py_shims *, uint64_t code);

/* Notes whether the code object at an address is a shim: a new code object may
 * lie where an old one was.  If there is no room, the newest of the other shims
 * is dropped. */
void shims_note(struct py_shims *, uint64_t code, bool shim);

/* The marks and frames that a walk puts into a chain, and facts that help it. */
struct py_marks {
	uint64_t gc_frame; /* the frame that called the collector; 0: none */
	bool gc_inner;	   /* the innermost frame called the collector */
	bool native;	   /* PLACE_NATIVE is wanted */
	/* Code objects whose frames are left out: see frame_is_shim; or
	 * NULL. */
	const struct py_shims *shims;
	/* If not NULL, frames that returned or were suspended after the thread
	 * state was copied are kept.  Without `native`, callers whose link on
	 * the C stack is lost are searched for; with it they are not, as only
	 * the links tell where C code is. */
	const struct py_past *past;
	uint64_t stack; /* an address on the C stack; 0: none is known */
	/* The outermost frame of the thread's last chain, and the ->entry of
	 * that chain; or 0.  Nothing was below that frame on the data stack, so
	 * nothing is now: if it still leads to that entry frame, the chain ends
	 * there. */
	uint64_t root, entry;
};

/*
 * A chain of frames, innermost first.  Its array grows, or is fixed: then its
 * size is a power of two and place i lies at i modulo the size, so that the
 * outermost places are kept.
 */
struct py_chain {
	struct py_place *places;
	size_t depth;
	size_t max;
	bool fixed;
	size_t live;   /* how many of its outermost places go on */
	bool ending;   /* the innermost frame may be about to return or to call:
			* its caller may have left its call */
	bool returned; /* no frame goes on: all had just returned */
	uint64_t stack; /* about the address on the C stack where the innermost
			 * loop of the interpreter began; 0: not known */
	uint64_t entry; /* the entry frame that its outermost frame leads to;
			 * 0: none */
};

enum walk_result {
	WALK_OK,
	WALK_MISS,   /* the view lacks memory that the walk needs */
	WALK_BAD,    /* the memory has no chain of frames down to a root */
	WALK_MEMORY, /* out of memory */
};

/* A walk that comes to more frames runs in a circle. */
#define WALK_DEPTH_MAX 1000000
/* No chain has more places.  A chain of a deeper stack has the innermost frames,
 * and PLACE_CUT for the others. */
#define CHAIN_DEPTH_MAX 16384

/* Whether a chain lacks its outermost frames. */
bool chain_is_cut(const struct py_chain *);

/*
 * Walks the frames of the thread whose state lies at `thread`, from the
 * innermost one on, and makes them the chain's places.  The interpreter's own
 * entry frames are left out.  Without ->past in the marks, frames that have
 * returned are left out, too: the copy of the state can be older than theirs.
 */
enum walk_result walk_frames(const struct py_offsets *, struct py_view *,
    uint64_t thread, const struct py_marks *, struct py_chain *);

/* Makes a place of the copy of a frame; frame: the address of the original. */
struct py_place frame_place(const struct py_offsets *, const uint8_t *copy,
    uint64_t frame);

/* The address in a word of a frame: from 3.14 on its low bits are no part of it. */
static inline uint64_t
frame_untag(const struct py_offsets *o, uint64_t word)
{
	return word & ~(uint64_t)o->tags;
}

/* Whether a copy is of one of the interpreter's own frames, which stand for no
 * call of Python code. */
static inline bool
frame_is_own(const struct py_offsets *o, const uint8_t *f)
{
	return py_has(o->frame_owner) && f[o->frame_owner] >= o->entry_owner;
}

/* Notes the resumers of a chain's generators, but not of those among its
 * outermost `shared` places. */
void chain_note_resumers(const struct py_chain *, size_t shared,
    struct py_past *);

/* Removes the past frames of a chain, and the frames that they called. */
void chain_drop_past(struct py_chain *);

/* Adds the outermost place.  False if out of memory. */
bool chain_add(struct py_chain *, struct py_place);

/* How many of the outermost frames two chains share, to the instruction. */
size_t chain_shared(const struct py_chain *, const struct py_chain *);

/*
 * Whether two chains, read one shortly after the other, can be of the same
 * calls: the frames of the shorter one are the outermost frames of the longer
 * one, and all but the innermost of them are at the same instructions.
 */
bool chain_continues(const struct py_chain *, const struct py_chain *);

void chain_free(struct py_chain *);

#endif
