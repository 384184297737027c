/* SPDX-License-Identifier: ISC */
/*
 * remote_engine.h: the remote engine behind its table (engine/engine.h): it waits for
 * a Python and takes the rounds of remote.h when they are due.  Nothing is read
 * between two of them.
 */
#ifndef ENGINE_REMOTE_REMOTE_ENGINE_H
#define ENGINE_REMOTE_REMOTE_ENGINE_H

#include "engine/engine.h"
#include "engine/kernel/stock.h"
#include "engine/remote/ahead.h"
#include "engine/remote/remote.h"

struct remote_engine {
	struct engine engine;
	struct remote *remote; /* of the Python that is sampled, or NULL */
	struct interrupts *interrupts; /* or NULL */
	struct stock *stock; /* the family's, of interrupts */
	bool follows;	/* its recorder is not the first of the family */
	bool asked;	/* for interrupts of the stock */
	struct tach_locals locals;
	struct ahead ahead;
};

/* Takes a round, and counts it as one of that time (ns, CLOCK_MONOTONIC). */
enum engine_result remote_engine_sample(struct remote_engine *, uint64_t now,
    struct tach_sink *);

#endif
