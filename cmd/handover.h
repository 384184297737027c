/* SPDX-License-Identifier: ISC */
/*
 * handover.h: one thread gives things to another and gets them back.  Neither waits
 * for the other.
 */
#ifndef HANDOVER_H
#define HANDOVER_H

#include <stdatomic.h>
#include <stdbool.h>

/* The first member of a thing that is given. */
struct handover {
	struct handover *next; /* private to the taker while it has the thing */
	atomic_bool back;
};

/* Things that were given and not yet taken; NULL: none. */
typedef _Atomic(struct handover *) handover_box;

void handover_give(handover_box *, struct handover *);
/* Takes all things, the newest first; NULL: none. */
struct handover *handover_take(handover_box *);

/* Gives a thing back. */
void handover_return(struct handover *);
bool handover_is_back(const struct handover *);

#endif
