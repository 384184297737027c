/* SPDX-License-Identifier: ISC */
/*
 * batch.h: rounds that the kernel takes ahead, and that the recorder reads many
 * at once.  A batch needs the same rights as interrupt.h.
 *
 * While one thread keeps its CPU and nothing else changes, a BPF program
 * (interrupt.bpf.c) copies the thread at each interval of its CPU time, in an
 * interrupt of that CPU.  The recorder reads many such records at once: it need
 * not wake for each, and the thread does not wait for the recorder.  Where another
 * thread takes the CPU, the thread is copied as it leaves; that record holds until
 * the thread has a CPU again.  The batch ends by itself, and wakes the recorder, as
 * soon as the thread is blocked or a watched word has changed: then there may be
 * something else to see.
 *
 * Takers, threads that take turns at a GIL, are recorded as long as each of them has
 * the GIL or waits for it.  At the first interval of a turn, the taker whose turn has
 * ended is copied as well, as it left the GIL.  The batch ends where turns changed
 * more than once from one interval to the next, as other threads can have had a turn;
 * or where a taker leaves its CPU in any other system call than to wait for the GIL.
 */
#ifndef ENGINE_KERNEL_BATCH_H
#define ENGINE_KERNEL_BATCH_H

#include "engine/kernel/interrupt.h"

#define BATCH_THREADS INTERRUPT_TAKERS /* threads whose events are kept */

/* The perf events of a thread. */
struct batch_events {
	pid_t task;	/* 0: there are none */
	int leaves, clock; /* descriptors; the first leads the group */
	void *output;	/* the buffer of both, mapped */
	bool gone;	/* the thread has ended */
};

struct batch {
	struct interrupts *in; /* or NULL */
	struct batch_events list[BATCH_THREADS];
	size_t oldest; /* the next to be replaced, modulo BATCH_THREADS */
	struct batch_events *asked[INTERRUPT_TAKERS]; /* of the asks' threads */
	size_t asks;	/* their number */
	uint64_t interval_ns;
	bool on;	/* there is, or will be, something to read */
	const struct interrupt_wire *wire; /* the wire that is read */
	uint32_t now, next; /* its records: the current one, the next one */
	uint64_t rounds;    /* read since the batch began */
	uint64_t known;	    /* read since a `told` word changed */
	/* Times, ns: of the last record that was read, 0 if none was; and from which
	 * on it is not known that a thread has a CPU. */
	uint64_t last, doubt;
	uint64_t left, ran; /* time of the last record, if its thread left its CPU
			     * then (else 0), or of the batch's beginning; CPU
			     * time of the thread by then; ns */
	uint64_t gone;	    /* ns without a CPU before the newest record */
};

/* The ask of a thread: a copy as in interrupts_read, and the watched words.  The
 * batch ends if one of the first `watches` words has changed.  The recorder is
 * woken at once if one of the `told` words after them has. */
struct batch_ask {
	pid_t task;
	uint64_t holder; /* thread state that the GIL names as its holder */
	bool waits;	 /* for the GIL */
	const struct snapshot *first; /* ranges copied before the frames */
	struct interrupt_way way;
	struct interrupt_watch watch[INTERRUPT_WATCHES];
	size_t watches, told;
};

/* The interrupts must outlive the batch; with NULL none can begin. */
void batch_init(struct batch *, struct interrupts *);
void batch_free(struct batch *);

/* Takes the interrupts for the batch.  False if there are none, a batch is on, or
 * an interrupt would hold up a thread for too long.  After true, batch_cancel is to
 * be called if batch_ask or batch_begin fails. */
bool batch_prepare(struct batch *, uint64_t interval_ns);
/* Adds the ask of the one thread, or of a taker.  False if it asks for too much,
 * or the thread's events cannot be opened. */
bool batch_ask(struct batch *, const struct batch_ask *);
/* Whether the kernel tells why a thread leaves its CPU.  Then a batch may have
 * takers, and the thread of a batch of one may be without a CPU when it begins. */
bool batch_knows_calls(const struct batch *);
/* Begins the batch: there is a record at each interval, the first one interval
 * after now, until the batch ends or is ended.  The recorder is woken after `size`
 * records.  Takers need the addresses of the GIL, and the number of times that it
 * had changed hands.  False if the events cannot be enabled. */
bool batch_begin(struct batch *, const struct interrupt_gil *,
    uint64_t switches, uint32_t size);
/* From now on the batch has another interval, or wakes the recorder after another
 * number of records. */
void batch_set_interval(struct batch *, uint64_t interval_ns);
void batch_set_size(struct batch *, uint32_t size);
/* Ends the recording; its records are still to be read. */
void batch_end(struct batch *);
/* The same, as the nth thread that was asked for has ended. */
void batch_lose(struct batch *, size_t nth);
/* Ends the recording, and drops its records. */
void batch_cancel(struct batch *);

/* Whether a thread has left its CPU since the last call, and the kernel does not
 * tell whether it is blocked: the caller is to see. */
bool batch_was_away(struct batch *);
/* Notes that no thread is blocked, so one waits for a CPU, which may take long.
 * From now on, as from batch_begin on, it is not known that a thread has a CPU
 * until there is a record. */
void batch_doubt(struct batch *);
/* Since when that is not known (ns, by clock_ns); 0 if it is known. */
uint64_t batch_doubts(const struct batch *);
/* Whether the batch has ended because it takes a thread too much of its time. */
bool batch_is_dear(const struct batch *);

/* A descriptor of the nth thread that was asked for; it stays the batch's.  It is
 * readable as soon as there is something to read or the batch ends by itself, and
 * hangs up when the thread has ended. */
int batch_fd(const struct batch *, size_t nth);
/* Goes on to the first record of the next round, made at *time (ns,
 * CLOCK_MONOTONIC).  False if there is none yet; or if none will come: then ->on
 * is false. */
bool batch_next(struct batch *, uint64_t *time);
/* Goes on to the next record of the same round.  False if there is none. */
bool batch_more(struct batch *);
/* The number of the ask that the record is for. */
size_t batch_who(const struct batch *);
/* Whether another thread took the CPU of the record's thread then. */
bool batch_left(const struct batch *);
/* ns that a thread that had left its CPU was without one, from the record before,
 * or the batch's beginning, to this record; 0 if it had one, or that is not
 * known. */
uint64_t batch_away(const struct batch *);
/* ns without a CPU from this record to the next one; 0 if that is not known;
 * UINT64_MAX if there is no next one yet. */
uint64_t batch_gap(const struct batch *);
/* Has the kernel wake the recorder at each record.  False if a thread that waits
 * for a CPU is not told from one that is blocked: then the batch is better
 * ended. */
bool batch_hurry(struct batch *);
/* Adds the record to a snapshot of the ranges that were asked for.  INTERRUPT_FAILED
 * if the record cannot be right. */
enum interrupt_result batch_take(const struct batch *, struct snapshot *);
/* The same as interrupts_registers, of the record. */
bool batch_registers(const struct batch *, struct task_registers *);
/* The same as interrupts_kernel, of the record; valid until the next record. */
struct kernel_stack batch_kernel(const struct batch *);
/* From now on the stack of C of the nth thread that was asked for is copied up to this
 * address; see struct interrupt_way. */
void batch_set_stack_end(struct batch *, size_t nth, uint64_t end);

#endif
