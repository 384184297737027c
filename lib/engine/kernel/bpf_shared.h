/* SPDX-License-Identifier: ISC */
/*
 * bpf_shared.h: the memory that interrupt.c shares with interrupt.bpf.c,
 * which runs in the kernel.  Sizes and offsets are in bytes.
 */
#ifndef ENGINE_KERNEL_BPF_SHARED_H
#define ENGINE_KERNEL_BPF_SHARED_H

#include <linux/types.h>

#define INTERRUPT_RANGES 64	  /* that can be asked for */
#define INTERRUPT_WATCHES 64	  /* words that can be watched, of either kind */
#define INTERRUPT_RECORDS 128	  /* in a wire */
#define INTERRUPT_PARTS 1024	  /* that their frames and exceptions can lie in */
#define INTERRUPT_FRAMES 2048	  /* of a chain, at most */
#define INTERRUPT_BLOCK 1024	  /* of memory; a page is a multiple */
#define INTERRUPT_PIECE 2048	  /* nothing is larger that is copied at once */
#define INTERRUPT_ROOM (3u << 16) /* for all that is copied, but the last piece */
#define INTERRUPT_WIRES 2	  /* so that one is read while one is written to */
#define INTERRUPT_TAKERS 16	  /* threads that are recorded in turn */
#define INTERRUPT_TEXTS 3	  /* of a code object */

struct interrupt_range {
	__u64 addr;
	__u64 size;
};

/* How frames are found. */
struct interrupt_way {
	__u32 current;	   /* where in what is copied before them is the address
			    * of the current one, or of the cframe */
	__u32 cframe_size; /* 0: that of the current one */
	__u32 cframe_current;
	__u32 frame_size, frame_previous;
	__u32 block; /* a power of two: what else of it is copied at once */
	/* How exceptions are that are being handled: from one whose address is
	 * at `item` to the last one, which is copied anyway. */
	__u32 item_size; /* 0: they are not wanted */
	__u32 item, item_previous;
	__u64 item_last; /* address */
	/* How the code objects of the frames are, and the texts that they lead to,
	 * of which the beginnings are copied. */
	__u32 code_size; /* 0: they are not wanted */
	__u32 frame_code;
	__u32 text[INTERRUPT_TEXTS]; /* where a code object has it; 0: nowhere */
	__u32 text_size;
};

enum interrupt_result {
	INTERRUPT_OK,
	INTERRUPT_ELSEWHERE, /* another thread ran there */
	INTERRUPT_FAILED,    /* its memory is not there, or is too much */
};

/* Bits of a word of what is copied, by its place in there, as they were. */
struct interrupt_watch {
	__u64 at, mask, value;
};

/* What is asked for of a thread. */
struct interrupt_ask {
	/* It, by its number in the first PID namespace, or, if these are not 0,
	 * in the one of that file. */
	__u64 namespace_dev, namespace_ino;
	__u64 holder; /* thread state */
	__u32 task;
	__u32 waits; /* it left its CPU last to wait for the GIL */
	/* What is copied before its frames, and what of that is watched: words of
	 * which none may change, and after them some of which it is told. */
	__u32 ranges, watches, told;
	struct interrupt_range range[INTERRUPT_RANGES];
	struct interrupt_watch watch[INTERRUPT_WATCHES];
	struct interrupt_way way;
};

/* A thread at one moment: the ranges that were asked for, and after them the
 * parts of memory with its frames and exceptions, all of them one after the
 * other. */
struct interrupt_record {
	__u64 time; /* ns, CLOCK_MONOTONIC; the same for all of one moment */
	__u32 at;   /* where its bytes begin */
	__u32 first, parts;
	__u32 who; /* number of the ask */
	__u32 left; /* it has left its CPU now, and will have one again */
	__u64 ran;  /* CPU time that it has had, ns; 0: not known, or it has not
		     * only run and waited for a CPU since the last record */
};

struct interrupt_wire {
	__u64 records, parts;
	struct interrupt_record record[INTERRUPT_RECORDS];
	struct interrupt_range part[INTERRUPT_PARTS];
	/* interrupt.bpf.c's own: how many bytes there are, where those of the
	 * last part are, and which frame, or exception, is next; with which byte
	 * and part the last record begins; which part is the last one that was
	 * copied for a frame, and where that is; the code object of the last
	 * frame; and what the next record says of the CPU. */
	__u64 used, part_at, next, at, first, frames, frames_at, code;
	__u64 left, ran;
	__u64 took; /* ns: to copy the last record */
	__u8 bytes[INTERRUPT_ROOM + INTERRUPT_PIECE];
};

/* Why no more is recorded ahead. */
enum interrupt_stop {
	INTERRUPT_GOES_ON,
	INTERRUPT_ENOUGH,  /* we were told to end */
	INTERRUPT_LEFT,	   /* the thread is on no CPU, or on another one */
	INTERRUPT_CHANGED, /* something else has: in the last record */
	INTERRUPT_BAD,	   /* it could not be copied */
	INTERRUPT_STIRRED, /* another thread has had a CPU */
	INTERRUPT_DEAR,	   /* to copy it takes the thread too long */
};

/* What tells of threads that take turns who has the GIL, by addresses, and who
 * waits for it: whose registers, where the kernel keeps them, say that it is in
 * such a call, at an address from `waits` on and before `end`. */
struct interrupt_gil {
	__u64 locked, holder, switches;
	__u64 waits, end;
	__u32 call_at, address_at;
	__u64 call;
};

/* What is recorded ahead of who reads it; see batch.h. */
struct interrupt_ahead {
	__u32 stopped; /* enum interrupt_stop */
	__u32 turn;    /* the wire that is written to */
	__u32 batch;   /* records after which the next one is */
	__u32 full[INTERRUPT_WIRES]; /* to be read */
	__u32 away;    /* a thread left its CPU while one was */
	__u32 news;    /* a word that it is told of has changed */
	__u32 rested;  /* one has left its CPU for something else than that since the
			* last record */
	/* ns that a tick may take on average, and does; and that records of threads
	 * that left their CPU have taken since the last one. */
	__u32 limit, cost, left;
	/* Asks; if there are more, of threads that take turns, the one whose turn
	 * it was at the last record, and how many there had been. */
	__u32 takers, last;
	__u64 switches;
	struct interrupt_gil gil;
};

#endif
