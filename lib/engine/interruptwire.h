/* SPDX-License-Identifier: ISC */
/*
 * interruptwire.h: the memory that interrupt.c shares with interrupt.bpf.c,
 * which runs in the kernel.  Sizes and offsets are in bytes.
 */
#ifndef ENGINE_INTERRUPTWIRE_H
#define ENGINE_INTERRUPTWIRE_H

#include <linux/types.h>

#define INTERRUPT_RANGES 16	  /* that can be asked for */
#define INTERRUPT_PARTS 512	  /* that frames can lie in */
#define INTERRUPT_FRAMES 2048	  /* of a chain, at most */
#define INTERRUPT_BLOCK 1024	  /* of memory; a page is a multiple */
#define INTERRUPT_PIECE 2048	  /* nothing is larger that is copied at once */
#define INTERRUPT_ROOM (1u << 18) /* for all that is copied, but the last piece */

struct interrupt_range {
	__u64 addr;
	__u64 size;
};

/* How frames are found. */
struct interrupt_way {
	__u32 cframe_size; /* 0: the state has the current frame's address */
	__u32 cframe_current;
	__u32 frame_size, frame_previous;
	__u32 block; /* a power of two: what else of it is copied at once */
};

enum interrupt_result {
	INTERRUPT_OK,
	INTERRUPT_ELSEWHERE, /* another thread ran there */
	INTERRUPT_FAILED,    /* its memory is not there, or is too much */
};

struct interrupt_wire {
	/* The thread, by its number in the first PID namespace, or, if these are
	 * not 0, in the one of that file. */
	__u64 namespace_dev, namespace_ino;
	__u32 task;
	/* What is copied before its frames; and where in there is the address
	 * of the current one, or of the cframe. */
	__u32 ranges;
	struct interrupt_range range[INTERRUPT_RANGES];
	__u32 current;
	struct interrupt_way way;
	/* The answer: the parts of memory with frames, which were copied after
	 * the ranges, one after the other. */
	__u32 parts;
	struct interrupt_range part[INTERRUPT_PARTS];
	/* interrupt.bpf.c's own: how many bytes there are, where those of the
	 * last part are, and which frame is next. */
	__u32 used, part_at;
	__u64 frame;
	__u8 bytes[INTERRUPT_ROOM + INTERRUPT_PIECE];
};

#endif
