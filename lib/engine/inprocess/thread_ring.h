/* SPDX-License-Identifier: ISC */
/*
 * thread_ring.h: a thread that samples itself, as the recorder knows it: its area
 * of the shared memory, with its ring, and the stack that was read from there.
 */
#ifndef ENGINE_INPROCESS_THREAD_RING_H
#define ENGINE_INPROCESS_THREAD_RING_H

#include "agent/ring.h"
#include "engine/inprocess/agents.h"
#include "engine/os/os.h"
#include "engine/sched/pacer.h"
#include "engine/told/registry.h"
#include "engine/told/told_stack.h"

struct thread_ring {
	uint32_t number;
	struct ring_reader ring;
	uint64_t tid, ident; /* as the target says them */
	pid_t task; /* the recorder's number of the thread; 0: not known */
	int event;  /* the clock that the recorder opened, or -1 */
	struct pacer pacer; /* of `event`: its interval wanders as that of rounds */
	uint64_t paced;	    /* ns: time of the last step of `pacer` */
	bool bad;   /* its ring holds no records */
	bool over;  /* the thread had ended at the last look */
	uint32_t clock; /* enum wire_clock that it had last */
	uint32_t codes[WIRE_CODES]; /* of the registry, plus one; 0: none */
	uint64_t addrs[WIRE_CODES]; /* where these code objects lie */
	/* The stack of its last sample, at the end of the array, innermost frame
	 * first. */
	uint32_t *stack;
	size_t depth, max;
	struct wire_frame innermost; /* of these frames, as the agent told of it */
	struct wire_called called; /* what it calls; no address: not told */
	struct wire_waited waited; /* in which call it waited */
	bool has_waited; /* the last sample is of a wait, of which that tells */
	struct told_stack *c; /* its stacks of C; NULL: it told of none yet */
	bool has_c; /* the last sample has one */
	/* The frames of the sink's last run, if stacks are of Python and C; as above. */
	uint32_t *mixed;
	size_t mixed_depth, mixed_max;
	size_t common; /* outermost frames that the sink's last run has too */
	/* The frames before them in that run; TACH_NONE: none. */
	uint32_t callee, wait;
	uint32_t index, interp; /* of the thread in that run; TACH_NONE: there
				 * was none */
	bool has_next; /* there is a next sample */
	uint64_t last; /* ns: no earlier time is believed */
	/* A wait that goes on.  since: ns, the time up to which its ticks have been
	 * given; ahead: ticks that have been given, and of which the thread will
	 * tell when the wait is over; waits: the sink's last run of the thread is
	 * of such ticks. */
	uint64_t since, ahead;
	bool waits;
	struct wire_sample next; /* last, as its type ends in an array */
};

/* The area stays the caller's.  born: ns; no sample can be older.  NULL if memory
 * ran out. */
struct thread_ring *thread_ring_new(uint32_t number, struct wire_area *,
    const struct process *, uint64_t born);
void thread_ring_free(struct thread_ring *, struct registry *);

/* Whether the thread needs an exact clock and has none yet. */
bool thread_ring_wants_clock(const struct thread_ring *);
/* Opens an exact clock for the thread.  False if it can have none. */
bool thread_ring_open_clock(struct thread_ring *, struct agents *);
/* Starts the clock that was opened; after a pause, if there is one now. */
void thread_ring_begin_clock(struct thread_ring *, bool paused);
/* Closes the clock that was opened, as it is of no thread of the process. */
void thread_ring_drop_clock(struct thread_ring *);
/* Has the interval of that clock wander, so that no program falls into step with its
 * signals.  To be called when the thread has told of samples.  now: ns. */
void thread_ring_pace(struct thread_ring *, uint64_t interval_ns, uint64_t now);
/* Ticks of a wall clock between two times (ns) of which the thread has told nothing
 * and none has been given. */
uint64_t thread_ring_untold(const struct thread_ring *, uint64_t since,
    uint64_t until, uint64_t interval_ns);
/* How many of the next sample's `weight` ticks have not been given ahead.  Ends the
 * wait. */
uint64_t thread_ring_rest(struct thread_ring *, uint64_t weight,
    uint64_t interval_ns);
/* Notes whether the thread has ended, and its clock.  Returns how many bytes its ring
 * holds. */
uint64_t thread_ring_look(struct thread_ring *);

/* The reader of the records of all areas of a process. */
struct thread_ring_reader {
	struct registry *registry;
	const struct py_offsets *offsets;
	struct tach_table *table;
	bool opcodes; /* frames are to have their opcodes */
	uint32_t cut, gc, native; /* synthetic frames, or TACH_NONE */
	int64_t ahead; /* ns by which the process's clock is ahead */
	size_t left;  /* records that it may still read; set by the caller */
	uint64_t now; /* ns: the last look at the clock; see take_sample */
	uint64_t damaged; /* records so far that cannot be right */
	_Alignas(8) uint8_t record[RING_RECORD_MAX];
};

/* All arguments must outlive it. */
void thread_ring_reader_init(struct thread_ring_reader *, struct registry *,
    const struct py_offsets *, struct tach_table *, bool opcodes);

/* Whether a frame of a stack is a mark. */
bool thread_ring_is_mark(const struct thread_ring_reader *, uint32_t frame);

/* Reads records until there is a next sample, or none are left.  False if memory ran
 * out. */
bool thread_ring_read(struct thread_ring *, struct thread_ring_reader *);

#endif
