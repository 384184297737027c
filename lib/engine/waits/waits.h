/* SPDX-License-Identifier: ISC */
/*
 * waits.h: the reason for which a thread is blocked, as a frame.
 *
 * It is told by the system call that the thread is in, which the look at its status
 * has read already; by the Python frames and the function of C that have led there; and
 * by the file or the lock that the call is about.  The file and the lock are looked at
 * when a thread is newly blocked: the last sample of a thread that rests is repeated.
 */
#ifndef ENGINE_WAITS_WAITS_H
#define ENGINE_WAITS_WAITS_H

#include "engine/code/codes.h"
#include "engine/threads/status.h"
#include "engine/threads/threads.h"
#include "python/runtime.h"
#include "tach-record.h"

struct waits;

#define WAITS_CALLERS 8 /* Python frames that are looked at, at most */

/* The memory and the code objects that threads are read by, and the threads that may
 * hold locks. */
struct waits_place {
	const struct py_memory *memory;
	struct codes *codes;
	const struct threads *threads;
};

/* All arguments but the place must outlive the waits, and so must all that the place
 * points to.  NULL if out of memory. */
struct waits *waits_new(const struct process *, const struct py_runtime *,
    const struct tach_recorder_options *, struct tach_table *,
    const struct waits_place *);
void waits_free(struct waits *);

/*
 * The frame of the reason for which a thread with a believed chain was blocked at the
 * last look at its status, which gave the moment's.  callee: the frame of the function
 * of C that it has called, or TACH_NONE.  TACH_NONE if the thread runs, if it waits
 * for the GIL with TACH_WAITS_CALLS, if waits are not asked for (waits is NULL), or if out
 * of memory.
 */
uint32_t waits_frame(struct waits *, struct thread *, const struct py_chain *,
    uint32_t callee, const struct moment *);

/* The frame of the reason for which a thread left its CPU in a system call, likewise; the
 * thread may have gone on since.  So nothing is read but the kind of a descriptor's file,
 * and the name has no path, peer or holder.  gil: the address of its GIL, or 0; stopped:
 * it was stopped by a signal or a tracer; *wants_gil: that was the reason. */
uint32_t waits_of_switch(struct waits *, const struct py_chain *,
    const struct task_call *, uint64_t gil, bool stopped, bool *wants_gil);

/* An object that may have the lock for which a thread has waited. */
struct waits_lock {
	uint64_t object, type; /* addresses; 0: there is none */
};

#define WAITS_LOCKS 2

/* A wait that is over, as its thread told of it at once.  All of it comes from a
 * stranger. */
struct waits_told {
	struct task_call call; /* with a number and its first two arguments */
	int fd; /* of the call, or the only one that it polls; -1: none */
	uint32_t polled; /* how many it polls; UINT32_MAX: not known */
	bool writes; /* it polls that only one to write to it */
	uint64_t device, inode; /* of the file of `fd` */
	uint32_t mode; /* likewise; 0: neither is known */
	/* An object that can have the lock behind its head; and another, or, in a
	 * free-threaded build, the object whose own lock it is. */
	struct waits_lock locks[WAITS_LOCKS];
	bool world; /* it was stopped for the interpreter's own work */
	const uint32_t *frames; /* of the table: its stack, innermost first */
	size_t depth;
	uint32_t callee; /* the function of C that it had called; TACH_NONE */
};

/* The frame of the reason for such a wait.  A path or a peer is part of it if the
 * descriptor is still of that file.  TACH_NONE if out of memory. */
uint32_t waits_of_told(struct waits *, const struct waits_told *);
/* The frame of a wait for the GIL, likewise; TACH_NONE with TACH_WAITS_CALLS. */
uint32_t waits_for_gil(struct waits *);

/* The frame of a thread that could run and had no CPU for `away` ns until now, 0 if that
 * is not known; likewise; TACH_NONE with TACH_WAITS_CALLS.  It holds for samples of
 * that time alone. */
uint32_t waits_for_cpu(struct waits *, uint64_t away);
/* The frame of the last sample, if it holds as long as the thread is not looked at. */
uint32_t waits_lasting(const struct waits *, const struct thread *);

#endif
