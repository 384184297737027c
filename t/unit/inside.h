/* SPDX-License-Identifier: ISC */
/*
 * inside.h: a small recorder for the tests of the agent: it makes the memory,
 * starts programs with the agent in them, tells it where Python is, and takes
 * the records apart.
 */
#ifndef T_INSIDE_H
#define T_INSIDE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "agent/ring.h"

#define INSIDE_DEPTH_MAX (WIRE_DEPTH + 8)

/* A code object as its record says. */
struct inside_code {
	uint64_t addr, print;
	uint32_t units;
	char name[64], file[192];
};

/* An area that is or was a thread's. */
struct inside_thread {
	uint32_t number; /* of the area */
	struct ring_reader ring;
	int32_t pid, tid;
	bool over;
	int perf; /* -1: none */
	struct inside_code *codes; /* WIRE_CODES of them */
	struct wire_frame *frames; /* innermost first */
	uint32_t depth;
	uint64_t time; /* of its last sample */
};

struct inside {
	struct wire_control *control;
	int fd;
	uint64_t nonce;
	bool perf; /* open perf events for threads; false again: not allowed */
	bool no_key; /* do not tell where the thread state is */
	struct inside_thread *threads;
	size_t count, max;
	uint64_t seen[WIRE_SLOTS]; /* for find_python */
	/* Sums over all threads. */
	uint64_t samples, weight, ticks, drops[WIRE_DROPS], records;
	uint64_t handler_ns, runs, times[WIRE_TIMES];
	/* Called for each sample, if set. */
	void (*sample)(void *arg, const struct inside_thread *,
	    const struct wire_sample *);
	void *arg;
};

/* Makes the memory.  What fails ends the test. */
void inside_open(struct inside *, uint32_t asked, uint64_t interval_ns);
void inside_close(struct inside *);

/* Starts a program with the agent in it. */
pid_t inside_start(struct inside *, char *const argv[]);

/* Serves slots and areas once. */
void inside_serve(struct inside *);

/* Serves until a program has ended, and all is taken.  Returns its status as
 * waitpid does. */
int inside_finish(struct inside *, pid_t);

/* Gives an order, as the recorder does. */
void inside_order(struct inside *, enum wire_order);

/* "outer;inner", outermost first, cut to fit. */
void inside_stack(const struct inside_thread *, char *buf, size_t size);

#endif
