/* SPDX-License-Identifier: ISC */
/* standing_shared.h: the words that standing.c shares with standing.bpf.c, which runs in
 * the kernel. */
#ifndef ENGINE_KERNEL_STANDING_SHARED_H
#define ENGINE_KERNEL_STANDING_SHARED_H

#include <linux/types.h>

#define STANDING_REGISTERS 21 /* of a thread, as the kernel saves them */
#define STANDING_DEPTH 48     /* of a stack in the kernel, at most */

/* A look at a thread. */
struct standing_look {
	__u32 task; /* its number in the first PID namespace */
	__u32 runs; /* it has a CPU */
	__u64 wants_kernel; /* its stack in the kernel is asked for */
	__u64 registers[STANDING_REGISTERS];
	/* Its stack in the kernel: addresses of instructions, innermost first, without
	 * the scheduler.  The number of bytes; negative: it cannot be told. */
	__s64 kernel_size;
	__u64 kernel[STANDING_DEPTH];
};

#endif
