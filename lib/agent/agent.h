/* SPDX-License-Identifier: ISC */
/*
 * agent.h: the process's side of the in-process engine: what is shared with
 * the recorder (wire.h), and which part of that is this process's.
 *
 * All of libtach-agent.so must be able to run in a signal handler, in any
 * thread, at any moment, unless it says otherwise: no memory is allocated, no
 * lock is taken, nothing is written but shared memory.
 */
#ifndef AGENT_AGENT_H
#define AGENT_AGENT_H

#include <stdbool.h>
#include <sys/types.h>

#include "agent/wire.h"

#define AGENT_PATH_MAX 64
#define AGENT_LIBRARY_MAX 4096

struct agent {
	struct wire_control *control; /* NULL: there is no recorder */
	_Atomic(struct wire_slot *) slot; /* NULL: not in force */
	uint32_t slot_number;
	uint32_t generation; /* of recorders: counts them */
	bool attached;	     /* the process ran before us */
	uint32_t asked; /* enum wire_asked */
	pid_t pid;
	int signal;
	uint64_t interval; /* ns */
	char path[AGENT_PATH_MAX]; /* of the memory file; "": it has none */
	/* What a program needs to have the agent, too; "": it cannot. */
	char where[2 * AGENT_PATH_MAX]; /* the value of WIRE_ENV */
	char library[AGENT_LIBRARY_MAX];
};

extern struct agent agent;

/*
 * Begins to work for the recorder whose memory is at "PATH NONCE".  Returns 0
 * or an errno; EBUSY: another recorder is at work, or the program uses the
 * signal itself.  Not in a handler.  attached: in a process that runs already,
 * where PATH means something only now.
 */
int agent_start(const char *where, bool attached);

/* The slot, while the recorder lives and wants it to be ours; else NULL. */
struct wire_slot *agent_slot(void);

/* Whether the recorder was killed: for a moment yet, what it has opened for us
 * may send signals. */
bool agent_is_orphan(void);

/* Whether this is a child that shares the memory of the process. */
bool agent_is_other(void);

#endif
