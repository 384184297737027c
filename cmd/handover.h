/* SPDX-License-Identifier: ISC */
/*
 * handover.h: things that one thread gives to another, and has back once they are
 * done.  Neither waits for the other.
 */
#ifndef HANDOVER_H
#define HANDOVER_H

#include <stdatomic.h>
#include <stdbool.h>

/* The first member of a thing that is given. */
struct handover {
	struct handover *next; /* the taker's own, until it gives the thing back */
	atomic_bool back;
};

/* The things that were given and not taken yet; NULL if there are none. */
typedef _Atomic(struct handover *) handover_box;

void handover_give(handover_box *, struct handover *);
/* Takes all that there are, the newest first. */
struct handover *handover_take(handover_box *);

/* The thing is the giver's again. */
void handover_return(struct handover *);
bool handover_is_back(const struct handover *);

#endif
