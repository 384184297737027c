/* SPDX-License-Identifier: ISC */
/*
 * interps.h: the target's interpreters and their GILs.
 *
 * A GIL counts how often it changes hands.  So from one look at it to the next
 * it tells who can have run Python code: nobody but its holder; that one and
 * the one before; or anybody.
 */
#ifndef ENGINE_THREADS_INTERPS_H
#define ENGINE_THREADS_INTERPS_H

#include "engine/code/codes.h"
#include "engine/copy/snapshot.h"
#include "engine/copy/workset.h"
#include "python/runtime.h"

/* Who had a GIL, and how often it had changed hands. */
struct gil {
	uint64_t holder; /* thread state that has it, or had it last */
	uint64_t switches;
	uint64_t waiting; /* its locks' bytes: change with who waits for it */
	bool locked;
};

struct interp {
	uint64_t addr;
	uint64_t next;	 /* address of the next one */
	uint64_t first;	 /* address of its first thread state */
	uint64_t gil_at; /* address of its GIL; 0: it has none that we know */
	bool counted;	 /* and that counts its switches */
	struct gil was, gil; /* at the last look but one, and the last */
	/* Where in a round's copy lie its words on garbage collection, and
	 * what codes_stamp needs; and the latter as it was before. */
	size_t gc, count_at;
	uint8_t count[CODES_COUNTS * sizeof(uint64_t)];
	struct stamp stamp; /* of what was copied */
};

struct interps {
	const struct py_runtime *runtime;
	struct interp *list; /* in the order of the target's list */
	size_t count;
	struct workset globals; /* has what their lists and GILs need */
};

/* Makes them those of a new list.  False: memory cannot be read, or ours ran
 * out. */
bool interps_update(struct interps *, const struct py_memory *,
    const struct py_threads *);
void interps_free(struct interps *);

/* Adds what their lists and GILs need to what is copied, and nothing else. */
bool interps_add_words(const struct interps *, struct snapshot *);

/* Where the address of the first one lies. */
uint64_t interps_head(const struct interps *);

/* Whether the list of interpreters still goes on as it did, and those of
 * threads still begin so, by a copy of the globals.  What is new comes to the
 * front of them. */
bool interps_same(const struct interps *, struct py_view *globals);

/* Looks at the GIL of one of them in such a copy.  False: it is not there. */
bool interp_look(const struct interps *, struct interp *,
    struct py_view *globals);

/* Whether its GIL was held at the last look by who held it at the last look but
 * one, and did not change hands meanwhile: then no other thread has run, none
 * that is new, and its holder has not ended. */
bool interp_is_kept(const struct interp *);
/* The same whether it is held or not: its holder may have ended. */
bool interp_is_same(const struct interp *);
/* Whether a thread state can run at any time, without a sign of it. */
bool interp_is_free(const struct interp *, uint64_t thread);
/* Whether it may have run between the last two looks. */
bool interp_may_have_run(const struct interp *, uint64_t thread);

#endif
