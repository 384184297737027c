/* SPDX-License-Identifier: ISC */
/*
 * fuzz_cfi.c: a section .eh_frame and a stack of any bytes.  The first byte chooses the
 * machine, the next two say how many bytes the section has; registers follow it, and
 * the stack.  A table has to be in order, and a walk has to end and go upwards.  The
 * section's bytes are run as code, too: that has to end.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "native/coderun.h"
#include "native/parts.h"
#include "native/unwind.h"

#define CODE UINT64_C(0x400000)
#define STACK UINT64_C(0x7fff0000)
#define FRAMES 64

struct fuzz_tables {
	struct unwind_tables tables;
	struct module module;
	const uint8_t *code;
	size_t code_len;
};

static enum unwind_code
find(const struct unwind_tables *t, uint64_t pc, const struct cfi **cfi,
    uint64_t *bias)
{
	(void)pc;
	*cfi = &((const struct fuzz_tables *)t)->module.cfi;
	*bias = CODE;
	return CODE_TABLE;
}

static bool
read_code(const struct unwind_tables *t, uint64_t addr, uint8_t *to, size_t size)
{
	const struct fuzz_tables *f = (const struct fuzz_tables *)t;
	uint64_t at = addr - CODE;

	if (at > f->code_len || size > f->code_len - at)
		return false;
	memcpy(to, f->code + at, size);
	return true;
}

/* A copy that ends where its memory does, for ASan. */
static uint8_t *
copy(const uint8_t *bytes, size_t n)
{
	uint8_t *p = malloc(n + (n == 0));

	promise(p != NULL);
	memcpy(p, bytes, n);
	return p;
}

static void
check_function(const struct cfi *t, uint64_t addr)
{
	uint64_t start, end;

	if (cfi_function(t, addr, &start, &end))
		promise(start <= addr && addr < end);
}

static void
check_table(const struct cfi *t, size_t section_len)
{
	promise(t->count <= 3 * section_len);
	for (size_t i = 0; i < t->count; i++) {
		uint64_t addr = t->base + t->rows[i].start;
		promise(i == 0 || t->rows[i - 1].start < t->rows[i].start);
		promise(cfi_row(t, addr) == t->rows[i].value);
		check_function(t, addr);
		if (i > 0) {
			promise(cfi_row(t, addr - 1) == t->rows[i - 1].value);
			check_function(t, addr - 1);
		}
		if (ROW_KIND(t->rows[i].value) == CFI_RULE)
			promise(ROW_RULE(t->rows[i].value) < t->nrules);
	}
	promise(cfi_row(t, t->base - 1) == CFI_NONE);
}

static void
check_walk(const struct fuzz_tables *t, const uint8_t *bytes, size_t n)
{
	struct native_stack stack = {.low = STACK};
	struct native_frame f[FRAMES];
	struct unwind u = {.tables = &t->tables, .stack = &stack, .exact = true};
	size_t regs = n < sizeof(u.at.value) ? n : sizeof(u.at.value);
	uint8_t *copied;
	size_t count = 0;

	memcpy(u.at.value, bytes, regs);
	u.at.known = UINT64_MAX;
	u.at.value[t->tables.machine->sp] = STACK;
	u.at.value[t->tables.machine->fp] = STACK + 64;
	u.at.pc = CODE + (t->module.cfi.count > 0 ?
	    t->module.cfi.base + t->module.cfi.rows[0].start : 0);
	copied = copy(bytes + regs, n - regs);
	stack.bytes = copied;
	stack.len = n - regs;
	promise(unwind_all(&u, f, &count, FRAMES) != UNWIND_GOES_ON);
	promise(count > 0 && count <= FRAMES);
	for (size_t i = 1; i < count; i++)
		promise(f[i].exact || f[i].sp >= f[i - 1].sp);
	free(copied);
}

/* Runs the code from one of its first bytes on. */
static void
check_leave(const struct fuzz_tables *t, const uint8_t *bytes, size_t n)
{
	uint8_t *copied = copy(bytes, n);
	struct native_stack stack = {STACK, copied, n, NULL};
	struct unwind_registers at = {.known = UINT64_MAX};
	unsigned sp = t->tables.machine->sp;
	uint64_t cfa;

	at.pc = CODE + (n > 0 ? bytes[0] : 0);
	at.value[sp] = STACK;
	at.value[t->tables.machine->fp] = STACK + 64;
	if (coderun_leave(&t->tables, &stack, &at, &cfa))
		promise((at.known >> sp & 1) != 0 && at.value[sp] == cfa);
	free(copied);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct fuzz_tables t = {.tables = {&cfi_x86_64, find, read_code}};
	struct cfi_section s = {.addr = 0x1000};
	struct split_part parts[4];
	uint8_t *section;

	if (n < 3)
		return 0;
	if (bytes[0] % 2 != 0)
		t.tables.machine = &cfi_aarch64;
	s.len = (size_t)bytes[1] | (size_t)bytes[2] << 8;
	n -= 3;
	if (s.len > n)
		s.len = n;
	section = copy(bytes + 3, s.len);
	s.bytes = t.code = section;
	t.code_len = s.len;
	promise(cfi_build(&t.module.cfi, t.tables.machine, &s));
	check_table(&t.module.cfi, s.len);
	check_walk(&t, bytes + 3 + s.len, n - s.len);
	check_leave(&t, bytes + 3 + s.len, n - s.len);
	/* The section's bytes as code. */
	promise(parts_find(&t.module, t.module.cfi.base, section, s.len, parts, 4) <= 4);
	cfi_free(&t.module.cfi);
	free(section);
	return 0;
}
