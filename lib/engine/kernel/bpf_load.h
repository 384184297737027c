/* SPDX-License-Identifier: ISC */
/* bpf_load.h: what of ours the kernel runs, for interrupt.c and batch.c. */
#ifndef ENGINE_KERNEL_BPF_LOAD_H
#define ENGINE_KERNEL_BPF_LOAD_H

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/user.h>

#include "engine/kernel/interrupt.h"

/* Where the kernel has what a thread calls, and the first argument of that;
 * bytes.  On other machines that was not tried. */
#ifdef __x86_64__
#define KNOWS_REGISTERS true
#define CALL_AT offsetof(struct user_regs_struct, orig_rax)
#define ARGUMENT_AT offsetof(struct user_regs_struct, rdi)
#else
#define KNOWS_REGISTERS false
#define CALL_AT 0
#define ARGUMENT_AT 0
#endif

struct interrupts {
	struct bpf_object *object;
	int interrupt, tick, leave, stir; /* programs; descriptors */
	bool tells_calls; /* of a thread that leaves its CPU */
	bool crowded; /* we have but one CPU: who runs is us */
	uint64_t cost; /* ns that one takes a thread that copies nothing */
	uint64_t budget; /* ns that one may take it */
	struct interrupt_ask *asks; /* INTERRUPT_TAKERS of them */
	struct interrupt_wire *wires; /* INTERRUPT_WIRES of them */
	struct interrupt_ahead *ahead;
	bool is_ahead; /* the kernel writes to the wires */
};

/* Measures ->cost; 0: it is too little to be measured. */
uint64_t interrupts_measure(const struct interrupts *);
/* Has a wire have no records. */
void interrupts_empty(struct interrupt_wire *);
/* Writes what is to be copied.  False: it is too much. */
bool interrupts_ask(struct interrupt_ask *, pid_t task,
    const struct snapshot *, const struct interrupt_way *);
/* Adds the parts of a record to what was asked for, and all bytes. */
bool interrupts_take(const struct interrupt_wire *, size_t record,
    struct snapshot *);

#endif
