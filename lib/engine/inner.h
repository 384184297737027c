/* SPDX-License-Identifier: ISC */
/*
 * inner.h: the innermost frames of a read that broke off, or joined two
 * moments.  It has seen which frame was the thread's current one, but not
 * through which callers; a read right after it has those.
 */
#ifndef ENGINE_INNER_H
#define ENGINE_INNER_H

#include <stdbool.h>

#include "engine/codes.h"

struct inner {
	struct py_chain chain; /* empty: nothing is kept */
	struct stamp stamp;
};

void inner_clear(struct inner *);
void inner_free(struct inner *);

/* Keeps those of a chain that was read with a stamp, if there are none yet:
 * the first read is the sample. */
void inner_keep(struct inner *, const struct py_chain *, const struct stamp *);

/*
 * Puts what was kept in the place of what a chain, all of whose calls are
 * known, has inside of the innermost frame that makes such a call.  False: it
 * has none, what was kept is not proven, or memory ran out; then the chain is
 * as it was.
 */
bool inner_join(struct inner *, struct codes *, struct py_chain *);

#endif
