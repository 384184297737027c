/* SPDX-License-Identifier: ISC */
/*
 * thread_ring.h: a thread that samples itself, as the recorder knows it: its area
 * of the shared memory, with its ring, and what was read from there.
 */
#ifndef ENGINE_INPROCESS_THREAD_RING_H
#define ENGINE_INPROCESS_THREAD_RING_H

#include "agent/ring.h"
#include "engine/inprocess/agents.h"
#include "engine/inprocess/registry.h"
#include "engine/os/clock.h"
#include "engine/os/process.h"

struct thread_ring {
	uint32_t number;
	struct ring_reader ring;
	uint64_t tid, ident;
	pid_t task; /* as we know it; 0: not known */
	int event;  /* its clock that we opened, or -1 */
	struct pacer pacer; /* of that: its interval wanders as rounds' does */
	uint64_t paced;	    /* ns: when it took a step last */
	bool bad;   /* its ring is none */
	bool over;  /* its thread was, when it was looked at last */
	uint32_t clock; /* enum wire_clock that it had last */
	uint32_t codes[WIRE_CODES]; /* of the registry, plus one; 0: none */
	/* The stack of its last sample, at the end of the array: the innermost
	 * frame first. */
	uint32_t *stack;
	size_t depth, max;
	size_t common; /* outermost frames that the sink's last run has too */
	uint32_t index, interp; /* of the thread in that run; TACH_NONE: there
				 * was none */
	/* The sample that is next, and whether there is one. */
	struct wire_sample next;
	bool has_next;
	uint64_t last; /* ns: no earlier time is believed */
	/* Its wait that goes on: since when none of its ticks has been given,
	 * ns; how many have that it will tell of when the wait is over; and
	 * whether the sink's last run of the thread is of these. */
	uint64_t since, ahead;
	bool waits;
};

/* The memory stays the caller's.  born: ns, no sample can be older.  NULL: out
 * of memory. */
struct thread_ring *thread_ring_new(uint32_t number, struct wire_area *,
    const struct process *, uint64_t born);
void thread_ring_free(struct thread_ring *, struct registry *);

/* Whether the thread needs an exact clock, which it has not been given. */
bool thread_ring_wants_clock(const struct thread_ring *);
/* Opens one for it.  False: that cannot be had. */
bool thread_ring_open_clock(struct thread_ring *, struct agents *);
/* Lets it go on, at once or after a pause, or takes it away again. */
void thread_ring_begin_clock(struct thread_ring *, bool paused);
void thread_ring_drop_clock(struct thread_ring *);
/* Has that clock's interval wander, now that the thread has told of samples; so
 * no program falls into step with its signals.  now: ns. */
void thread_ring_pace(struct thread_ring *, uint64_t interval_ns, uint64_t now);
/* Ticks of the wall until a time, of which nothing has come since a time. */
uint64_t thread_ring_untold(const struct thread_ring *, uint64_t since,
    uint64_t until, uint64_t interval_ns);
/* Those ticks of its next sample, of so many, that have not been given ahead. */
uint64_t thread_ring_rest(struct thread_ring *, uint64_t weight,
    uint64_t interval_ns);
/* Takes note of whether the thread is over, and by which clock it goes.
 * Returns how many bytes its ring holds. */
uint64_t thread_ring_look(struct thread_ring *);

/* What the records of all areas of a process are read with. */
struct thread_ring_reader {
	struct registry *registry;
	const struct py_offsets *offsets;
	struct tach_table *table;
	bool opcodes; /* frames are to have theirs */
	uint32_t cut, gc, native; /* synthetic frames, or TACH_NONE */
	int64_t ahead; /* ns: the process's clock of ours, see timens.h */
	size_t left;  /* records that it may still read: the caller's to set */
	uint64_t now; /* ns, about: what is later than that is not believed */
	uint64_t damaged; /* records so far that made no sense */
	_Alignas(8) uint8_t record[RING_RECORD_MAX];
};

/* All must outlive it. */
void thread_ring_reader_init(struct thread_ring_reader *, struct registry *,
    const struct py_offsets *, struct tach_table *, bool opcodes);

/* Reads on until there is a next sample, or nothing.  False: out of memory. */
bool thread_ring_read(struct thread_ring *, struct thread_ring_reader *);

#endif
