/* SPDX-License-Identifier: ISC */
/* runtime.h: a Python runtime in a process's memory: what version it is,
 * where its fields lie, and which interpreters and threads it has. */
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
	RUNTIME_EMPTY,	      /* no interpreter with a thread in it, yet */
	RUNTIME_NONE,	      /* this is no Python runtime */
	RUNTIME_UNKNOWN,      /* a version that is not known */
	RUNTIME_DAMAGED,      /* its own offsets make no sense */
};

/*
 * Loads the runtime at an address.  Since 3.13 it says itself what it is;
 * for older ones the caller knows the version (from Py_Version, which 3.11
 * has, or from runtime_version), else 0.  To 3.6 the address is that of
 * interp_head.  rt->version is filled in whatever the result, if it is known.
 */
enum runtime_result runtime_load(const struct py_memory *, uint64_t addr,
    uint32_t version, struct py_runtime *rt);

/* The version that a Python tells in its static data, where it keeps the text
 * of sys.version from early in its start on.  0: there is none in these. */
uint32_t runtime_version(const uint8_t *bytes, size_t size);

/* To 3.6, no struct joins what a runtime has: takes note of the address of
 * _PyThreadState_Current, which is all that tells of the GIL. */
void runtime_set_current(struct py_runtime *, uint64_t addr);

/* Checks a loaded runtime against the memory: its first interpreter has
 * threads, and they belong to it. */
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
	struct py_interp *interps; /* that have all been listed */
	size_t ninterps, interps_max;
};

/* Lists all interpreters and their threads.  False: memory is missing, or what
 * is there is no list (it may be changing); the list is what came before. */
bool runtime_threads(const struct py_memory *, const struct py_runtime *,
    struct py_threads *);
/* Whether a list still is what memory says.  One that changes while it is read
 * can lack threads, or name one twice; but that from which its walk went astray
 * is led to no more, for as long as its memory can be something else. */
bool runtime_threads_hold(const struct py_memory *, const struct py_runtime *,
    const struct py_threads *);
void runtime_threads_free(struct py_threads *);

#endif
