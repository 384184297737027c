/* SPDX-License-Identifier: ISC */
/* interruptload.h: what of ours the kernel runs, for interrupt.c and ahead.c. */
#ifndef ENGINE_INTERRUPTLOAD_H
#define ENGINE_INTERRUPTLOAD_H

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <pthread.h>
#include <stdbool.h>

#include "engine/interrupt.h"

/* The lock is for all that follows it, and for the shared memory. */
struct interrupts {
	struct bpf_object *object;
	int interrupt, tick, leave; /* programs; descriptors */
	bool crowded; /* we have but one CPU: who runs is us */
	pthread_mutex_t lock;
	struct interrupt_wire *wires; /* INTERRUPT_WIRES of them */
	struct interrupt_ahead *ahead;
	bool is_ahead; /* for one of its holders */
	unsigned holders;
};

/* Has a wire have no records. */
void interrupts_empty(struct interrupt_wire *);
/* Writes to a wire what is to be copied, and that nothing is yet.  False: it is
 * too much. */
bool interrupts_ask(struct interrupt_wire *, pid_t task,
    const struct snapshot *, const struct interrupt_way *);
/* Adds the parts of a record to what was asked for, and all bytes. */
bool interrupts_take(const struct interrupt_wire *, size_t record,
    struct snapshot *);

#endif
