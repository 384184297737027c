/* SPDX-License-Identifier: ISC */
/*
 * cfi.h: the table by which a stack of C is unwound: for each address of code, where
 * the caller's registers are.
 *
 * It is made of a file's section .eh_frame.  Nearly all rows say no more than: the
 * frame ends n bytes above the stack pointer or the frame pointer, and has the return
 * address and the frame pointer at its end.  Such a row takes eight bytes.  Others are
 * in a table of rules beside the rows.
 *
 * A table that was built is only read afterwards, without allocations and locks: a
 * signal handler may use it.  Addresses are as in the file.
 */
#ifndef NATIVE_CFI_H
#define NATIVE_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Registers have the numbers of DWARF. */
#define CFI_REGISTERS 33 /* of any machine; numbers above are not kept */

struct cfi_machine {
	uint8_t sp, fp;	   /* stack and frame pointer */
	uint8_t ra;	   /* the column of the return address */
	bool ra_in_frame;  /* a call puts the return address on the stack; else
			    * into register ra */
	uint64_t kept;	   /* bit n: a call does not change register n */
	uint64_t pc_mask;  /* the bits of a return address that are not its
			    * signature */
};

extern const struct cfi_machine cfi_x86_64, cfi_aarch64;
/* The machine that this program was compiled for. */
const struct cfi_machine *cfi_our_machine(void);

/* The kind of a row, its lowest bits. */
enum cfi_kind {
	CFI_NONE, /* no function is there */
	CFI_SP,	  /* the frame ends at the stack pointer + ROW_CFA */
	CFI_FP,	  /* the frame ends at the frame pointer + ROW_CFA */
	CFI_RULE, /* the rule number ROW_RULE says it */
	CFI_LAST, /* there is no caller */
};

/* A row holds from its start to the next row's. */
struct cfi_row {
	uint32_t start; /* bytes from the table's base */
	uint32_t value;
};

#define ROW_KIND(v) ((enum cfi_kind)((v) & 7))
#define ROW_BEGINS(v) (((v) >> 3 & 1) != 0) /* a function begins here */
/* The caller's frame pointer is n words below the frame's end; 0: it is unchanged.
 * Where a call keeps the return address in a register, that is a word above it; 0: the
 * return address still is in the register. */
#define ROW_SLOT(v) ((v) >> 4 & 0x1ff)
#define ROW_CFA(v) ((int32_t)(v) >> 13) /* words */
#define ROW_RULE(v) ((v) >> 13)

/* How a register of the caller is found. */
enum cfi_how {
	CFI_SAME,
	CFI_LOST,	/* nothing has it */
	CFI_AT,		/* at the frame's end + value */
	CFI_IS,		/* it is the frame's end + value */
	CFI_IN,		/* it is in register `value` */
	CFI_AT_RESULT,	/* at the result of the expression at `value` */
	CFI_IS_RESULT,	/* it is this result */
};

struct cfi_saved {
	uint8_t reg, how; /* enum cfi_how */
	int32_t value;
};

/* A row that does not fit into eight bytes. */
struct cfi_rule {
	/* The frame's end: CFI_IN, register cfa_reg + cfa; or CFI_IS_RESULT. */
	uint8_t cfa_how, cfa_reg;
	uint8_t count;	/* of registers that are not CFI_SAME */
	bool signal;	/* the kernel made the frame, for a signal handler */
	int32_t cfa;
	uint32_t first; /* of these registers, in ->saved */
};

struct cfi {
	const struct cfi_machine *machine;
	uint64_t base; /* address of the first row */
	struct cfi_row *rows;
	size_t count, rows_max;
	uint32_t *index; /* by address / 2^shift: the last row that begins there or
			  * before */
	size_t blocks;
	unsigned shift;
	struct cfi_rule *rules;
	size_t nrules, rules_max;
	struct cfi_saved *saved;
	size_t nsaved, saved_max;
	uint8_t *expressions; /* each behind its length, two bytes */
	size_t expressions_len, expressions_max;
};

/* The bytes of a section, and its address. */
struct cfi_section {
	const uint8_t *bytes;
	size_t len;
	uint64_t addr;
	/* If not NULL, called before some of the bytes are read: makes these be there, or
	 * returns false. */
	bool (*need)(const struct cfi_section *, size_t offset, size_t len);
};

/* Sections that are larger are not read. */
#define CFI_SECTION_MAX (64u << 20)

/* Builds the table of an .eh_frame section, which is not used afterwards.  What makes
 * no sense in it is left out.  False if out of memory; cfi_free frees it in any case. */
bool cfi_build(struct cfi *, const struct cfi_machine *, const struct cfi_section *);
/* The same of some functions alone: their entries are at n offsets of the section, in the
 * order of the functions' addresses.  next: where the function behind them begins; 0: there
 * is none. */
bool cfi_build_some(struct cfi *, const struct cfi_machine *, const struct cfi_section *,
    const size_t *offsets, size_t n, uint64_t next);
void cfi_free(struct cfi *);

/* The row of an address; its value is CFI_NONE if no function is there. */
uint32_t cfi_row(const struct cfi *, uint64_t addr);
/* Finds the function that an address is in.  False if there is none. */
bool cfi_function(const struct cfi *, uint64_t addr, uint64_t *start, uint64_t *end);
/* Whether an address is the start of a part of a function, split off by the compiler:
 * the function is entered elsewhere. */
bool cfi_is_part(const struct cfi *, uint64_t start);
/* The expression of a rule; NULL if there is none at this value. */
const uint8_t *cfi_expression(const struct cfi *, int32_t value, size_t *len);
/* A number of 1, 2, 4 or 8 bytes, in our byte order. */
uint64_t cfi_number(const uint8_t *, size_t size);
/* The number of type LEB128 at *at, which becomes the address behind it; NULL if it does
 * not end before `end`.  Bits above the 64th are dropped. */
uint64_t cfi_leb(const uint8_t **at, const uint8_t *end, bool has_sign);
/* Bytes that a table takes. */
size_t cfi_size(const struct cfi *);

#endif
