/* SPDX-License-Identifier: ISC */
/*
 * switch_shared.h: the records that switch_feed.c gets from switches.bpf.c, which runs
 * in the kernel.  Sizes and offsets are in bytes.
 */
#ifndef ENGINE_KERNEL_SWITCH_SHARED_H
#define ENGINE_KERNEL_SWITCH_SHARED_H

#include <linux/types.h>

#define SWITCH_FRAMES 192     /* of a stack that is copied, at most */
#define SWITCH_FRAME_SIZE 160 /* of a frame, at most */
#define SWITCH_ARGUMENTS 4    /* of a system call, the first ones */

/* How the frames of a process's threads are found. */
struct switch_way {
	__u32 current; /* where a thread state has its current frame or cframe */
	__u32 cframe;  /* `current` is of a cframe, which has the frame ... */
	__u32 cframe_current; /* ... here */
	__u32 size, previous, code, instr; /* of a frame, and offsets in it */
	__u64 instr_bits; /* of the word at `instr` that say where the frame is */
};

struct switch_process {
	struct switch_way way;
	__u64 lost; /* records for which there was no room */
};

enum switch_kind {
	SWITCH_LEFT, /* a thread has left its CPU */
	SWITCH_CAME, /* it has a CPU again */
};

/* Begins each record.  A thread that came has no more than this. */
struct switch_head {
	__u32 kind; /* enum switch_kind */
	__u32 task; /* id of the thread, as the recorder knows it */
	__u64 time; /* ns, CLOCK_MONOTONIC */
};

struct switch_frame {
	__u64 addr;
	__u8 bytes[SWITCH_FRAME_SIZE];
};

struct switch_left {
	struct switch_head head;
	/* Equal for equal stacks of a process: of their frames' addresses, code
	 * objects and instructions.  0: the stack could not be read, or is too
	 * deep. */
	__u64 stack;
	__s64 call; /* the system call that it is in; below 0: none */
	__u64 arguments[SWITCH_ARGUMENTS], sp;
	__u64 state;  /* of its task: 0 if it could go on */
	__u64 cframe; /* address of its cframe, if it has one */
	__u64 frames; /* number of the struct switch_frame that follow, innermost
		       * first */
};

#endif
