/* SPDX-License-Identifier: ISC */
/*
 * batch.h: rounds that the kernel takes for us, and that are read many at once.
 *
 * While one thread keeps its CPU and nothing else changes, a program of ours
 * (interrupt.bpf.c) copies it at each interval of its CPU time, in an interrupt
 * of that CPU, and many such records are read at once: we need not wake for each,
 * nor does the thread wait for us.  It ends by itself, and wakes us, as soon as
 * the thread is blocked or a word that is watched is another one: then there may
 * be something else to see.  Where another thread takes its CPU, it is copied as
 * it leaves, and is like that until it has one again.  This is for a recorder that
 * may use interrupt.h.
 *
 * So are some threads that take turns at a GIL, as long as each of them has it
 * or waits for it: at the first interval of a turn the one whose turn was
 * before is copied as well, as it left it.  It ends where there was more than
 * one change of turns from an interval to the next, so that others can have had
 * one; or where one of them leaves its CPU for anything else.
 */
#ifndef ENGINE_KERNEL_BATCH_H
#define ENGINE_KERNEL_BATCH_H

#include "engine/kernel/interrupt.h"

#define BATCH_THREADS INTERRUPT_TAKERS /* whose events are kept */

/* The perf events of a thread. */
struct batch_events {
	pid_t task;	/* 0: there are none */
	int leaves, clock; /* of which the first leads ... */
	void *output;	/* ... and where they say that there is something */
	bool gone;	/* the thread is no more */
};

struct batch {
	struct interrupts *in; /* or NULL */
	struct batch_events list[BATCH_THREADS];
	size_t oldest; /* of these */
	struct batch_events *asked[INTERRUPT_TAKERS]; /* of who is copied ... */
	size_t asks;	/* ... so many */
	uint64_t interval_ns;
	bool on;	/* there is, or will be, something to read */
	const struct interrupt_wire *wire; /* what is read ... */
	uint32_t now, next; /* ... records of it */
	uint64_t rounds;    /* that were read since it began, ... */
	uint64_t known;	    /* ... and since a word that it is told of changed */
	/* When the last record was made that was read, 0 if none was; and when it
	 * was not known any more that its thread has a CPU. */
	uint64_t last, doubt;
	uint64_t left, ran; /* when the last record was made, if its thread left
			     * its CPU then, or it began; and the CPU time that
			     * the thread had had */
	uint64_t gone;	    /* from then to the newest one without a CPU; ns */
};

/* What is asked for of a thread: as in interrupts_read, and the words that are
 * watched: it ends if one of the first `watches` has changed, and we are woken
 * at once if one of the `told` after them has. */
struct batch_ask {
	pid_t task;
	uint64_t holder; /* as which it has its GIL */
	bool waits;	 /* for that */
	const struct snapshot *first; /* before the frames */
	struct interrupt_way way;
	struct interrupt_watch watch[INTERRUPT_WATCHES];
	size_t watches, told;
};

/* The interrupts may be NULL, or must outlive it. */
void batch_init(struct batch *, struct interrupts *);
void batch_free(struct batch *);

/* Takes the interrupts for itself, and then what is asked for of one thread, or
 * of each that takes turns.  False: that cannot be had, or would take too much;
 * if the first could be, cancel it. */
bool batch_prepare(struct batch *, uint64_t interval_ns);
bool batch_ask(struct batch *, const struct batch_ask *);
/* Whether it is known why a thread leaves its CPU.  Then threads that take turns
 * can be asked for, and one that is asked for alone may be without a CPU when it
 * begins. */
bool batch_knows_calls(const struct batch *);
/* From an interval after now on there is a record each interval, until it is
 * ended, or ends; we are woken after `size` of them.  Where threads take turns,
 * it needs the GIL: where that is, and how often it had changed hands.  False: as
 * above. */
bool batch_begin(struct batch *, const struct interrupt_gil *,
    uint64_t switches, uint32_t size);
/* The same at another interval, or after another number of them. */
void batch_set_interval(struct batch *, uint64_t interval_ns);
void batch_set_size(struct batch *, uint32_t size);
/* It records no more; what it did is still to be read. */
void batch_end(struct batch *);
/* The same, as a thread that was asked for is no more; or what it did is of no
 * use. */
void batch_lose(struct batch *, size_t nth);
void batch_cancel(struct batch *);

/* Whether a thread has left its CPU while there was something to read: then it
 * is for who reads to see whether it is blocked. */
bool batch_was_away(struct batch *);
/* It is not, so it waits for a CPU, which may take long.  From now on, and from
 * batch_begin on, it is not known that a thread has a CPU until there is a
 * record. */
void batch_doubt(struct batch *);
/* Since when that is not known (ns, by clock_ns); 0: it is. */
uint64_t batch_doubts(const struct batch *);
/* Whether it has ended as it takes the thread too much of its time. */
bool batch_is_dear(const struct batch *);

/* What of each thread that was asked for can be read as soon as there is
 * something to read or it ends, and hangs up when there is no such thread any
 * more. */
int batch_fd(const struct batch *, size_t nth);
/* Goes on to the next round, or to the next record of the same one.  That was
 * made at *time: ns, CLOCK_MONOTONIC; of the thread that was asked for as the
 * who-th.  False: there is none yet, or, if it is not ->on any more, there will
 * be none. */
bool batch_next(struct batch *, uint64_t *time);
bool batch_more(struct batch *);
size_t batch_who(const struct batch *);
/* Whether its thread had to leave its CPU then; and how long it had been without
 * one since the record before, or since it began, ns. */
bool batch_left(const struct batch *);
uint64_t batch_away(const struct batch *);
/* How long it will have been without one until the next record, ns; UINT64_MAX:
 * there is none yet. */
uint64_t batch_gap(const struct batch *);
/* Has it say soon what there is, however little that is.  False: a thread that
 * waits for a CPU is not told from one that is blocked, so it is better ended. */
bool batch_hurry(struct batch *);
/* Adds that record to a snapshot of what was asked for.  False: out of memory. */
bool batch_take(const struct batch *, struct snapshot *);

#endif
