/* SPDX-License-Identifier: ISC */
/* attach.h: puts the agent (see agent/wire.h) into a Python that runs
 * already, wherever it runs. */
#ifndef ENGINE_LOCATE_ATTACH_H
#define ENGINE_LOCATE_ATTACH_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/os/os.h"
#include "error.h"
#include "python/runtime.h"

struct attach_offer {
	int control;	     /* descriptor of the shared memory */
	uint64_t nonce;	     /* in the shared memory */
	const char *library; /* path of libtach-agent.so */
};

/*
 * Has the Python load the agent and start it.  False if it has not: the error
 * says why, and the process is as it was, but for the library, which may stay
 * in it.  Ends early, with an error, when wake_fd becomes readable.
 */
bool attach_agent(const struct process *, const struct py_runtime *,
    const struct attach_offer *, int wake_fd, struct error *);

#endif
