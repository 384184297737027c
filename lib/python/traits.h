/* SPDX-License-Identifier: ISC */
/*
 * traits.h: how one generation of Python differs from another, by name.  Each question
 * is answered by a field that goes with the trait; a walk that needs the field itself
 * asks py_has().
 */
#ifndef PYTHON_TRAITS_H
#define PYTHON_TRAITS_H

#include "python/offsets.h"

/* To 3.10: frames are objects on the heap, not parts of a data stack, and may outlive
 * their calls. */
static inline bool
py_frames_are_objects(const struct py_offsets *o)
{
	return py_has(o->frame_generator);
}

/* 3.12 and later: the interpreter has entry frames of its own between a frame and the C
 * code that called it. */
static inline bool
py_has_entry_frames(const struct py_offsets *o)
{
	return py_has(o->frame_owner) && !py_has(o->frame_is_entry);
}

/* 3.13 and later: a thread state has the current frame and the end of the data stack.
 * (3.11 and 3.12 have the current frame in a cframe on the C stack.) */
static inline bool
py_state_names_frame(const struct py_offsets *o)
{
	return py_has(o->thread_current_frame) && py_has(o->thread_stack_top);
}

/* 3.11 and later: a thread state has the kernel's id of its thread. */
static inline bool
py_state_names_thread(const struct py_offsets *o)
{
	return py_has(o->thread_native_thread_id);
}

/* 3.15: the collector's struct has the frame that called it. */
static inline bool
py_gc_names_frame(const struct py_offsets *o)
{
	return py_has(o->gc_frame);
}

/* To 3.11: all interpreters have one GIL. */
static inline bool
py_has_one_gil(const struct py_offsets *o)
{
	return py_has(o->runtime_gil);
}

static inline bool
py_is_free_threaded(const struct py_offsets *o)
{
	return o->active != 0;
}

/* Free-threaded 3.14 and later: a thread may run a bytecode copy of its own. */
static inline bool
py_copies_bytecode(const struct py_offsets *o)
{
	return py_has(o->frame_copy);
}

/* 3.11 and later: the interpreter writes other opcodes over those of the bytecode. */
static inline bool
py_changes_opcodes(const struct py_offsets *o)
{
	return !py_has(o->code_code);
}

/* 3.14 and later: an interpreter counts the code objects that were freed. */
static inline bool
py_counts_codes(const struct py_offsets *o)
{
	return py_has(o->interp_code_generation);
}

/* 3.14 and later: asyncio tells where its tasks are, and a generator its state. */
static inline bool
py_has_tasks(const struct py_offsets *o)
{
	return py_has(o->generator_state);
}

#endif
