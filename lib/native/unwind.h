/* SPDX-License-Identifier: ISC */
/*
 * unwind.h: from a thread's registers and stack to its frames of C.
 *
 * It makes no system call, allocates nothing and takes no lock, so that a signal
 * handler can unwind its own thread, and a test any stack that was stored.
 */
#ifndef NATIVE_UNWIND_H
#define NATIVE_UNWIND_H

#include "native/cfi.h"

/* Bytes below the stack pointer that a function may use.  GCC's rules also lead there
 * in epilogues, for registers that were popped. */
#define UNWIND_RED_ZONE 128

struct unwind_registers {
	uint64_t value[CFI_REGISTERS]; /* the return address's column is not used,
					* unless it is a register */
	uint64_t known; /* bit n: register n has its value */
	uint64_t pc;
};

/* The part of a stack that was copied. */
struct native_stack {
	uint64_t low; /* address of the first byte */
	const uint8_t *bytes;
	size_t len;
	/* If not NULL, called for a word that the part lacks: makes another part of
	 * the struct, which has it, or returns false. */
	bool (*more)(struct native_stack *, uint64_t addr);
};

/* What is known of the code at an address. */
enum unwind_code {
	CODE_NONE,   /* no code is mapped there */
	CODE_TABLE,  /* its file has a table, which may lack it */
	CODE_NO_TABLE, /* its file has none */
	CODE_NO_FILE, /* it was made at run time */
};

struct unwind_tables {
	const struct cfi_machine *machine;
	/* Finds the table for an address, which is the file's plus *bias. */
	enum unwind_code (*find)(const struct unwind_tables *, uint64_t pc,
	    const struct cfi **, uint64_t *bias);
	/* Reads code at an address.  NULL: code that was made at run time is not
	 * unwound. */
	bool (*read_code)(const struct unwind_tables *, uint64_t addr, uint8_t *,
	    size_t);
};

/* A frame of C.  It occupies the stack from sp to cfa. */
struct native_frame {
	uint64_t pc;  /* where it is, or is returned to */
	uint64_t sp;  /* its stack pointer */
	uint64_t cfa; /* its caller's; 0: not known */
	bool exact;   /* it is at pc, not in a call before pc */
	bool lost;    /* no frame: what is between its neighbours is not known */
};

/* Why a walk ended. */
enum unwind_end {
	UNWIND_GOES_ON,
	UNWIND_COMPLETE, /* the last frame has no caller */
	UNWIND_NO_TABLE, /* code without a row */
	UNWIND_NO_FILE,	 /* code that was made at run time */
	UNWIND_NO_STACK, /* the stack's bytes are not there */
	UNWIND_NO_REGISTER, /* a register that is wanted is not known */
	UNWIND_BACKWARD, /* a caller would lie below what it called */
	UNWIND_FULL,	 /* no room for more frames */
	UNWIND_ENDS,
};

/* A walk.  Before the first step, ->at and ->exact are set. */
struct unwind {
	const struct unwind_tables *tables;
	struct native_stack *stack;
	struct unwind_registers at; /* of the next frame */
	bool exact; /* the next frame is at ->at.pc, not in a call before it */
	uint64_t lent; /* bit n: a call may change register n, and ->at.value has it as the
			* innermost frame does */
	bool guessed; /* a return address was believed that no table has told */
};

/* Fills in the next frame, and goes on to its caller.  With any other result than
 * UNWIND_GOES_ON the walk stays where it is, and the frame's cfa is 0. */
enum unwind_end unwind_step(struct unwind *, struct native_frame *);

/* Takes steps to the last frame.  *n: the number of frames before and, then,
 * afterwards; max: the array's places. */
enum unwind_end unwind_all(struct unwind *, struct native_frame *, size_t *n,
    size_t max);

/* Whether an address is in code with a table, and a call is before it. */
bool unwind_is_return(const struct unwind_tables *, uint64_t pc);

/* Reads a word of the stack. */
bool native_stack_word(struct native_stack *, uint64_t addr, uint64_t *word);

#endif
