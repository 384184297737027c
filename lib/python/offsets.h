/* SPDX-License-Identifier: ISC */
/*
 * offsets.h: the offsets of CPython's fields that a walk needs, as data.
 *
 * One list of fields expands into the struct, the loader and the validator.
 * From 3.13 on the interpreter has most of the values in its own memory, in
 * _Py_DebugOffsets.  All other values are in one generated file a minor version
 * (layout_3_*.c, made by mkoffsets from the interpreter's headers).
 */
#ifndef PYTHON_OFFSETS_H
#define PYTHON_OFFSETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "python/lines.h"

/* The version has no such field.  Walks ask py_has(), never for a version. */
#define PY_ABSENT UINT32_MAX

static inline bool
py_has(uint32_t offset)
{
	return offset != PY_ABSENT;
}

/* In a layout, an offset behind a pthread_mutex_t, which the GNU C library has longer
 * on arm64: not known there.  All other values are the same as on x86-64. */
#ifdef __aarch64__
#define PY_BEHIND_MUTEX(offset) PY_ABSENT
#else
#define PY_BEHIND_MUTEX(offset) (offset)
#endif

/*
 * X(section, field, width in bytes).  Every section begins with its size;
 * a field must lie inside it.  Sizes and offsets are in bytes.
 */
#define PY_OFFSETS(X)                                                          \
	X(runtime, size, 0)                                                    \
	X(runtime, interpreters_head, 8)                                       \
	X(runtime, gil, 8) /* 3.7 to 3.11: the struct of the one GIL */        \
	X(runtime, gc, 0) /* 3.7, 3.8: the one collector's struct */           \
	X(runtime, state_key, 4) /* 3.7 to 3.14: pthread key of a thread's state */ \
	X(interp, size, 0)                                                     \
	X(interp, next, 8)                                                     \
	X(interp, id, 8)                                                       \
	X(interp, threads_head, 8)                                             \
	X(interp, gil, 8)	/* pointer to the GIL that it uses */          \
	X(interp, own_gil, 8)	/* the GIL struct inside of it */              \
	X(interp, own_gil_locked, 4)                                           \
	X(interp, own_gil_holder, 8)                                           \
	X(interp, code_generation, 8) /* counts freed code objects */          \
	X(interp, copies_generation, 4) /* counts threads that got or lost a   \
					 * copy of all bytecode, or may have */ \
	X(interp, code_versions, 4) /* 3.13: of the next code object */        \
	X(interp, modules, 8) /* a dict */                                     \
	X(interp, gc, 0)	/* the collector's struct inside of it */      \
	X(gil, size, 0)                                                        \
	X(gil, switches, 8) /* counts the times that another thread got it */  \
	X(gil, cond, 0) /* threads that wait for it wait at or behind this */  \
	X(gc, size, 0)                                                         \
	X(gc, collecting, 4)                                                   \
	X(gc, frame, 8) /* 3.15: the frame that called it */                   \
	X(thread, size, 0)                                                     \
	X(thread, next, 8)                                                     \
	X(thread, interp, 8)                                                   \
	X(thread, current_frame, 8)                                            \
	X(thread, base_frame, 8) /* 3.15: one of the interpreter's own, at the \
				  * end of each chain but greenlets' */        \
	X(thread, cframe, 8) /* 3.11, 3.12: the way to the current frame */    \
	X(thread, stack_top, 8) /* 3.11 and later: end of the innermost frame  \
				 * of its data stack */                        \
	X(thread, chunk, 8) /* 3.11 and later: the innermost part of its data  \
			     * stack */                                        \
	X(thread, native_thread_id, 8)                                         \
	X(thread, ident, 8) /* what get_ident() gives */                       \
	X(thread, gil_requested, 4)                                            \
	X(thread, status, 4) /* bits; one is py_offsets.active */              \
	X(thread, executor, 8) /* 3.15: the JIT's code that it runs, or NULL */ \
	X(thread, raised, 8)	/* exception that is being raised, or NULL */  \
	X(thread, exc_info, 8)	/* pointer to the innermost exc_item */        \
	X(thread, exc_state, 8) /* the outermost exc_item, in the state */     \
	X(exc_item, size, 0)	/* exceptions being handled, a linked list */  \
	X(exc_item, value, 8)                                                  \
	X(exc_item, previous, 8)                                               \
	X(cframe, size, 0)                                                     \
	X(cframe, current_frame, 8)                                            \
	X(cframe, previous, 8)                                                 \
	X(chunk, size, 0) /* a part of a data stack, without its contents */   \
	X(chunk, first, 0) /* in the first part: the outermost frame */        \
	X(frame, size, 0)                                                      \
	X(frame, previous, 8)                                                  \
	X(frame, code, 8)                                                      \
	X(frame, instr, 8)                                                     \
	X(frame, owner, 1)                                                     \
	X(frame, stack, 8)  /* 3.14 and later: above the top of its stack */   \
	X(frame, values, 8) /* to 3.10: the bottom of its stack */             \
	X(frame, stacktop, 4) /* 3.11 to 3.13: negative while it runs */       \
	X(frame, is_entry, 1) /* 3.11: called from C */                        \
	X(frame, lasti, 4)	/* to 3.10: offset into the bytecode */        \
	X(frame, state, 1)	/* to 3.10: whether it runs */                 \
	X(frame, generator, 8)	/* to 3.10: its generator, or NULL */          \
	X(frame, copy, 4) /* number of the bytecode copy that it runs; 0: none */ \
	X(slots, size, 0) /* a frame with its variables */                     \
	X(slots, first, 0)                                                     \
	X(code, size, 0)                                                       \
	X(code, firstlineno, 4)                                                \
	X(code, filename, 8)                                                   \
	X(code, name, 8)                                                       \
	X(code, qualname, 8)                                                   \
	X(code, linetable, 8)                                                  \
	X(code, bytecode, 0)                                                   \
	X(code, code, 8) /* to 3.10: a bytes object, the bytecode */           \
	X(code, exceptions, 8) /* 3.11 and later: a bytes object, the handlers */ \
	X(code, version, 4) /* a number that no two code objects share */      \
	X(code, locals, 4) /* 3.11 and later: a frame's slots for variables, ... */ \
	X(code, stack_size, 4) /* ... and for its stack, at most */            \
	X(code, copies, 8) /* pointer to the copies of its bytecode */         \
	X(code, monitoring, 8) /* 3.12 and later; NULL: there is none */       \
	X(code, local_names, 8)                                                \
	X(code, local_kinds, 8)                                                \
	X(code, varnames, 8) /* to 3.10: the names in three parts */           \
	X(code, cellvars, 8)                                                   \
	X(code, freevars, 8)                                                   \
	X(copies, size, 0)                                                     \
	X(copies, count, 8)                                                    \
	X(copies, first, 0) /* pointers; the first is to the original */       \
	X(monitoring, size, 0) /* of lines and instructions, for tracers */    \
	X(monitoring, lines, 8)                                                \
	X(monitoring, opcodes, 8) /* by code unit; or NULL */                  \
	X(cell, size, 0)                                                       \
	X(cell, value, 8)                                                      \
	X(generator, size, 0) /* and coroutines; 3.11 and later */             \
	X(generator, frame, 0)                                                 \
	X(generator, exc_item, 0)                                              \
	X(generator, state, 1) /* 3.14 and later */                            \
	X(object, size, 0)                                                     \
	X(object, type, 8)                                                     \
	X(type, size, 0)                                                       \
	X(type, name, 8)                                                       \
	X(type, flags, 8)                                                      \
	X(type, basic_size, 8)                                                 \
	X(type, dict_offset, 8)                                                \
	X(type, base, 8)                                                       \
	X(type, dict, 8)                                                       \
	X(type, members, 8)                                                    \
	X(heap_type, size, 0)                                                  \
	X(heap_type, keys, 8) /* keys that its instances share */              \
	X(member, size, 0)                                                     \
	X(member, name, 8)                                                     \
	X(member, type, 4)                                                     \
	X(member, offset, 8)                                                   \
	X(before, size, 0) /* offsets count back from an object */             \
	X(before, dict, 0) /* 3.11 and later: its dict; in 3.12 or its values */ \
	X(before, values, 0) /* 3.11 */                                        \
	X(int, size, 0)                                                        \
	X(int, length, 8) /* to 3.11: digits; negative as the number is */     \
	X(int, tag, 8)    /* 3.12 and later */                                 \
	X(int, digits, 4)                                                      \
	X(float, size, 0)                                                      \
	X(float, value, 8)                                                     \
	X(tuple, size, 0)                                                      \
	X(tuple, length, 8)                                                    \
	X(tuple, items, 0)                                                     \
	X(list, size, 0)                                                       \
	X(list, length, 8)                                                     \
	X(list, items, 8)                                                      \
	X(set, size, 0)                                                        \
	X(set, used, 8)                                                        \
	X(set, mask, 8)                                                        \
	X(set, table, 8)                                                       \
	X(dict, size, 0)                                                       \
	X(dict, used, 8)                                                       \
	X(dict, keys, 8)                                                       \
	X(dict, values, 8) /* of a dict that shares its keys */                \
	X(keys, size, 0)                                                       \
	X(keys, slots, 8) /* to 3.10: slots of the index */                    \
	X(keys, log2_index_bytes, 1) /* 3.11 and later */                      \
	X(keys, kind, 1) /* 0: the entries hold their keys' hashes */          \
	X(keys, entries, 8) /* number of entries, with unused ones */          \
	X(keys, indices, 0) /* the index; the entries follow it */             \
	X(values, size, 0)                                                     \
	X(values, valid, 1) /* 3.13 and later: values in the object are used */ \
	X(values, first, 8)                                                    \
	X(bytes, size, 0)                                                      \
	X(bytes, length, 8)                                                    \
	X(bytes, data, 0)                                                      \
	X(unicode, size, 0)                                                    \
	X(unicode, length, 8)                                                  \
	X(unicode, state, 4)                                                   \
	X(unicode, ascii_size, 0)   /* where an ASCII string's text begins */  \
	X(unicode, compact_size, 0) /* where another compact string's does */  \
	X(interp, threads_main, 8) /* 3.14 and later, as all fields below */   \
	X(interp, remote_debug, 4) /* 1: it runs scripts on request */         \
	X(thread, eval_breaker, 8)                                             \
	X(thread, debugger, 0)     /* the debugger struct inside of it */      \
	X(debugger, size, 0)                                                   \
	X(debugger, pending, 4)    /* 1: a script is requested */              \
	X(debugger, path, 0)       /* of the script */                         \
	X(debugger, path_size, 0)  /* bytes for the path; no offset */

/* Properties of an opcode. */
#define PY_OPCODE_CACHES 0x0f /* number of its caches: code units behind it
			       * that are no instructions */
#define PY_OPCODE_LEAVES 0x10 /* it ends or suspends its frame, or goes on to a
			       * handler */
#define PY_OPCODE_HIDES 0x20  /* it is written over another opcode, which is
			       * not known here */

/*
 * X(type, name): what else differs between versions, each 0 in a version that has
 * nothing of the kind.  What does not differ is in same.h.
 */
#define PY_FACTS(X)                                                            \
	/* Frames of this owner and above are the interpreter's own. */        \
	X(uint8_t, entry_owner)                                                \
	/* To 3.10, bit n: a frame in state n runs, or calls one that does. */ \
	X(uint8_t, live_states)                                                \
	X(uint8_t, lasti_unit) /* bytes */                                     \
	X(enum lines_form, lines)                                              \
	/* 3.14 and later: the low bits of a frame's references that are no    \
	 * part of an address; their value in a number, which is no object;    \
	 * the lowest bit of that number. */                                   \
	X(uint8_t, tags)                                                       \
	X(uint8_t, number_tag)                                                 \
	X(uint8_t, number_shift)                                               \
	/* 3.13 and later: bytes from thread.chunk to thread.stack_top, which  \
	 * the target does not tell. */                                        \
	X(uint8_t, chunk_to_top)                                               \
	/* The states of a generator that does not run: the first, the first   \
	 * in which it awaits another one, and the last. */                    \
	X(uint8_t, created)                                                    \
	X(uint8_t, awaits)                                                     \
	X(uint8_t, suspended)                                                  \
	/* The lowest bit of the kind in unicode.state. */                     \
	X(uint8_t, kind_shift)                                                 \
	/* 3.12: by how much a pointer before an object is less if it leads to \
	 * values, not to a dict; the bit is set then only. */                 \
	X(uint8_t, values_tag)                                                 \
	/* Free-threaded builds: the bit of thread.status that says that a     \
	 * thread runs Python code; else 0. */                                 \
	X(uint32_t, active)                                                    \
	/* Bits in the lowest byte of thread.eval_breaker.  breaker_looks:     \
	 * each makes the thread look for work, and does no harm if there is   \
	 * none.  breaker_yields: may be set only while another thread waits   \
	 * for the GIL. */                                                     \
	X(uint8_t, breaker_looks)                                              \
	X(uint8_t, breaker_yields)

/* The names of the one code object that is a shim: see frame_is_shim.  "": there is
 * none. */
struct py_shim {
	char name[32], file[16];
};

struct py_offsets {
#define X(section, field, width) uint32_t section##_##field;
	PY_OFFSETS(X)
#undef X
	/* Derived: inside the GIL struct. */
	uint32_t gil_locked, gil_holder;
#define X(type, name) type name;
	PY_FACTS(X)
#undef X
	struct py_shim shim;
	const uint8_t *opcodes; /* properties by opcode; of the layout */
};

/* The layout of one minor version, from its headers. */
struct py_layout {
	uint8_t minor; /* of 3.x */
	bool free_threaded;
	uint32_t debug_size; /* of _Py_DebugOffsets; 0: there is none */
	uint8_t opcodes[256];
	/* Values from the headers; PY_ABSENT where the target has the value. */
	struct py_offsets fixed;
	/* Offsets of the values in _Py_DebugOffsets, or PY_ABSENT. */
	struct py_offsets told;
};

/* All layouts, up to a NULL: made by mklist of the files layout_3_*.c. */
extern const struct py_layout *const py_layouts[];

/* Returns the layout of 3.minor, which is static; NULL if the version is not
 * known. */
const struct py_layout *py_layout_find(unsigned minor, bool free_threaded);
/* The newest minor version that has one. */
unsigned py_newest_minor(void);

/* Sizes of buffers, in bytes: for a whole code object, for a frame, and for a str
 * or bytes object or an int up to its contents. */
#define PY_CODE_MAX 512
#define PY_FRAME_MAX 512
#define PY_HEAD_MAX 128

#define PY_DEBUG_COOKIE "xdebugpy"
/* Offsets of its first fields, the same in all versions; u64 each. */
#define PY_DEBUG_VERSION 8
#define PY_DEBUG_FREE_THREADED 16
#define PY_DEBUG_HEADER 24 /* bytes up to here */
#define PY_DEBUG_MAX 2048  /* bytes: no _Py_DebugOffsets is longer */

/* The parts of PY_VERSION_HEX: 0x030f00f0 is 3.15.0 final. */
#define PY_MAJOR(hex) ((hex) >> 24 & 0xff)
#define PY_MINOR(hex) ((hex) >> 16 & 0xff)
#define PY_MICRO(hex) ((hex) >> 8 & 0xff)
#define PY_RELEASE(hex) ((hex) >> 4 & 0xf) /* 0xf: final */
#define PY_SERIAL(hex) ((hex) & 0xf)

/*
 * Fills in the offsets of a version.  debug points to the target's own table
 * of layout->debug_size bytes (unused where that is 0).  Its values are not
 * trusted: every offset must lie inside its section, every section must have a
 * sane size, and fields that are read at once must fit into their buffer.
 * Returns NULL, or the name of the first field that does not fit; static.
 */
const char *py_offsets_load(const struct py_layout *, const uint8_t *debug,
    struct py_offsets *);

#endif
