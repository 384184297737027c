/* SPDX-License-Identifier: ISC */
/* frames.h: from a thread state to its chain of frames, in a view. */
#ifndef PYTHON_FRAMES_H
#define PYTHON_FRAMES_H

#include "python/memory.h"
#include "python/offsets.h"
#include "python/past.h"

/* CPython 3.14 and later, and 3.13 without a GIL, keep tags in the low bits of
 * the references of a frame; an object's address has none. */
#define PY_TAGS UINT64_C(7)

/* One Python frame: which code object, the address of the instruction that it
 * is at, and its own. */
struct py_place {
	uint64_t code;
	uint64_t instr;
	uint64_t frame;
	uint32_t copy; /* of the bytecode that instr lies in; 0: the original */
	bool calls; /* the frame before it, without leaving the loop */
	bool resumed; /* it is a generator's own frame */
	bool left; /* it may have left the instruction at which it called the
		    * frame before it */
};

/* Places that are no code of Python's; no code object has such an address. */
enum py_mark {
	PLACE_NONE,
	PLACE_GC,     /* the garbage collector, above the frame that called it */
	PLACE_NATIVE, /* C code that called Python code */
	PLACE_FRAME,  /* instr is the index of a frame that was made up */
	PLACE_PAST,   /* a frame that has forgotten its code object, but not
		       * the instruction */
	PLACE_CUT,    /* more frames than a chain can have, outside of these */
	PLACE_MARKS,
};

static inline bool
place_is_mark(const struct py_place *p)
{
	return p->code < PLACE_MARKS;
}

/*
 * Whether a code object with these names, which are not terminated, is one of
 * the interpreter's own, whose frames stand for no call of Python's.  By one in
 * each process, "__init__" in a file of that name, __init__ is called without
 * leaving the loop.  Another one of each interpreter, "<interpreter trampoline>"
 * in "<shim>", is in the entry frames of 3.12, which are the interpreter's own,
 * but have the code object first.
 */
bool frame_is_shim(const char *name, size_t name_size, const char *file,
    size_t file_size);

#define SHIMS_MAX 8

struct py_shims {
	uint64_t codes[SHIMS_MAX]; /* addresses; 0: none */
};

bool shims_has(const struct py_shims *, uint64_t code);

/* Notes whether the code object at an address is a shim: a new one may be where
 * an old one was.  Where there is no room, the newest of the others is
 * forgotten. */
void shims_note(struct py_shims *, uint64_t code, bool shim);

/* Whether a call that was seen is over, by newer copies of the frames of both. */
bool frame_call_is_over(const struct py_offsets *,
    const struct py_place *caller, const uint8_t *caller_frame,
    const struct py_place *callee, const uint8_t *callee_frame);

/* What there is to be in a chain besides its frames, and where. */
struct py_marks {
	uint64_t gc_frame; /* the frame that the collector was called from */
	bool gc_inner;	   /* that is the innermost one */
	bool native;
	/* Code objects whose frames are passed over: see frame_is_shim; or
	 * NULL. */
	const struct py_shims *shims;
	/* If given, frames that have returned or were suspended are kept: they
	 * were there when the thread said which one was its current frame.
	 * Without `native`, of which nothing else tells, what the C stack does
	 * not link any more is found by other means. */
	const struct py_past *past;
	uint64_t stack; /* an address on the C stack; 0: none is known */
	/* The outermost frame that the thread had last, and the ->entry of that
	 * chain; or 0.  Nothing was below it on the data stack, so nothing is:
	 * if the one still leads to the other, the chain ends there. */
	uint64_t root, entry;
};

/*
 * A chain of frames, innermost first, in an array that grows, or in a fixed
 * one, whose size is a power of two: then place i lies at i modulo that, so
 * that the outermost ones are kept.
 */
struct py_chain {
	struct py_place *places;
	size_t depth;
	size_t max;
	bool fixed;
	size_t live;   /* how many of its outermost places go on */
	bool ending;   /* the innermost may be about to return, or to call: its
			* caller may have left the place of the call */
	bool returned; /* none goes on: they all had just returned */
	uint64_t stack; /* where the C stack was when its innermost loop of the
			 * interpreter began, about; 0: not known */
	uint64_t entry; /* the entry frame that its outermost one leads to; 0:
			 * it has none */
};

enum walk_result {
	WALK_OK,
	WALK_MISS,   /* needs memory that the view lacks */
	WALK_BAD,    /* what was read is no chain of frames down to a root */
	WALK_MEMORY, /* ours ran out */
};

/* A walk that comes to more frames goes in a circle. */
#define WALK_DEPTH_MAX 1000000
/* No chain has more places: of a deeper one the innermost are there, and below
 * them PLACE_CUT. */
#define CHAIN_DEPTH_MAX 16384

/* Whether a chain lacks its outermost frames. */
bool chain_is_cut(const struct py_chain *);

/*
 * Walks the frames of a thread from its innermost one.  The interpreter's
 * own entry frames are left out, and so are frames that have returned, unless
 * they are wanted: what says which frame is current can be older than the
 * frames.
 */
enum walk_result walk_frames(const struct py_offsets *, struct py_view *,
    uint64_t thread, const struct py_marks *, struct py_chain *);

/* What a frame that was copied from an address says. */
struct py_place frame_place(const struct py_offsets *, const uint8_t *copy,
    uint64_t frame);

/* Who owns a frame, from 3.11 on: a data stack, a generator, or others, of which
 * the interpreter's own are the last. */
enum { OWNER_THREAD, OWNER_GENERATOR };

/* Whether a copy is of one of the interpreter's own, which stand for no call of
 * Python's. */
static inline bool
frame_is_own(const struct py_offsets *o, const uint8_t *f)
{
	return py_has(o->frame_owner) && f[o->frame_owner] >= o->entry_owner;
}

/* Notes by whom the generators are resumed that are not among a chain's
 * outermost `shared` places. */
void chain_note_resumers(const struct py_chain *, size_t shared,
    struct py_past *);

/* Leaves out the frames that do not go on, and what they called. */
void chain_drop_past(struct py_chain *);

/* False: out of memory. */
bool chain_add(struct py_chain *, struct py_place);

/* How many of the outermost frames two chains share, to the instruction. */
size_t chain_shared(const struct py_chain *, const struct py_chain *);

/*
 * Whether two chains, read one shortly after the other, can be the same calls
 * going on: the shorter one's frames are the outermost ones of the longer
 * one, and all their callers are at the same instructions.
 */
bool chain_continues(const struct py_chain *, const struct py_chain *);

void chain_free(struct py_chain *);

#endif
