/* SPDX-License-Identifier: ISC */
/* bpf_load.h: the BPF programs and the memory that they share, for interrupt.c and
 * batch.c.  Only bpf_load.c needs libbpf, so a build without it lacks that file alone:
 * its table of operations is NULL then, and there are no interrupts. */
#ifndef ENGINE_KERNEL_BPF_LOAD_H
#define ENGINE_KERNEL_BPF_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/user.h>

#include "engine/kernel/interrupt.h"

/* Offsets of the number of a system call, of its first argument, and of the stack
 * pointer, in the saved registers of a thread; bytes.  Other machines than x86-64 were
 * not tried. */
#ifdef __x86_64__
#define KNOWS_REGISTERS true
#define CALL_AT offsetof(struct user_regs_struct, orig_rax)
#define ARGUMENT_AT offsetof(struct user_regs_struct, rdi)
#define STACK_POINTER_AT offsetof(struct user_regs_struct, rsp)
#else
#define KNOWS_REGISTERS false
#define CALL_AT 0
#define ARGUMENT_AT 0
#define STACK_POINTER_AT 0
#endif

struct bpf_object;

/* What is done by libbpf. */
struct bpf_ops {
	/* Loads the programs, and maps the memory that they share.  False if that
	 * fails; ->unload is to be called even then. */
	bool (*load)(struct interrupts *);
	void (*unload)(struct interrupts *);
	/* Runs `interrupt` on a CPU, and returns its result. */
	enum interrupt_result (*run)(const struct interrupts *, int cpu);
};
extern const struct bpf_ops bpf_ops; /* if HAVE_BPF is defined */

struct interrupts {
	const struct bpf_ops *ops; /* never NULL */
	struct bpf_object *object;
	int interrupt, tick, leave, stir; /* descriptors of the programs */
	unsigned more; /* of enum interrupts_more: can be asked for */
	bool tells_calls; /* the programs see why a thread leaves its CPU */
	bool tells_kernel; /* they copy stacks in the kernel */
	bool crowded; /* the recorder has one CPU only: it runs there itself */
	uint64_t cost; /* ns that an interrupt without a copy takes a thread */
	uint64_t budget; /* ns that an interrupt may take a thread */
	struct interrupt_ask *asks; /* INTERRUPT_TAKERS of them */
	struct interrupt_wire *wires; /* INTERRUPT_WIRES of them */
	struct interrupt_ahead *ahead;
	struct interrupt_site *sites; /* INTERRUPT_SITES of them */
	bool is_ahead; /* the kernel writes to the wires */
};

/* Has a function load programs, without messages of libbpf, and returns its result.  One
 * thread at a time is in such a function. */
bool bpf_load_quietly(bool (*)(void *), void *arg);
/* The file of the recorder's PID namespace, by which it numbers threads, in the kernel's
 * form.  False if that is the first one, or not known. */
bool bpf_namespace(uint64_t *dev, uint64_t *ino);

/* Measures ->cost; 0 if it is too little to be measured, or cannot be. */
uint64_t interrupts_measure(const struct interrupts *);
/* Removes all records of a wire. */
void interrupts_empty(struct interrupt_wire *);
/* Writes into an ask the thread, the ranges that were added to a snapshot, and the
 * way.  False if there are too many ranges. */
bool interrupts_ask(struct interrupt_ask *, pid_t task,
    const struct snapshot *, const struct interrupt_way *);
/* Adds the parts of a record to a snapshot of the ranges that were asked for, and
 * fills it with the record's bytes.  INTERRUPT_FAILED if the record cannot be
 * right. */
enum interrupt_result interrupts_take(const struct interrupt_wire *, size_t record,
    struct snapshot *);
/* The same as interrupts_registers and interrupts_kernel, of a record. */
bool interrupts_take_registers(const struct interrupt_wire *, size_t record,
    struct task_registers *);
struct kernel_stack interrupts_take_kernel(const struct interrupt_wire *, size_t record);

#endif
