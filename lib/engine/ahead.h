/* SPDX-License-Identifier: ISC */
/*
 * ahead.h: rounds that the kernel takes for us.
 *
 * While one thread keeps its CPU and nothing else changes, a program of ours
 * (interrupt.bpf.c) copies it at each interval of its CPU time, in an interrupt
 * of that CPU, and many such records are read at once: we need not wake for each,
 * nor does the thread wait for us.  It ends by itself, and wakes us, as soon as
 * the thread leaves its CPU or a word that is watched is another one: then there
 * may be something else to see.  This is for who may use interrupt.h.
 */
#ifndef ENGINE_AHEAD_H
#define ENGINE_AHEAD_H

#include "engine/interrupt.h"

#define AHEAD_THREADS 8 /* whose events are kept: they take turns */

/* The perf events of a thread. */
struct ahead_events {
	pid_t task;	/* 0: there are none */
	int leaves, clock; /* of which the first leads ... */
	void *output;	/* ... and where they say that there is something */
	bool gone;	/* the thread is no more */
};

struct ahead {
	struct interrupts *in; /* or NULL */
	struct ahead_events list[AHEAD_THREADS], *events;
	bool on;	/* there is, or will be, something to read */
	const struct interrupt_wire *wire; /* what is read ... */
	uint32_t now, next; /* ... records of it */
	uint64_t records;   /* that were read since it began */
};

/* What is asked for: as in interrupts_read, and the words that are watched. */
struct ahead_ask {
	pid_t task;
	const struct snapshot *first; /* before the frames */
	struct interrupt_way way;
	struct interrupt_watch watch[INTERRUPT_WATCHES];
	size_t watches;
};

/* The interrupts may be NULL, or must outlive it. */
void ahead_init(struct ahead *, struct interrupts *);
void ahead_free(struct ahead *);

/* From an interval after now on there is a record each interval, until it is
 * ended, or ends, or whoever shares the interrupts is not alone any more; we
 * are woken after `batch` of them.  False: it cannot be had. */
bool ahead_begin(struct ahead *, const struct ahead_ask *, uint64_t interval_ns,
    uint32_t batch);
/* The same at another interval, or after another number of them. */
void ahead_set_interval(struct ahead *, uint64_t interval_ns);
void ahead_set_batch(struct ahead *, uint32_t batch);
/* It records no more; what it did is still to be read. */
void ahead_end(struct ahead *);
/* The same, as the thread is no more; or what it did is of no use. */
void ahead_lose(struct ahead *);
void ahead_cancel(struct ahead *);

/* Whether the thread has left its CPU while there was something to read: then it
 * is for who reads to see whether it is blocked. */
bool ahead_was_away(struct ahead *);

/* What can be read as soon as there is something to read or it ends, and hangs up
 * when there is no such thread any more. */
int ahead_fd(const struct ahead *);
/* Goes on to the next record, made at *time: ns, CLOCK_MONOTONIC.  False: there
 * is none yet, or, if it is not ->on any more, there will be none. */
bool ahead_next(struct ahead *, uint64_t *time);
/* Adds that record to a snapshot of what was asked for.  False: out of memory. */
bool ahead_take(const struct ahead *, struct snapshot *);

#endif
