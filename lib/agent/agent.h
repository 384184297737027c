/* SPDX-License-Identifier: ISC */
/*
 * agent.h: the process's side of the in-process engine: the memory that it
 * shares with the recorder (wire.h), and the part of it that is its own.
 *
 * All code of libtach-agent.so must be able to run in a signal handler, in any
 * thread, at any moment, unless its comment says otherwise.  The code allocates
 * no memory, takes no lock, and writes only to shared memory and to the agent's
 * own variables.
 */
#ifndef AGENT_AGENT_H
#define AGENT_AGENT_H

#include <stdbool.h>
#include <sys/types.h>

#include "agent/wire.h"

#define AGENT_PATH_MAX 64
#define AGENT_LIBRARY_MAX 4096

struct agent {
	struct wire_control *control; /* NULL: there was no recorder yet */
	_Atomic(struct wire_slot *) slot; /* NULL: the process has none */
	uint32_t slot_number;
	uint32_t generation; /* counts the recorders */
	bool attached;	     /* the process ran before the agent came */
	uint32_t asked; /* bits of enum wire_asked */
	pid_t pid;
	int signal;
	uint64_t interval; /* ns */
	char path[AGENT_PATH_MAX]; /* of the memory file; "": it has none */
	/* The environment by which a program gets the agent, too; "": it
	 * cannot. */
	char where[2 * AGENT_PATH_MAX]; /* the value of WIRE_ENV */
	char library[AGENT_LIBRARY_MAX];
};

extern struct agent agent;

/*
 * Begins to work for the recorder whose memory is at "PATH NONCE".  attached:
 * the process runs already, and PATH is valid during this call only.  Returns 0
 * or an errno: EBUSY if another recorder is at work, or if the program uses the
 * signal itself; ENOENT if there is no such memory; ESRCH if the recorder wants
 * another process; EAGAIN if no slot is free.  Not in a handler.
 */
int agent_start(const char *where, bool attached);

/* The slot of this process.  NULL if it has none, or if the recorder has died,
 * has ended the work, or has freed the slot. */
struct wire_slot *agent_slot(void);

/* True if the recorder was killed.  Its perf events may send signals for a
 * moment longer. */
bool agent_is_orphan(void);

/* True in a child that shares the memory of the process. */
bool agent_is_other(void);

#endif
