/* SPDX-License-Identifier: ISC */
/* runtime.h: a Python runtime in a process's memory: its version, the offsets of
 * its fields, its interpreters and threads. */
#ifndef PYTHON_RUNTIME_H
#define PYTHON_RUNTIME_H

#include "python/memory.h"
#include "python/offsets.h"

struct py_runtime {
	uint64_t addr; /* of _PyRuntime */
	uint32_t version; /* PY_VERSION_HEX */
	struct py_offsets offsets;
};

enum runtime_result {
	RUNTIME_OK,
	RUNTIME_EMPTY,	      /* no offsets, no interpreter or no thread yet */
	RUNTIME_NONE,	      /* no Python runtime */
	RUNTIME_UNKNOWN,      /* a version that is not known */
	RUNTIME_DAMAGED,      /* its own offsets make no sense */
};

/*
 * Loads the runtime at an address.  From 3.13 on the runtime has its version in
 * it.  For an older one the caller gives the version, from Py_Version (3.11 and
 * later) or from runtime_version; 0 if it is not known.  To 3.6 the address is
 * that of interp_head.  rt->version is filled in with any result, if it is
 * known.
 */
enum runtime_result runtime_load(const struct py_memory *, uint64_t addr,
    uint32_t version, struct py_runtime *rt);

/* Finds the text of sys.version in a part of a Python's static data, where it
 * lies from early in the start on.  Returns its version, as PY_VERSION_HEX; 0 if
 * there is none. */
uint32_t runtime_version(const uint8_t *bytes, size_t size);

/* To 3.6 a runtime is no struct, but variables.  Adds the address of
 * _PyThreadState_Current, the only one that tells of the GIL. */
void runtime_set_current(struct py_runtime *, uint64_t addr);

/* Checks a loaded runtime against the memory: its first interpreter has a
 * thread, and the thread belongs to it. */
enum runtime_result runtime_check(const struct py_memory *,
    const struct py_runtime *);

struct py_thread {
	uint64_t addr;	/* of its thread state */
	uint64_t interp; /* address */
	uint64_t interp_id;
};

struct py_interp {
	uint64_t addr;
	uint64_t next;	/* address, 0: the last one */
	uint64_t first; /* address of its first thread state, 0: none */
};

struct py_threads {
	struct py_thread *list;
	size_t count, max;
	struct py_interp *interps; /* whose threads are all in the list */
	size_t ninterps, interps_max;
};

/* Lists all interpreters and their threads; the struct must be zeroed before its
 * first use.  False if memory is missing, if it has no list (the list may be
 * changing), or if memory ran out: then the list has the threads before that. */
bool runtime_threads(const struct py_memory *, const struct py_runtime *,
    struct py_threads *);
/* Whether memory still has all links of a list.  A list that changes while it is
 * read can lack threads, or have one twice.  Then the walk went astray at a state
 * that had been removed: no link leads to that state any more, as long as its
 * memory can be something else. */
bool runtime_threads_hold(const struct py_memory *, const struct py_runtime *,
    const struct py_threads *);
void runtime_threads_free(struct py_threads *);

#endif
