/* SPDX-License-Identifier: ISC */
/*
 * callees.h: the function of C that the innermost frame of a chain calls, as a frame; or
 * its operator on types of C's, if that takes long; or the object that it frees.
 *
 * A sample has the address of the object that is called.  The object is read later, when
 * it may have been freed, and another one may lie there.  So it is named in three cases:
 * the object is one that lives as long as its module or its class, and was the same
 * before the sample and after it; or it was copied with the stack; or the frame is still
 * in the same call after the object was read.
 *
 * A thread that waits for the GIL may be in its call or behind it.  Then the result lies
 * where the callable was, and may be a callable as well: a type, a partial, a bound
 * method.  Functions of modules and methods of types are hardly ever results.
 */
#ifndef ENGINE_SAMPLE_CALLEES_H
#define ENGINE_SAMPLE_CALLEES_H

#include "engine/code/codes.h"
#include "python/callee.h"
#include "python/operation.h"
#include "python/calls.h"
#include "set.h"
#include "tach.h"

/* A callable that was named. */
struct callee_entry {
	uint64_t addr;
	uint64_t type, head[CALLABLE_WORDS]; /* the words that it was named by */
	size_t words; /* in ->head; 0: it is not of the kind that lasts */
	bool is_type;
	/* ns: it was the same from the one on, at least up to the other. */
	uint64_t since, until;
	uint32_t frame;
};

#define CALLEES_THEN 256 /* a power of two */

/* A callable that was named by its words as they were. */
struct callee_then {
	uint64_t by; /* enum callee_follows */
	uint64_t type, word, self, self_type; /* as far as the name follows from them */
	uint64_t inner; /* as in struct py_callee */
	uint32_t frame;
};

/* An operation that was named.  All but the frame is 0 if there is none. */
struct callee_operation {
	uint64_t operator, types[CALLED_OBJECTS];
	uint32_t frame; /* TACH_NONE: it has no name */
	struct py_operation operation;
};

struct callees {
	const struct py_calls *by; /* the process's memory as it is now */
	struct codes *codes;
	struct tach_table *table;
	struct callee_entry *list;
	size_t count, max;
	struct set set; /* of ->list, by address */
	struct callee_then then[CALLEES_THEN]; /* by a hash of their words */
	struct callee_operation operations[CALLEES_THEN]; /* by one of their types */
};

/* The arguments must outlive the callees.  Each process has its own.  codes: for
 * callees_frame; or NULL. */
void callees_init(struct callees *, const struct py_calls *, struct codes *,
    struct tach_table *);
void callees_free(struct callees *);

/* What is known of a thread whose callee is asked for. */
#define CALLEES_LATE 1 /* it has gone on since */
#define CALLEES_BETWEEN 2 /* it may be between two instructions: it has no operator */
#define CALLEES_WAITS 4 /* for the GIL: maybe in its call, maybe behind it */
#define CALLEES_AWAY 8	/* it has no GIL and is not blocked: it may be about to wait */

/*
 * The frame of the callee of a believed chain, which is of `time` (ns, CLOCK_MONOTONIC).
 * The object that the innermost frame called then, or its operands, if they are known.
 * TACH_NONE if there is none, if it is not known for sure, or if out of memory: the chain
 * is whole without it.
 */
uint32_t callees_frame(struct callees *, const struct py_chain *,
    const struct py_called *, uint64_t time, unsigned thread);

/* The frame of what was called at that time, by itself; likewise. */
uint32_t callees_then(struct callees *, const struct py_called *, uint64_t time,
    unsigned thread);

#endif
