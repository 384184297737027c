/* SPDX-License-Identifier: ISC */
/* standing_shared.h: the words that standing.c shares with standing.bpf.c, which runs in
 * the kernel. */
#ifndef ENGINE_KERNEL_STANDING_SHARED_H
#define ENGINE_KERNEL_STANDING_SHARED_H

#include <linux/types.h>

#define STANDING_REGISTERS 21 /* of a thread, as the kernel saves them */

/* A look at a thread. */
struct standing_look {
	__u32 task; /* its number in the first PID namespace */
	__u32 runs; /* it has a CPU */
	__u64 registers[STANDING_REGISTERS];
};

#endif
