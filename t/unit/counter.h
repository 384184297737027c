/* SPDX-License-Identifier: ISC */
/* counter.h: a process that counts in the memory that a thread has, for tests of
 * what copies it in an interrupt. */
#ifndef COUNTER_H
#define COUNTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/copy/snapshot.h"
#include "engine/kernel/interrupt.h"
#include "engine/os/os.h"

#define COUNTER_FRAMES 64

/* What a thread has: a state, and frames in pages of their own. */
struct counter_frame {
	uint64_t count;
	struct counter_frame *previous;
	char rest[4096 - 2 * sizeof(uint64_t)];
};

struct counter_memory {
	volatile uint64_t count; /* first written to */
	struct counter_frame *current;
	struct counter_frame frames[COUNTER_FRAMES];
	volatile uint64_t last; /* last */
	volatile uint64_t sign; /* not written to */
	volatile int ready;
};

/* It is at the same address in both processes. */
extern struct counter_memory *counter;
extern const struct interrupt_way counter_way;

/* Makes the memory.  False: we may not copy it, or have one CPU only; this
 * process then says so. */
bool counter_prepare(struct interrupts *);
void counter_link_frames(void);

/* Counts in everything, always in the same order; and does nothing. */
void counter_run(void);
void counter_rest(void);

void counter_start(struct process *, void (*what)(void));
void counter_stop(struct process *);

/* Adds what is copied before the frames. */
void counter_ask(struct snapshot *);
/* Fails unless all counts are those of one moment. */
void counter_check(const struct snapshot *);

#endif
