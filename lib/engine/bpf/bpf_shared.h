/* SPDX-License-Identifier: ISC */
/*
 * bpf_shared.h: the memory that interrupt.c shares with interrupt.bpf.c,
 * which runs in the kernel.  Sizes and offsets are in bytes.
 */
#ifndef ENGINE_KERNEL_BPF_SHARED_H
#define ENGINE_KERNEL_BPF_SHARED_H

#include <linux/types.h>

#include "callsite.h"

#define INTERRUPT_RANGES 64	  /* of an ask, at most */
#define INTERRUPT_WATCHES 64	  /* watched words of an ask, of both kinds */
#define INTERRUPT_RECORDS 128	  /* of a wire, at most */
#define INTERRUPT_PARTS 1024	  /* of all records of a wire, at most */
#define INTERRUPT_FRAMES 2048	  /* of a chain, at most */
#define INTERRUPT_BLOCK 1024	  /* of memory; a page is a multiple */
#define INTERRUPT_PIECE 2048	  /* each single copy is smaller */
#define INTERRUPT_ROOM (3u << 16) /* for all copies of a wire but the last one */
#define INTERRUPT_PAGE 4096	  /* of a stack of C, copied at once; no page is smaller */
#define INTERRUPT_STACK (32u << 10) /* of a stack of C, at most */
#define INTERRUPT_BELOW 128	  /* bytes below a stack pointer that are in use */
#define INTERRUPT_REGISTERS 21	  /* of a thread, as the kernel saves them */
#define INTERRUPT_DEPTH 96	  /* of a stack in the kernel, at most */
#define INTERRUPT_WIRES 2	  /* so that one is read while one is written to */
#define INTERRUPT_TAKERS 16	  /* of a batch, at most */
#define INTERRUPT_TEXTS 3	  /* of a code object */

#define INTERRUPT_SITES 4096	  /* a power of two */

/* An instruction at which a frame calls an object, or has an operator, of which more is
 * to be copied. */
struct interrupt_site {
	__u64 instr; /* as the frame has it; to 3.10: the address of the code object,
		      * plus the number of the instruction */
	__u64 at;    /* where the slot of the object lies in the frame; bytes */
	__u64 operands; /* how many operands of an operator lie there and in the next
			 * slot; 0: it is a callable */
};
#define INTERRUPT_SITE(instr) CALLSITE_PLACE(instr, INTERRUPT_SITES)

struct interrupt_range {
	__u64 addr;
	__u64 size;
};

/* How frames are found. */
struct interrupt_way {
	__u32 current;	   /* where the address of the current frame, or of the
			    * cframe, lies in the copied ranges */
	__u32 cframe_size; /* 0: `current` is of the current frame */
	__u32 cframe_current;
	__u32 frame_size, frame_previous;
	__u32 block; /* a power of two: a frame is copied with the memory before
		      * it, from the last multiple of this on */
	__u32 values; /* bytes that are copied behind the innermost frame, at most */
	/* The instruction of a frame; narrow: 32 bits, to which the address of the code
	 * object is added.  The bits of a slot that are no part of an address. */
	__u32 instr, narrow;
	__u64 tags;
	/* How much of an object that is called is copied, the head of which has
	 * head_size bytes; where it has the object that it is bound to; and how much of
	 * an operand is copied. */
	__u32 object_size, head_size, self, operand_size;
	/* The list of the exceptions that are being handled: the address of its
	 * first item lies at `item` in the copied ranges; its last item, at
	 * `item_last`, is in these ranges itself. */
	__u32 item_size; /* 0: no exceptions are copied */
	__u32 item, item_previous;
	__u64 item_last; /* address */
	/* The code objects of the frames, and the texts that they lead to, of which
	 * the first `text_size` bytes are copied. */
	__u32 code_size; /* 0: no code objects are copied */
	__u32 frame_code;
	__u32 text[INTERRUPT_TEXTS]; /* where a code object has it; 0: nowhere */
	__u32 text_size;
	/* The registers and the stack of C: the stack pointer is the register `sp`, and
	 * above stack_end nothing is needed.  If the stack pointer is there already,
	 * the end is not known. */
	__u32 stack; /* 0: they are not copied */
	__u32 sp;
	__u64 stack_end;
	__u32 kernel; /* the stack in the kernel is copied, too */
	__u32 plain;  /* no frames are: the thread has none of Python */
};

/* Where the thread of a record was when its stack in the kernel was copied. */
enum interrupt_kernel {
	INTERRUPT_UNKNOWN, /* the stack was not copied */
	INTERRUPT_CALLED,  /* below the interrupt that another CPU has called for */
	INTERRUPT_TICKED,  /* where a tick of its clock has come */
	INTERRUPT_LEAVES,  /* below the scheduler, as another thread takes its CPU */
	INTERRUPT_BLOCKS,  /* below the scheduler, as it begins to wait */
};

enum interrupt_result {
	INTERRUPT_OK,
	INTERRUPT_ELSEWHERE, /* the thread did not run on that CPU */
	INTERRUPT_FAILED,    /* its memory is not there, or is too much */
	INTERRUPT_NOMEM,     /* the recorder, not the program, is out of memory */
};

/* A watched word: its place in the copied ranges; its watched bits; their value. */
struct interrupt_watch {
	__u64 at, mask, value;
};

/* The ask of a thread: its records have these contents. */
struct interrupt_ask {
	/* The file of the PID namespace that numbers `task`; 0: the first one. */
	__u64 namespace_dev, namespace_ino;
	__u64 holder; /* address of its thread state */
	__u32 task;
	__u32 waits; /* it left its CPU last to wait for the GIL */
	/* Numbers: of the ranges that are copied before its frames; of the watched
	 * words that end the batch if they change; and of the words after them, of
	 * which the recorder is told. */
	__u32 ranges, watches, told;
	struct interrupt_range range[INTERRUPT_RANGES];
	struct interrupt_watch watch[INTERRUPT_WATCHES];
	struct interrupt_way way;
	/* The kernel's: as it left its CPU last to wait for the GIL. */
	__u64 registers[INTERRUPT_REGISTERS];
	__u64 kernel[INTERRUPT_DEPTH];
	__s64 kernel_size; /* bytes; negative: that stack is not known */
};

/* A thread at one moment.  Its bytes are the ranges that were asked for, and after
 * them the parts: memory with its frames, exceptions and code objects. */
struct interrupt_record {
	__u64 time; /* ns, CLOCK_MONOTONIC; the same for all of one moment */
	__u32 at;   /* where its bytes begin */
	__u32 first, parts; /* its first part, and their number */
	__u32 who; /* number of the ask */
	__u32 left; /* another thread takes its CPU now */
	__u32 stack; /* it has registers, and its last part is the stack of C */
	__u32 kernel, depth; /* enum interrupt_kernel; places of that stack */
	__u64 ran;  /* CPU time that it has had, ns; 0: not known, or it was
		     * blocked at some time since the last record */
};

struct interrupt_wire {
	__u64 records, parts;
	struct interrupt_record record[INTERRUPT_RECORDS];
	struct interrupt_range part[INTERRUPT_PARTS];
	__u64 registers[INTERRUPT_RECORDS][INTERRUPT_REGISTERS]; /* of the records */
	/* Their stacks in the kernel: addresses of instructions, innermost first. */
	__u64 kernel[INTERRUPT_RECORDS][INTERRUPT_DEPTH];
	/* interrupt.bpf.c's own: used: number of bytes; part_at: where the bytes
	 * of the last part begin; next: address of the next frame or exception;
	 * at, first: first byte and part of the last record; frames, frames_at: the
	 * last part that was copied for a frame, and where its bytes begin; code:
	 * address of the last frame's code object; left, ran: of the next record. */
	__u64 used, part_at, next, at, first, frames, frames_at, code;
	/* Of a stack of C: where its copy ends; where its bytes do that are there. */
	__u64 stack_end, there;
	__u64 left, ran;
	__u64 took; /* ns that the records of the last moment took to copy */
	__u8 bytes[INTERRUPT_ROOM + INTERRUPT_PAGE];
};

/* Why a batch has ended. */
enum interrupt_stop {
	INTERRUPT_GOES_ON,
	INTERRUPT_ENOUGH,  /* the recorder ended it */
	INTERRUPT_LEFT,	   /* a thread has left its CPU, and may be blocked */
	INTERRUPT_CHANGED, /* a watched word has changed, as the last record has
			    * it; or threads that are no takers can have run */
	INTERRUPT_BAD,	   /* a thread could not be copied */
	INTERRUPT_STIRRED, /* another thread has had a CPU */
	INTERRUPT_DEAR,	   /* the copies take a thread too long */
};

/* How it is told which taker has the GIL, and which ones wait for it.  A thread
 * waits for it if its saved registers have at `call_at` the system call `call`,
 * and at `address_at` an address from `waits` on and before `end`. */
struct interrupt_gil {
	__u64 locked, holder, switches; /* addresses of the GIL's words */
	__u64 waits, end;
	__u32 call_at, address_at; /* offsets in the registers */
	__u64 call;
};

/* The state of a batch; see batch.h. */
struct interrupt_ahead {
	__u32 stopped; /* enum interrupt_stop */
	__u32 turn;    /* the wire that is written to */
	__u32 batch;   /* records of a wire after which the next wire follows */
	__u32 spare;   /* bytes that a wire has left for a stack of C */
	__u32 full[INTERRUPT_WIRES]; /* the wire is to be read */
	__u32 away;    /* a thread has left its CPU: the recorder is to see why */
	__u32 news;    /* a `told` word has changed */
	__u32 rested;  /* since the last record a thread has left its CPU, and not
			* only because another thread took it */
	/* ns: that a tick may take; that one takes on average; and that records of
	 * a thread that left its CPU have taken since the last tick. */
	__u32 limit, cost, left;
	/* The number of asks.  If there are more than one: the taker that had the
	 * GIL at the last record, and how often the GIL had changed hands by then. */
	__u32 takers, last;
	__u64 switches;
	struct interrupt_gil gil;
};

#endif
