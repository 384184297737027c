/* SPDX-License-Identifier: ISC */
/*
 * standing.h: the registers of a thread that has no CPU, and its stack in the kernel,
 * without a stop.
 *
 * A thread that is blocked, or that waits for a CPU, stands still.  The kernel has saved
 * its registers; a small BPF program (standing.bpf.c) reads them.  The program is one for
 * the process.  To load it takes some fifty milliseconds, a look two microseconds.  It
 * needs the same rights as interrupt.h, and Linux 6.2.
 */
#ifndef ENGINE_KERNEL_STANDING_H
#define ENGINE_KERNEL_STANDING_H

#include <stdbool.h>

#include "engine/os/os.h"

/* Loads the program for a holder, unless another one has.  False if that cannot be; if it
 * is true, standing_drop is to be called once. */
bool standing_hold(void);
void standing_drop(void);

/* Reads the registers of a thread.  False if the thread has a CPU now, if there is no
 * such thread, or no program.  The thread may get a CPU at once: the registers hold as
 * long as its count of switches, taken before, is the same (switches_count). */
bool standing_registers(pid_t task, struct task_registers *);
/* Reads its stack in the kernel, likewise: the instructions, without the scheduler's,
 * innermost first, into places.  Returns how many; -1: false, as above, or there are more than
 * some fifty. */
int standing_kernel(pid_t task, uint64_t places[KERNEL_DEPTH]);

#endif
