/* SPDX-License-Identifier: ISC */
/*
 * interrupt.h: a thread's memory as it is at one moment, while the thread runs.
 *
 * The kernel runs a small program of ours (interrupt.bpf.c) in an interrupt of
 * the CPU that the thread is on, which copies the thread's state and the frames
 * that it leads to.  The thread cannot go on meanwhile, which takes it some
 * microseconds, and us ten.  This is for who may load such programs: root, or
 * who has CAP_BPF and CAP_PERFMON, on Linux 5.17 and later.
 */
#ifndef ENGINE_KERNEL_INTERRUPT_H
#define ENGINE_KERNEL_INTERRUPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "engine/copy/snapshot.h"
#include "engine/kernel/bpf_shared.h"

/* For one recorder at a time. */
struct interrupts;

/* A thread may be held up for this part of its time. */
#define INTERRUPT_SHARE 4

/* For rounds at an interval.  Takes a millisecond, in which it is measured how
 * long an interrupt takes this machine.  NULL: they cannot be had. */
struct interrupts *interrupts_new(uint64_t interval_ns);
void interrupts_drop(struct interrupts *);

/* The program, as a descriptor, that an event of a thread at rest is to run when
 * it leaves a CPU: see switches.h; or -1. */
int interrupts_stir(const struct interrupts *);

/* Whether who runs on a CPU can be interrupted, if that is one: on ours, we are
 * who does. */
bool interrupts_reach(int cpu);

/*
 * Copies what was added to a snapshot, and then the frames of a thread and the
 * exceptions that it handles, which are added to it, if it runs on that CPU.
 * *rest_ns: the thread is not to be interrupted again before that, as it may be
 * held up only for a part of its time; 0 if the next round may do it.
 */
enum interrupt_result interrupts_read(struct interrupts *, pid_t task, int cpu,
    struct snapshot *, const struct interrupt_way *, uint64_t *rest_ns);

#endif
