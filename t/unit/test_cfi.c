/* SPDX-License-Identifier: ISC */
/*
 * test_cfi.c: tables of frames, and walks by them, of sections and stacks that are
 * written here: what compilers seldom make.  t/native/unwind.bats has real ones.
 */
#include <string.h>

#include "native/unwind.h"
#include "profile.h"

#define CODE 0x10000 /* address of the code */
#define SECTION 0x40000
#define STACK 0x7000

static struct {
	uint8_t bytes[1024];
	size_t len;
	size_t entry;  /* where the length of the open entry is */
	size_t common; /* where the last CIE is */
} section;

static struct cfi table;

/* ---- a section --------------------------------------------------------- */

static void
put(const void *bytes, size_t n)
{
	memcpy(section.bytes + section.len, bytes, n);
	section.len += n;
}

static void
put_u32(uint32_t v)
{
	put(&v, sizeof(v));
}

static void
close_entry(void)
{
	uint32_t len = (uint32_t)(section.len - section.entry - 4);

	memcpy(section.bytes + section.entry, &len, sizeof(len));
}

static void
open_entry(uint32_t id)
{
	section.entry = section.len;
	put_u32(0);
	put_u32(id);
}

/* A CIE with addresses relative to where they stand, of 4 bytes. */
static void
common(const char *letters, const struct cfi_machine *m)
{
	section.common = section.len;
	open_entry(0);
	put("\1", 1);
	put(letters, strlen(letters) + 1);
	put(m == &cfi_x86_64 ? "\x01\x78\x10" : "\x04\x78\x1e", 3);
	if (letters[0] == 'z')
		put("\x01\x1b", 2);
	if (m == &cfi_x86_64)
		put("\x0c\x07\x08\x90\x01", 5); /* CFA = rsp + 8, rip at CFA - 8 */
	else
		put("\x0c\x1f\x00", 3); /* CFA = sp */
	close_entry();
}

/* The same for functions with instructions. */
static void
function(uint32_t start, uint32_t size, const void *code, size_t n)
{
	open_entry((uint32_t)(section.len + 4 - section.common));
	put_u32(start - SECTION - (uint32_t)section.len);
	put_u32(size);
	put("\0", 1); /* of the augmentation */
	put(code, n);
	close_entry();
}

#define FUNCTION(start, size, code) function(start, size, code, sizeof(code) - 1)

static void
begin(void)
{
	section.len = 0;
	cfi_free(&table);
}

static void
build(const struct cfi_machine *m)
{
	struct cfi_section s = {.bytes = section.bytes, .len = section.len,
	    .addr = SECTION};

	cfi_free(&table);
	check(cfi_build(&table, m, &s));
}

static void
check_row(uint64_t addr, enum cfi_kind kind, int32_t cfa, uint32_t slot)
{
	uint32_t v = cfi_row(&table, addr);

	check_number(ROW_KIND(v), kind);
	check_number((uint64_t)ROW_CFA(v), (uint64_t)cfa);
	check_number(ROW_SLOT(v), slot);
}

static void
check_function(uint64_t addr, uint64_t start, uint64_t end)
{
	uint64_t a = 0, b = 0;

	check(cfi_function(&table, addr, &a, &b));
	check_number(a, start);
	check_number(b, end);
}

/* push rbp; mov rbp, rsp; ...; leave; ret */
#define USUAL "\x41\x0e\x10\x86\x02\x43\x0d\x06\x48\x0c\x07\x08"

static void
check_rows(void)
{
	uint64_t a, b;

	begin();
	common("zR", &cfi_x86_64);
	FUNCTION(CODE, 16, USUAL);
	FUNCTION(CODE + 16, 16, "");
	FUNCTION(CODE + 64, 8, "\x0e\x20");
	build(&cfi_x86_64);
	check_row(CODE, CFI_SP, 1, 0);
	check_row(CODE + 1, CFI_SP, 2, 2);
	check_row(CODE + 4, CFI_FP, 2, 2);
	check_row(CODE + 11, CFI_FP, 2, 2);
	check_row(CODE + 12, CFI_SP, 1, 2);
	check_row(CODE + 15, CFI_SP, 1, 2);
	check_row(CODE + 16, CFI_SP, 1, 0);
	check_row(CODE + 32, CFI_NONE, 0, 0);
	check_row(CODE + 63, CFI_NONE, 0, 0);
	check_row(CODE + 64, CFI_SP, 4, 0);
	check_row(CODE + 72, CFI_NONE, 0, 0);
	check_row(CODE - 1, CFI_NONE, 0, 0);
	check_row(UINT64_MAX, CFI_NONE, 0, 0);
	check_function(CODE + 15, CODE, CODE + 16);
	check_function(CODE + 16, CODE + 16, CODE + 32);
	check_function(CODE + 71, CODE + 64, CODE + 72);
	check(!cfi_function(&table, CODE + 32, &a, &b));
	check(!cfi_function(&table, CODE + 72, &a, &b));
	check(!cfi_is_part(&table, CODE));
	check(cfi_is_part(&table, CODE + 64));
}

/* A gap takes no row if it only brings a function to a multiple of 16. */
static void
check_padding(void)
{
	begin();
	common("zR", &cfi_x86_64);
	FUNCTION(CODE, 17, "\x0e\x20");
	FUNCTION(CODE + 32, 16, "\x0e\x30");
	FUNCTION(CODE + 64, 4, "\x0e\x40");
	FUNCTION(CODE + 72, 4, "\x0e\x50");
	build(&cfi_x86_64);
	check_row(CODE + 31, CFI_SP, 4, 0);
	check_function(CODE + 31, CODE, CODE + 32);
	check_function(CODE + 32, CODE + 32, CODE + 48);
	check_row(CODE + 48, CFI_NONE, 0, 0);
	check_row(CODE + 71, CFI_NONE, 0, 0);
	check_row(CODE + 76, CFI_NONE, 0, 0);
	check_number(table.count, 7);
}

/* Functions in any order, one in another one, and instructions beyond the end. */
static void
check_order(void)
{
	begin();
	common("zR", &cfi_x86_64);
	FUNCTION(CODE + 32, 16, "\x0e\x30");
	FUNCTION(CODE, 16, "\x0e\x10\x7f\x0e\x20\x7f\x0e\x30");
	FUNCTION(CODE + 8, 4, "\x0e\x40");
	build(&cfi_x86_64);
	check_row(CODE + 9, CFI_SP, 2, 0);
	check_row(CODE + 15, CFI_SP, 2, 0);
	check_row(CODE + 16, CFI_NONE, 0, 0);
	check_row(CODE + 32, CFI_SP, 6, 0);
	check_number(table.count, 4);
}

/* States that are kept, and what does not fit into a row or makes no sense. */
static void
check_rules(void)
{
	begin();
	common("zR", &cfi_x86_64);
	FUNCTION(CODE, 16, "\x41\x0a\x0e\x40\x41\x0b\x42\x0b");
	FUNCTION(CODE + 16, 16, "\x0c\x0a\x00\x44\x0f\x03\x76\x78\x06\x10\x06\x02"
	    "\x76\x00");
	FUNCTION(CODE + 32, 16, "\x44\x07\x10");
	FUNCTION(CODE + 48, 16, "\x44\x3f");
	build(&cfi_x86_64);
	check_row(CODE + 1, CFI_SP, 8, 0);
	check_row(CODE + 2, CFI_SP, 1, 0);
	check_row(CODE + 4, CFI_NONE, 0, 0);
	check_number(ROW_KIND(cfi_row(&table, CODE + 17)), CFI_RULE);
	check_number(table.rules[0].cfa_reg, 10);
	check_number(ROW_KIND(cfi_row(&table, CODE + 20)), CFI_RULE);
	check_number(table.rules[1].cfa_how, CFI_IS_RESULT);
	check_number(ROW_KIND(cfi_row(&table, CODE + 36)), CFI_LAST);
	check_row(CODE + 48, CFI_SP, 1, 0);
	check_row(CODE + 52, CFI_NONE, 0, 0);
	check_function(CODE + 53, CODE + 48, CODE + 64);
}

static void
check_damage(void)
{
	uint8_t whole[sizeof(section.bytes)];
	size_t len;
	uint64_t a, b;

	begin();
	common("zR", &cfi_x86_64);
	FUNCTION(CODE, 16, USUAL);
	common("zRS", &cfi_x86_64);
	FUNCTION(CODE + 16, 16, "\x0f\x03\x77\x20\x06");
	len = section.len;
	memcpy(whole, section.bytes, len);
	for (section.len = 0; section.len < len; section.len++)
		build(&cfi_x86_64);
	for (size_t i = 0; i < len; i++)
		for (int bit = 0; bit < 8; bit++) {
			section.len = len;
			memcpy(section.bytes, whole, len);
			section.bytes[i] ^= (uint8_t)(1 << bit);
			build(&cfi_x86_64);
			for (uint64_t at = CODE - 4; at < CODE + 40; at++)
				cfi_function(&table, at, &a, &b);
		}
}

/* ---- walks ------------------------------------------------------------- */

static enum unwind_code
find(const struct unwind_tables *t, uint64_t pc, const struct cfi **cfi,
    uint64_t *bias)
{
	(void)t;
	*cfi = &table;
	*bias = 0x100000;
	return pc >= 0x100000 + CODE && pc < 0x100000 + 2 * CODE ? CODE_TABLE :
	    pc >= 0x900000 ? CODE_NO_FILE : CODE_NONE;
}

static uint64_t words[64]; /* the stack */

static struct native_stack stack = {STACK, (const uint8_t *)words, sizeof(words),
    NULL};

/* Begins a walk at an address of the code, with the stack's first word on top. */
static struct unwind
at(const struct unwind_tables *t, uint64_t pc)
{
	struct unwind u = {.tables = t, .stack = &stack, .at.pc = 0x100000 + pc,
	    .exact = true};

	for (unsigned i = 0; i < CFI_REGISTERS; i++)
		u.at.value[i] = 0x5000 + i;
	u.at.known = UINT64_MAX;
	u.at.value[t->machine->sp] = STACK;
	return u;
}

static const struct unwind_tables x86_64 = {&cfi_x86_64, find, NULL};
static const struct unwind_tables aarch64 = {&cfi_aarch64, find, NULL};

/* The code before each address is a call, of either machine. */
static bool
read_call(const struct unwind_tables *t, uint64_t addr, uint8_t *to, size_t size)
{
	(void)t;
	(void)addr;
	memset(to, 0, size);
	if (size > 2)
		to[2] = 0xe8;
	if (size > 6)
		to[6] = 0x94;
	return true;
}

static const struct unwind_tables calls = {&cfi_x86_64, find, read_call};
static const struct unwind_tables arm64_calls = {&cfi_aarch64, find, read_call};

/* Code without a table has its return address on top of the stack, if it is where the
 * thread is, and if a call is before that address. */
static void
check_guess(void)
{
	struct unwind u = at(&calls, 0x800000);
	struct native_frame f;

	begin();
	common("zR", &cfi_x86_64);
	FUNCTION(CODE, 16, "");
	build(&cfi_x86_64);
	words[0] = 0x100000 + CODE + 8;
	check_number(unwind_step(&u, &f), UNWIND_GOES_ON);
	check(u.guessed && !u.exact);
	check_number(u.at.pc, words[0]);
	check_number(f.cfa, STACK + 8);
	u = at(&calls, 0x800000);
	u.exact = false;
	u.at.pc++;
	check_number(unwind_step(&u, &f), UNWIND_NO_FILE);
	words[0] = 0x100000 + CODE + 40;
	u = at(&calls, 0x800000);
	check_number(unwind_step(&u, &f), UNWIND_NO_FILE);
	u = at(&calls, CODE + 200);
	check_number(unwind_step(&u, &f), UNWIND_NO_TABLE);
	check(!u.guessed);
}

static void
check_walk(void)
{
	struct unwind u = at(&x86_64, CODE + 16);
	struct native_frame f[8];
	size_t n = 0;

	begin();
	common("zR", &cfi_x86_64);
	FUNCTION(CODE, 16, USUAL);
	FUNCTION(CODE + 16, 16, "\x0e\x10");
	FUNCTION(CODE + 32, 16, "\x07\x10");
	build(&cfi_x86_64);
	memset(words, 0, sizeof(words));
	words[1] = 0x100000 + CODE + 8; /* in the function with a frame pointer */
	u.at.value[6] = STACK + 40;
	words[5] = 0x1234; /* its caller's */
	words[6] = 0x100000 + CODE + 48; /* a call is its last instruction */
	check_number(unwind_all(&u, f, &n, 8), UNWIND_COMPLETE);
	check_number(n, 3);
	check_number(f[0].cfa, STACK + 16);
	check_number(f[1].pc, 0x100000 + CODE + 8);
	check_number(f[1].cfa, STACK + 56);
	check_number(f[2].sp, STACK + 56);
	check_number(u.at.value[6], 0x1234);
	check(f[0].exact && !f[1].exact);
	/* Room, bytes and code that are missing. */
	n = 7;
	u = at(&x86_64, CODE + 16);
	check_number(unwind_all(&u, f, &n, 8), UNWIND_FULL);
	stack.len = 8;
	u = at(&x86_64, CODE + 16);
	check_number(unwind_step(&u, f), UNWIND_NO_STACK);
	check_number(u.at.pc, 0x100000 + CODE + 16);
	stack.len = sizeof(words);
	u = at(&x86_64, CODE + 200);
	check_number(unwind_step(&u, f), UNWIND_NO_TABLE);
	u = at(&x86_64, 0x800000);
	check_number(unwind_step(&u, f), UNWIND_NO_FILE);
	u = at(&x86_64, CODE + 16);
	u.at.known = 0;
	check_number(unwind_step(&u, f), UNWIND_NO_REGISTER);
	/* A caller below what it called. */
	u = at(&x86_64, CODE + 8);
	u.at.value[7] = STACK + 64;
	u.at.value[6] = STACK;
	check_number(unwind_step(&u, f), UNWIND_BACKWARD);
}

/* A stack that was aligned: the frame's end is in a register, then in memory. */
static void
check_expressions(void)
{
	struct unwind u = at(&x86_64, CODE);
	struct native_frame f;

	begin();
	common("zR", &cfi_x86_64);
	FUNCTION(CODE, 16, "\x0c\x0a\x00\x44\x0f\x03\x76\x78\x06\x10\x06\x02"
	    "\x76\x00\x10\x03\x02\x76\x70");
	/* A linker's: CFA = rsp + 8 + ((rip & 15) >= 11) * 8. */
	FUNCTION(CODE + 16, 32,
	    "\x0f\x0b\x77\x08\x80\x00\x3f\x1a\x3b\x2a\x33\x24\x22");
	build(&cfi_x86_64);
	memset(words, 0, sizeof(words));
	words[3] = 0x100000 + CODE + 4;
	u.at.value[10] = STACK + 32;
	check_number(unwind_step(&u, &f), UNWIND_GOES_ON);
	check_number(f.cfa, STACK + 32);
	check((u.at.known >> 10 & 1) == 0 && (u.at.known >> 12 & 1) != 0);
	u = at(&x86_64, CODE + 4);
	u.at.value[6] = STACK + 24;
	words[2] = STACK + 48; /* at rbp - 8: the frame's end */
	words[3] = 0x77;
	words[1] = 0x99; /* rbx */
	words[5] = 0x4444;
	check_number(unwind_step(&u, &f), UNWIND_GOES_ON);
	check_number(f.cfa, STACK + 48);
	check_number(u.at.value[6], 0x77);
	check_number(u.at.value[3], 0x99);
	check_number(u.at.pc, 0x4444);
	u = at(&x86_64, CODE + 16 + 10);
	check_number(unwind_step(&u, &f), UNWIND_GOES_ON);
	check_number(f.cfa, STACK + 8);
	u = at(&x86_64, CODE + 16 + 11);
	check_number(unwind_step(&u, &f), UNWIND_GOES_ON);
	check_number(f.cfa, STACK + 16);
}

/* The frame's end is in a register that calls may change: the functions of assembly that
 * it calls do not.  Without that register of the innermost frame the walk ends. */
static void
check_lent(void)
{
	struct unwind u = at(&x86_64, CODE);
	struct native_frame f;

	begin();
	common("zR", &cfi_x86_64);
	FUNCTION(CODE, 16, "");
	FUNCTION(CODE + 16, 16, "\x0c\x00\x08");
	build(&cfi_x86_64);
	memset(words, 0, sizeof(words));
	words[0] = 0x100000 + CODE + 24;
	words[6] = 0x4444;
	u.at.value[0] = STACK + 48;
	check_number(unwind_step(&u, &f), UNWIND_GOES_ON);
	check((u.at.known & 1) == 0);
	check_number(unwind_step(&u, &f), UNWIND_GOES_ON);
	check_number(f.cfa, STACK + 56);
	check_number(u.at.pc, 0x4444);
	u = at(&x86_64, CODE);
	u.at.value[0] = STACK + 48;
	u.at.known &= ~UINT64_C(1);
	check_number(unwind_step(&u, &f), UNWIND_GOES_ON);
	check_number(unwind_step(&u, &f), UNWIND_NO_REGISTER);
}

/* The kernel's frame of a signal: all registers are in memory, and the caller was
 * interrupted at its address, which may be its first one. */
static void
check_signal(void)
{
	struct unwind u = at(&x86_64, CODE);
	struct native_frame f;

	begin();
	common("zRS", &cfi_x86_64);
	FUNCTION(CODE, 16, "\x0f\x03\x77\x10\x06\x10\x10\x02\x77\x18\x10\x06\x02"
	    "\x77\x20");
	common("zR", &cfi_x86_64);
	FUNCTION(CODE + 16, 16, "");
	build(&cfi_x86_64);
	memset(words, 0, sizeof(words));
	words[2] = STACK + 0x60; /* rsp */
	words[3] = 0x100000 + CODE + 16;
	words[4] = 0x66; /* rbp */
	words[12] = 0x100000 + CODE + 20;
	check_number(unwind_step(&u, &f), UNWIND_GOES_ON);
	check_number(u.at.value[7], STACK + 0x60);
	check_number(u.at.value[6], 0x66);
	check(u.exact);
	check_number(unwind_step(&u, &f), UNWIND_GOES_ON);
	check_number(f.pc, 0x100000 + CODE + 16);
	check_number(f.cfa, STACK + 0x68);
}

/* arm64: the return address is in a register, then on the stack, and signed. */
static void
check_arm64(void)
{
	struct unwind u = at(&aarch64, CODE);
	struct native_frame f[4];
	size_t n = 0;

	begin();
	common("zR", &cfi_aarch64);
	FUNCTION(CODE, 16, "");
	FUNCTION(CODE + 16, 32, "\x2d\x41\x0e\x20\x9d\x04\x9e\x03\x44\x0c\x1d\x20");
	FUNCTION(CODE + 48, 16, "\x07\x1e");
	build(&cfi_aarch64);
	check_row(CODE, CFI_SP, 0, 0);
	check_row(CODE + 20, CFI_SP, 4, 4);
	check_row(CODE + 36, CFI_FP, 4, 4);
	check(!cfi_is_part(&table, CODE));
	memset(words, 0, sizeof(words));
	u.at.value[30] = 0x100000 + CODE + 40;
	u.at.value[29] = STACK;
	words[0] = 0x2929;
	words[1] = UINT64_C(0x0037000000000000) | (0x100000 + CODE + 52);
	check_number(unwind_all(&u, f, &n, 4), UNWIND_COMPLETE);
	check_number(n, 3);
	check_number(f[0].cfa, STACK);
	check_number(f[1].cfa, STACK + 32);
	check_number(f[2].pc, 0x100000 + CODE + 52);
	check_number(u.at.value[29], 0x2929);
	/* Code without a table: the return address is in its register. */
	u = at(&arm64_calls, CODE + 200);
	u.at.value[30] = 0x100000 + CODE + 40;
	u.at.value[29] = STACK;
	n = 0;
	check_number(unwind_all(&u, f, &n, 4), UNWIND_COMPLETE);
	check(u.guessed);
	check_number(n, 3);
	check_number(f[0].cfa, STACK);
	check_number(f[1].cfa, STACK + 32);
	u = at(&arm64_calls, CODE + 200);
	check_number(unwind_step(&u, f), UNWIND_NO_TABLE);
}

int
main(void)
{
	check_rows();
	check_padding();
	check_order();
	check_rules();
	check_damage();
	check_guess();
	check_walk();
	check_expressions();
	check_lent();
	check_signal();
	check_arm64();
	cfi_free(&table);
	return failures != 0;
}
