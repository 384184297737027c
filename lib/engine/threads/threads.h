/* SPDX-License-Identifier: ISC */
/* threads.h: the target's threads, as a recorder keeps them between rounds. */
#ifndef ENGINE_THREADS_THREADS_H
#define ENGINE_THREADS_THREADS_H

#include "engine/copy/workset.h"
#include "engine/os/os.h"
#include "python/frames.h"
#include "python/runtime.h"
#include "set.h"
#include "tach-record.h"

/* ---- numbers: (interpreter, thread id) -> a dense index ---------------- */

struct thread_name {
	uint64_t tid;
	uint32_t interp;
	bool counted;	/* it has samples */
	uint64_t state; /* thread state that was sampled last under this index */
};

struct thread_names {
	struct thread_name *list;
	uint32_t count;
	size_t max;
	struct set set;
};

/* The index of a thread, added if it is new.  TACH_NONE if out of memory. */
uint32_t thread_names_add(struct thread_names *, uint32_t interp, uint64_t tid);
/* Counts samples of a thread, at least one, and the thread with its first one. */
void thread_names_count(struct thread_names *, uint32_t index,
    uint64_t samples, struct tach_recorder_stats *);
void thread_names_free(struct thread_names *);

/* ---- one thread state -------------------------------------------------- */

/* The thread that a state belongs to. */
struct thread_id {
	uint64_t tid;  /* its id as the target knows it; 0: not bound yet */
	uint64_t told; /* the id that its state gave when it was bound */
	uint64_t pthread; /* pthread_self() that the id is found by; see tids.h */
	unsigned sought;  /* how often its state was seen to be stray */
	uint64_t seek_us; /* when its thread may be sought again */
};

/* What a thread's last sample is good for. */
enum thread_last {
	LAST_NONE,   /* there is none: the thread is not wanted, runs no Python
		      * code, or has ended */
	LAST_GOOD,   /* it can be repeated until the thread runs */
	LAST_PASSED, /* there is none, as the thread's status is not wanted */
	LAST_LOST,   /* it cannot be repeated: to read the thread failed, or gave
		      * a part of its frames, or a task that waits was sampled */
};

/* Whether a thread's last sample holds, and whether there can be another one. */
enum thread_freshness {
	FRESH_CURRENT,
	FRESH_STALE, /* it may not hold any more: the thread has to be read */
	FRESH_GONE,  /* the thread's state could not be read */
	FRESH_STRAY, /* the thread's state was seen to belong to no thread */
};

/* A thread's last sample.  The chain and its frames stay while later reads of the
 * thread fail. */
struct last_sample {
	enum thread_last is;
	struct py_chain chain;
	struct py_chain shown; /* the chain with frames of C; without places if it
				* has none */
	uint32_t *frames; /* innermost first: a wait and a callee, if there are,
			   * and the frames of the chain, or of the one with
			   * frames of C */
	uint32_t depth;	  /* number of frames */
	uint32_t callee, wait; /* of these frames; TACH_NONE: there is none */
	size_t frames_max;
	bool sound;	   /* all calls of the chain are known */
	uint64_t count;	   /* of the chain's stamp: see codes.h */
	uint64_t replaced; /* codes_replaced() then */
	uint64_t stack; /* of the chain that was read last, which may have given no
			 * sample; 0 if that has no frames */
	uint64_t read_us;    /* when the chain was read */
	uint64_t sampled_us; /* time of the newest sample, also a repeated one;
			      * UINT64_MAX: none */
};

/* A thread's status at its last sample, or when it was passed over. */
struct thread_status {
	uint8_t bits; /* of enum tach_status */
	/* The bits may not hold: look at the thread again.  That is apart from
	 * `fresh`: also a stale thread can be known to be blocked. */
	bool unsure;
	bool holds_gil; /* in this round */
	bool wants_gil, exception; /* as read with its last sample */
};

/* Whether a thread rests, where no GIL tells which threads ran. */
enum thread_rest {
	REST_NONE,
	REST_BLOCKED, /* it was blocked at the last look, and has had no CPU since */
	REST_LONG,    /* so it was at the look before, too: its last sample holds */
};

/* Looks at a thread's task, by its switches: see os.h. */
struct thread_looks {
	uint64_t waiting; /* its switches when it was last seen to wait for the
			   * GIL; SWITCHES_UNKNOWN: it did not wait */
	uint64_t parked; /* its switches when it was last seen to be blocked: it
			  * stands still until it has more */
	unsigned count; /* looks at its status, though it had not run */
	struct task_call call; /* that it was blocked in at the last look at its
				* status */
	enum thread_rest rest;
};

/* Whether and where a thread can be interrupted. */
struct thread_interrupt {
	int cpu; /* the CPU on which to interrupt it, or -1 */
	/* It must not be interrupted before this time (ns, by clock_ns; 0: it may
	 * be): to copy it took too long, or, if it is unfit, was in vain. */
	uint64_t spared;
	bool unfit;
};

/* The memory of a thread that its samples need. */
struct thread_memory {
	struct workset set;
	struct workset needed; /* by the samples since the set was made */
	uint64_t stack_end; /* of its C stack; 0: not known */
	unsigned samples;      /* number of these samples */
	uint64_t needed_end; /* the stack is needed up to here: above it there is no
			      * Python; 0: not known */
	unsigned deep; /* samples for which no interrupt copies its stack of C, as one
			* had more than that copies */
};

/* How a thread was copied into the snapshot of the round. */
enum thread_copied {
	COPIED_NOT,
	COPIED_OUTSIDE,	  /* it may have gone on meanwhile */
	COPIED_INTERRUPT, /* at one moment */
};

/* A thread's stack of C, copied with its frames. */
struct stack_copy {
	struct task_registers registers;
	uint64_t low; /* address of the first byte */
	size_t at;    /* offset of the bytes in the snapshot */
	size_t size;  /* 0: it was not copied */
};

/* A thread's copy in the snapshot of the round. */
struct thread_copy {
	enum thread_copied how;
	size_t first, ranges; /* the first range, and their number */
	size_t at;	      /* offset of the bytes */
	size_t before, before_at; /* the first range, and the offset of the bytes,
				   * of the frames before the state */
	size_t link; /* offset of the link to the thread, or SIZE_MAX */
	struct stack_copy stack; /* if it was copied in an interrupt */
	struct kernel_stack kernel; /* likewise */
};

/* The means by which a thread that ran was made to stand still, to be read. */
enum thread_hold {
	HOLD_NONE,	/* it could go on, or did not run */
	HOLD_COPY,	/* the round's copy of it was made in an interrupt */
	HOLD_INTERRUPT, /* an interrupt of its own */
	HOLD_STOP,	/* it was stopped */
};

struct thread {
	struct py_thread py;
	size_t interp;	/* number of its interpreter in the list */
	uint32_t index; /* TACH_NONE: not bound yet */
	struct thread_id id;
	pid_t task;   /* its id as the recorder knows it; 0: not known */
	int state_fd; /* of task_open; -1: not kept */
	struct switches switches;
	struct thread_looks looks;
	struct thread_interrupt interrupt;
	struct thread_memory memory;
	struct thread_copy copy; /* in this round */
	bool done;		 /* in this round */
	enum thread_hold held;	 /* when it was read last */
	enum thread_freshness fresh;
	struct last_sample last;
	struct thread_status status;
};

/* Makes a thread of which only the state is known. */
struct thread thread_new(struct py_thread);
/* Frees all that a thread has: descriptors, pages, sets and chain. */
void thread_free(struct thread *);

/* Threads in the order of the target's list. */
struct threads {
	struct thread *list;
	size_t count;
};

/* Replaces the threads by the threads of a new list.  A thread that stays keeps all
 * that is known of it; unless it is stray, it becomes stale.  False if out of memory:
 * then the threads are as before.  Pointers to threads are invalid afterwards. */
bool threads_update(struct threads *, const struct py_threads *);
void threads_free(struct threads *);

/* Marks a thread as stale or as current, unless it is gone or stray. */
void thread_make_stale(struct thread *);
void thread_make_current(struct thread *);
/* Whether a thread is gone or stray. */
bool thread_is_gone(const struct thread *);

/* Finds the task of a thread that has none, or whose id is not noted yet, so that it can be
 * looked at.  Nor is this id: it may soon be another one. */
void thread_find(struct thread *, const struct process *, uint64_t tid);
/* Notes the id that the target's memory gives for a thread, and finds its task. */
void thread_bind(struct thread *, const struct process *, uint64_t tid);

/*
 * Makes a new working set of the frames of the last samples, now and then: where
 * frames lie apart, older frames would soon be most of a copy.  To be called with the
 * chain of each sample.  Frames that the last sample had, too, are noted already,
 * unless the set has just begun.  If memory runs out, the set lacks some frames, and
 * the walk finds them.
 */
void thread_renew_set(struct thread *, const struct py_chain *, size_t frame_size);

#endif
