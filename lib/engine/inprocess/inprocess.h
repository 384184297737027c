/* SPDX-License-Identifier: ISC */
/*
 * inprocess.h: samples that the threads of a Python take of themselves.
 *
 * Our library in the process, the agent, puts them into rings that we drain
 * while it runs; see agent/wire.h.  All that is in there may have been written
 * by anybody, so what cannot be is left out and counted.
 */
#ifndef ENGINE_INPROCESS_INPROCESS_H
#define ENGINE_INPROCESS_INPROCESS_H

#include "engine/inprocess/agents.h"
#include "engine/os/process.h"
#include "engine/threads/threads.h"
#include "python/runtime.h"
#include "tach.h"

struct inprocess;

/* For one process, whatever programs it becomes.  All must outlive it.  NULL:
 * out of memory. */
struct inprocess *inprocess_new(struct agents *, const struct process *,
    const struct tach_recorder_options *, struct tach_table *,
    struct thread_names *);
/* ended: nothing can write to the memory any more; else what is there is left
 * alone. */
void inprocess_free(struct inprocess *, bool ended);

enum inprocess_state {
	INPROCESS_NONE,	   /* there is no agent yet */
	INPROCESS_WAITING, /* it has to be told where Python is */
	INPROCESS_LIVE,
};

/* Looks for an agent, and for that of a program that it has become since,
 * which then takes the place of the last one. */
enum inprocess_state inprocess_look(struct inprocess *);
/* The Python of a fork, which is its parent's. */
bool inprocess_inherit(struct inprocess *, struct py_runtime *);
/* Tells the agent of the Python.  False: something that it needs cannot be
 * seen yet, and without `patience` it is told without that. */
bool inprocess_tell(struct inprocess *, const struct py_runtime *,
    bool patience);

/* Gives all that is there to the sink, with times since `start`, ns of
 * CLOCK_MONOTONIC.  False: the sink failed, or memory ran out. */
bool inprocess_drain(struct inprocess *, uint64_t start, struct tach_sink *,
    struct tach_recorder_stats *);
/* Takes what the agents have counted until now into the statistics, which a
 * drain does now and then. */
void inprocess_count(const struct inprocess *, struct tach_recorder_stats *);
/* Whether a ring got so full that they should be drained more often, or a pause
 * has begun. */
bool inprocess_hurries(const struct inprocess *);

void inprocess_pause(struct inprocess *, bool);
/* Has the agent leave its process alone from now on, for a last drain.  ended:
 * there is none any more. */
void inprocess_stop(struct inprocess *, bool ended);

#endif
