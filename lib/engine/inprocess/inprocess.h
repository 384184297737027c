/* SPDX-License-Identifier: ISC */
/*
 * inprocess.h: samples that the threads of a Python take of themselves.
 *
 * The agent, a library in the process, puts samples into rings, and the recorder
 * drains the rings while the process runs; see agent/wire.h.  Any process may have
 * written to the rings: records that cannot be right are left out and counted.
 */
#ifndef ENGINE_INPROCESS_INPROCESS_H
#define ENGINE_INPROCESS_INPROCESS_H

#include "engine/inprocess/agents.h"
#include "engine/lines/late_lines.h"
#include "engine/os/os.h"
#include "engine/sample/native_faults.h"
#include "engine/threads/threads.h"
#include "python/runtime.h"
#include "tach-record.h"

struct inprocess;

/* For one process, whatever programs it becomes.  All arguments must outlive it.
 * NULL if memory ran out, or another recorder has the process. */
struct inprocess *inprocess_new(struct agents *, const struct process *,
    const struct tach_recorder_options *, struct tach_table *,
    struct thread_names *, struct native_faults *, struct late_lines *);
/* ended: no thread can write to the memory any more, so the slot and its areas are
 * freed; otherwise they are left. */
void inprocess_free(struct inprocess *, bool ended);

enum inprocess_state {
	INPROCESS_NONE,	   /* the program has no agent, or not yet */
	INPROCESS_WAITING, /* the agent has to be told where Python is */
	INPROCESS_LIVE,
};

/* Looks for an agent.  The agent of a program that the process has become since the
 * last look takes the place of the one before. */
enum inprocess_state inprocess_look(struct inprocess *);
/* Gives the Python of a fork, which is its parent's.  False if the process is no
 * fork whose agent is live, the Python is not known, or memory ran out. */
bool inprocess_inherit(struct inprocess *, struct py_runtime *);
/* Tells the agent of the Python.  False if a fact that the agent needs cannot be
 * seen yet: call it again; without `patience` the agent is told without that fact.
 * False also if the program has no agent, or memory ran out. */
bool inprocess_tell(struct inprocess *, const struct py_runtime *,
    bool patience);

/* Gives all samples to the sink, with times since `start`: ns of CLOCK_MONOTONIC.
 * False if the sink failed, or memory ran out. */
bool inprocess_drain(struct inprocess *, uint64_t start, struct tach_sink *,
    struct tach_recorder_stats *);
/* Sets the statistics by the counts of the agents until now.  A drain does so every
 * 100 ms. */
void inprocess_count(const struct inprocess *, struct tach_recorder_stats *);
/* Whether the next drain should come soon: a ring got too full, or waits are to be
 * told of as a pause or the end has begun. */
bool inprocess_hurries(const struct inprocess *);

void inprocess_pause(struct inprocess *, bool);
/* Has the agent leave its process alone from now on, for a last drain.  ended: the
 * process has ended. */
void inprocess_stop(struct inprocess *, bool ended);

#endif
