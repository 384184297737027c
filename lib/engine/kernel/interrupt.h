/* SPDX-License-Identifier: ISC */
/*
 * interrupt.h: a thread's memory as it is at one moment, while the thread runs.
 *
 * The kernel runs a small BPF program (interrupt.bpf.c) in an interrupt of the CPU
 * that the thread is on.  The program copies the thread's state and the frames that
 * the state leads to.  The thread cannot go on meanwhile.  An interrupt takes the
 * thread some microseconds, and the recorder ten.  To load such programs takes root,
 * or CAP_BPF and CAP_PERFMON, on Linux 5.17 and later.
 */
#ifndef ENGINE_KERNEL_INTERRUPT_H
#define ENGINE_KERNEL_INTERRUPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "engine/bpf/bpf_shared.h"
#include "engine/copy/snapshot.h"
#include "engine/os/os.h"

/* For one recorder at a time. */
struct interrupts;

/* A thread may be held up for one part in this many of its time. */
#define INTERRUPT_SHARE 4

/* Parts of a copy that are only for some recorders: bits. */
enum interrupts_more {
	INTERRUPTS_STACKS = 1, /* registers and stacks of C; a millisecond more to load */
	INTERRUPTS_KERNEL = 2, /* stacks in the kernel */
};

/* Loads the programs, for rounds at an interval.  more: parts that interrupts can be
 * asked for.  Measures how long an interrupt
 * takes on this machine, for a millisecond at most.  NULL, with errno, if the programs
 * cannot be loaded, or memory ran out; ENOSYS: this build has no programs. */
struct interrupts *interrupts_new(uint64_t interval_ns, unsigned more);
void interrupts_drop(struct interrupts *);

/* From now on an interrupt also copies the object that a frame calls at this site, unless
 * another site takes its place.  NULL does nothing. */
void interrupts_know(struct interrupts *, const struct interrupt_site *);

/* The descriptor of the program that an event of a thread at rest is to run when the
 * thread leaves a CPU: see os.h.  -1 if there are no interrupts. */
int interrupts_stir(const struct interrupts *);

/* Whether the kernel tells where a thread's registers are, so that stacks of C can be
 * copied, and interrupts_new was asked for them. */
bool interrupts_tell_stacks(const struct interrupts *);

/* Fills in the registers of the thread that was read last; see struct interrupt_way.
 * The last range of its snapshot is its stack of C then, from INTERRUPT_BELOW bytes
 * below the stack pointer on.  False if they were not asked for, or if the kernel does
 * not tell where they are. */
bool interrupts_registers(const struct interrupts *, struct task_registers *);

/* Whether stacks in the kernel are copied where an ask wants them. */
bool interrupts_tell_kernel(const struct interrupts *);

/* The stack in the kernel of the thread that was read last; valid until a thread is read
 * again. */
struct kernel_stack interrupts_kernel(const struct interrupts *);

/* Whether a thread on a CPU can be interrupted: not if that is the caller's CPU, on
 * which the caller itself runs, or no CPU (-1). */
bool interrupts_reach(int cpu);

/*
 * Copies the ranges that were added to a snapshot, and then the frames of a thread
 * and the exceptions that it handles, if the thread runs on that CPU.  The parts of
 * the latter are added to the snapshot.  *rest_ns: for so long the thread is not to
 * be interrupted again, as it may be held up only for a part of its time; 0 if the
 * next round may interrupt it.
 */
enum interrupt_result interrupts_read(struct interrupts *, pid_t task, int cpu,
    struct snapshot *, const struct interrupt_way *, uint64_t *rest_ns);

#endif
