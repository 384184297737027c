/* SPDX-License-Identifier: ISC */
/*
 * interps.h: the target's interpreters and their GILs.
 *
 * A GIL counts how often it changes hands.  Two looks at it tell which threads can
 * have run Python code in between: only its holder; its holder and the holder
 * before; or all threads.
 */
#ifndef ENGINE_THREADS_INTERPS_H
#define ENGINE_THREADS_INTERPS_H

#include "engine/code/codes.h"
#include "engine/copy/snapshot.h"
#include "engine/copy/workset.h"
#include "python/runtime.h"

/* A GIL at a look. */
struct gil {
	uint64_t holder; /* thread state that has it, or had it last */
	uint64_t switches; /* how often it has changed hands */
	uint64_t before;   /* the same, as it was read before the holder */
	uint64_t waiting; /* hash of its locks, which change with its waiters */
	bool locked;
};

struct interp {
	uint64_t addr;
	uint64_t next;	 /* address of the next one */
	uint64_t first;	 /* address of its first thread state */
	uint64_t gil_at; /* address of its GIL; 0: none is known */
	bool counted;	 /* its GIL is known, and counts its switches */
	struct gil was, gil; /* at the second last look, and at the last */
	/* Offsets in a round's copy: its words on garbage collection, its counts for
	 * codes_stamp, and the GIL's switches before its other words; and the counts
	 * at the last look. */
	size_t gc, count_at, before_at;
	uint8_t count[CODES_COUNTS * sizeof(uint64_t)];
	struct stamp stamp; /* of the newest copy */
};

struct interps {
	const struct py_runtime *runtime;
	struct interp *list; /* in the order of the target's list */
	size_t count;
	struct workset globals; /* memory that a round needs of them */
};

/* Replaces the interpreters by the interpreters of a new list.  COPY_FAILED if memory
 * cannot be read. */
enum copy_result interps_update(struct interps *, const struct py_memory *,
    const struct py_threads *);
void interps_free(struct interps *);

/* Adds the words of their lists and GILs, and no more bytes, to a snapshot.  False
 * if out of memory. */
bool interps_add_words(const struct interps *, struct snapshot *);

/* Adds the switches of each GIL that counts them.  A thread that takes a GIL writes
 * itself as its holder, then counts: a copy can have the one without the other.  So the
 * switches are copied before all words, and once more with them. */
bool interps_add_switches(struct interps *, struct snapshot *);

/* The address of the word that has the address of the first interpreter. */
uint64_t interps_head(const struct interps *);

/* Whether each interpreter still leads to the same next one and to the same first
 * thread, by a copy of the globals.  New interpreters and threads come to the
 * front of their lists. */
bool interps_same(const struct interps *, struct py_view *globals);

/* Looks at the GIL of an interpreter in such a copy, a part of the snapshot to which
 * its switches were added.  False if the copy lacks it. */
bool interp_look(const struct interps *, struct interp *,
    struct py_view *globals, const struct snapshot *);

/* Whether its GIL is held at the last look, has the same holder as at the look
 * before, and did not change hands in between: then no other thread has run, not
 * even a new one, and its holder has not ended. */
bool interp_is_kept(const struct interp *);
/* The same, but the GIL may be free: then its holder may have ended. */
bool interp_is_same(const struct interp *);
/* Whether a thread state can run at any time, without a sign of it. */
bool interp_is_free(const struct interp *, uint64_t thread);
/* Whether a thread state may have run between the last two looks. */
bool interp_may_have_run(const struct interp *, uint64_t thread);

#endif
