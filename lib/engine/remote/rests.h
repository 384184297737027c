/* SPDX-License-Identifier: ISC */
/*
 * rests.h: looks at threads that have not been copied: whether they rest, so that
 * they need not be read, and whether their status still holds.
 */
#ifndef ENGINE_REMOTE_RESTS_H
#define ENGINE_REMOTE_RESTS_H

#include "engine/os/os.h"
#include "engine/remote/plan.h"

struct rests {
	struct plan *plan;
	struct watcher watcher;
	size_t turn;	 /* index of the thread that was looked at last */
	unsigned rounds; /* rounds in a row in which no thread had a CPU */
};

/* The plan must outlive it.  program: of interrupts_stir. */
void rests_init(struct rests *, struct plan *, int program);
void rests_free(struct rests *);
/* Uses this program from now on, where there was none. */
void rests_stir(struct rests *, int program);

/* Finds out whether a thread rests, where no GIL tells the threads that ran. */
void rests_look(struct rests *, struct thread *);
/* Looks at some threads though there is no sign that they ran. */
void rests_look_around(struct rests *);

/* Whether nothing need be read in this round, as no thread has had a CPU since before
 * the last round that was read.  may: in this round that is enough. */
bool rests_all(struct rests *, bool may);

#endif
