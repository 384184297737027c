/* SPDX-License-Identifier: ISC */
/* unwind.c: see unwind.h. */
#include "native/unwind.h"

#include <string.h>

#include "native/coderun.h"

#define WORD 8		/* bytes */
#define RESULTS_MAX 16	/* of an expression, at once */
#define LENGTH_MAX 128	/* bytes of an expression */

bool
native_stack_word(struct native_stack *s, uint64_t addr, uint64_t *word)
{
	uint64_t off = addr - s->low;

	if (addr < s->low || off > s->len || s->len - off < WORD) {
		if (s->more == NULL || !s->more(s, addr))
			return false;
		off = addr - s->low;
		if (addr < s->low || off > s->len || s->len - off < WORD)
			return false;
	}
	memcpy(word, s->bytes + off, WORD);
	return true;
}

static bool
is_known(const struct unwind_registers *r, unsigned reg)
{
	return reg < CFI_REGISTERS && (r->known >> reg & 1) != 0;
}

static void
set_register(struct unwind_registers *r, unsigned reg, uint64_t value)
{
	r->value[reg] = value;
	r->known |= UINT64_C(1) << reg;
}

/* ---- expressions ------------------------------------------------------- */

/* An expression is a program for a machine with a stack. */
struct expression {
	const struct cfi_machine *machine;
	const struct unwind_registers *regs;
	struct native_stack *memory;
	const uint8_t *at, *end;
	uint64_t results[RESULTS_MAX];
	size_t n;
	enum unwind_end end_is; /* UNWIND_GOES_ON: no fault */
};

static void
fail(struct expression *x, enum unwind_end end)
{
	x->end_is = end;
}

static void
push(struct expression *x, uint64_t v)
{
	if (x->n == RESULTS_MAX)
		fail(x, UNWIND_NO_TABLE);
	else
		x->results[x->n++] = v;
}

static uint64_t
pop(struct expression *x)
{
	if (x->n == 0) {
		fail(x, UNWIND_NO_TABLE);
		return 0;
	}
	return x->results[--x->n];
}

static uint64_t
operand(struct expression *x, size_t size, bool has_sign)
{
	uint64_t v;

	if ((size_t)(x->end - x->at) < size) {
		fail(x, UNWIND_NO_TABLE);
		return 0;
	}
	v = cfi_number(x->at, size);
	x->at += size;
	if (has_sign && size < 8 && (v >> (8 * size - 1) & 1) != 0)
		v |= ~UINT64_C(0) << 8 * size;
	return v;
}

static uint64_t
operand_leb(struct expression *x, bool has_sign)
{
	const uint8_t *at = x->at;
	uint64_t v = cfi_leb(&at, x->end, has_sign);

	if (at == NULL)
		fail(x, UNWIND_NO_TABLE);
	else
		x->at = at;
	return v;
}

/* Pushes a register's value plus an offset.  On x86-64 the column of the return
 * address is the instruction pointer. */
static void
push_register(struct expression *x, uint64_t reg)
{
	uint64_t offset = operand_leb(x, true);

	if (x->machine->ra_in_frame && reg == x->machine->ra)
		push(x, x->regs->pc + offset);
	else if (reg < CFI_REGISTERS && is_known(x->regs, (unsigned)reg))
		push(x, x->regs->value[reg] + offset);
	else
		fail(x, UNWIND_NO_REGISTER);
}

static void
pick(struct expression *x, size_t n)
{
	if (n >= x->n)
		fail(x, UNWIND_NO_TABLE);
	else
		push(x, x->results[x->n - 1 - n]);
}

static void
dereference(struct expression *x, size_t size)
{
	uint64_t addr = pop(x), v = 0;

	if (x->end_is != UNWIND_GOES_ON)
		return;
	if (!native_stack_word(x->memory, addr, &v))
		fail(x, UNWIND_NO_STACK);
	push(x, size < 8 ? v & ((UINT64_C(1) << 8 * size) - 1) : v);
}

static uint64_t
shifted(uint64_t v, uint64_t n, bool left)
{
	return n > 63 ? 0 : left ? v << n : v >> n;
}

/* The names of the operations are DWARF's, without DW_OP_. */
enum {
	ADDR = 0x03,
	DEREF = 0x06,
	CONST1U = 0x08,
	CONST1S = 0x09,
	CONST2U = 0x0a,
	CONST2S = 0x0b,
	CONST4U = 0x0c,
	CONST4S = 0x0d,
	CONST8U = 0x0e,
	CONST8S = 0x0f,
	CONSTU = 0x10,
	CONSTS = 0x11,
	DUP = 0x12,
	DROP = 0x13,
	OVER = 0x14,
	PICK = 0x15,
	SWAP = 0x16,
	AND = 0x1a,
	MINUS = 0x1c,
	MUL = 0x1e,
	NEG = 0x1f,
	NOT = 0x20,
	OR = 0x21,
	PLUS = 0x22,
	PLUS_UCONST = 0x23,
	SHL = 0x24,
	SHR = 0x25,
	SHRA = 0x26,
	XOR = 0x27,
	EQ = 0x29,
	GE = 0x2a,
	GT = 0x2b,
	LE = 0x2c,
	LT = 0x2d,
	NE = 0x2e,
	LIT0 = 0x30,
	LIT31 = 0x4f,
	BREG0 = 0x70,
	BREG31 = 0x8f,
	BREGX = 0x92,
	DEREF_SIZE = 0x94,
	NOP = 0x96,
};

/* Runs an operation of two numbers.  False if it is none. */
static bool
run_binary(struct expression *x, uint8_t op)
{
	uint64_t b, a, v;

	if (op < AND || op > NE || op == NEG || op == NOT || op == PLUS_UCONST)
		return false;
	b = pop(x);
	a = pop(x);
	switch (op) {
	case AND: v = a & b; break;
	case MINUS: v = a - b; break;
	case MUL: v = a * b; break;
	case OR: v = a | b; break;
	case PLUS: v = a + b; break;
	case SHL: v = shifted(a, b, true); break;
	case SHR: v = shifted(a, b, false); break;
	case XOR: v = a ^ b; break;
	case EQ: v = a == b; break;
	case GE: v = (int64_t)a >= (int64_t)b; break;
	case GT: v = (int64_t)a > (int64_t)b; break;
	case LE: v = (int64_t)a <= (int64_t)b; break;
	case LT: v = (int64_t)a < (int64_t)b; break;
	case NE: v = a != b; break;
	default:
		fail(x, UNWIND_NO_TABLE);
		v = 0;
	}
	push(x, v);
	return true;
}

/* Runs an operation that pushes a number of the program.  False if it is none. */
static bool
run_constant(struct expression *x, uint8_t op)
{
	if (op >= LIT0 && op <= LIT31)
		push(x, (uint64_t)(op - LIT0));
	else if (op >= CONST1U && op <= CONST8S)
		push(x, operand(x, (size_t)1 << (op - CONST1U) / 2, op % 2 != 0));
	else if (op == ADDR)
		push(x, operand(x, 8, false));
	else if (op == CONSTU || op == CONSTS)
		push(x, operand_leb(x, op == CONSTS));
	else
		return false;
	return true;
}

static void
swap_results(struct expression *x)
{
	uint64_t b = pop(x), a = pop(x);

	push(x, b);
	push(x, a);
}

static void
run_operation(struct expression *x, uint8_t op)
{
	if (run_constant(x, op) || run_binary(x, op))
		return;
	if (op >= BREG0 && op <= BREG31) {
		push_register(x, (uint64_t)(op - BREG0));
		return;
	}
	switch (op) {
	case DEREF: dereference(x, WORD); break;
	case DEREF_SIZE: dereference(x, operand(x, 1, false) & 0xf); break;
	case DUP: pick(x, 0); break;
	case OVER: pick(x, 1); break;
	case PICK: pick(x, operand(x, 1, false)); break;
	case DROP: pop(x); break;
	case SWAP: swap_results(x); break;
	case NEG: push(x, 0 - pop(x)); break;
	case NOT: push(x, ~pop(x)); break;
	case PLUS_UCONST: push(x, pop(x) + operand_leb(x, false)); break;
	case BREGX: push_register(x, operand_leb(x, false)); break;
	case NOP: break;
	default: fail(x, UNWIND_NO_TABLE); /* also jumps: a program ends */
	}
}

/* Computes an expression of a table.  cfa: pushed first, if not NULL. */
static enum unwind_end
compute(const struct cfi *t, int32_t number, const struct unwind_registers *r,
    struct native_stack *memory, const uint64_t *cfa, uint64_t *result)
{
	struct expression x = {.machine = t->machine, .regs = r, .memory = memory};
	size_t len;

	x.at = cfi_expression(t, number, &len);
	if (x.at == NULL || len > LENGTH_MAX)
		return UNWIND_NO_TABLE;
	x.end = x.at + len;
	if (cfa != NULL)
		push(&x, *cfa);
	while (x.at < x.end && x.end_is == UNWIND_GOES_ON)
		run_operation(&x, *x.at++);
	if (x.end_is == UNWIND_GOES_ON)
		*result = pop(&x);
	return x.end_is;
}

/* ---- a step by a row --------------------------------------------------- */

/* Whether a frame may end at an address.  Only a frame that is at its address may take
 * no room. */
static bool
goes_up(const struct unwind *u, uint64_t cfa)
{
	uint64_t sp = u->at.value[u->tables->machine->sp];

	return cfa > sp || (cfa == sp && u->exact);
}

/* Makes the registers the caller's by a row of eight bytes. */
static enum unwind_end
step_by_row(struct unwind *u, const struct cfi *t, uint32_t row, uint64_t *cfa)
{
	const struct cfi_machine *m = t->machine;
	struct native_stack *stack = u->stack;
	struct unwind_registers *r = &u->at;
	unsigned base = ROW_KIND(row) == CFI_SP ? m->sp : m->fp;
	uint32_t slot = ROW_SLOT(row);
	uint64_t fp, ra;

	if (!is_known(r, base) || (slot == 0 && !m->ra_in_frame && !is_known(r, m->ra)))
		return UNWIND_NO_REGISTER;
	*cfa = r->value[base] + (uint64_t)((int64_t)ROW_CFA(row) * WORD);
	if (!goes_up(u, *cfa))
		return UNWIND_BACKWARD;
	if (slot != 0 && !native_stack_word(stack, *cfa - slot * WORD, &fp))
		return UNWIND_NO_STACK;
	if (!m->ra_in_frame && slot == 0)
		ra = r->value[m->ra];
	else if (!native_stack_word(stack, *cfa - (m->ra_in_frame ? 1 : slot - 1) *
		WORD, &ra))
		return UNWIND_NO_STACK;
	/* Other registers may be on the stack as well: the row does not say. */
	r->known &= UINT64_C(1) << m->fp;
	if (slot != 0)
		set_register(r, m->fp, fp);
	set_register(r, m->sp, *cfa);
	r->pc = ra & m->pc_mask;
	u->exact = false;
	return UNWIND_GOES_ON;
}

/* ---- a step by a rule -------------------------------------------------- */

/* Finds the value that a register of the caller has. */
static enum unwind_end
saved_value(const struct cfi *t, const struct cfi_saved *s,
    const struct unwind_registers *r, struct native_stack *stack, uint64_t cfa,
    uint64_t *value)
{
	uint64_t at = cfa + (uint64_t)(int64_t)s->value;
	enum unwind_end end;

	switch ((enum cfi_how)s->how) {
	case CFI_IS:
		*value = at;
		return UNWIND_GOES_ON;
	case CFI_IN:
		if (s->value < 0 || !is_known(r, (unsigned)s->value))
			return UNWIND_NO_REGISTER;
		*value = r->value[s->value];
		return UNWIND_GOES_ON;
	case CFI_IS_RESULT:
		return compute(t, s->value, r, stack, &cfa, value);
	case CFI_AT_RESULT:
		if ((end = compute(t, s->value, r, stack, &cfa, &at)) !=
		    UNWIND_GOES_ON)
			return end;
		break;
	case CFI_AT:
		break;
	default:
		return UNWIND_NO_REGISTER;
	}
	return native_stack_word(stack, at, value) ? UNWIND_GOES_ON : UNWIND_NO_STACK;
}

/* The return address.  A register that is not saved still has it, if calls put it
 * there. */
static bool
take_return(const struct cfi_machine *m, const struct unwind_registers *old,
    const struct unwind_registers *new, uint64_t saved)
{
	return (saved >> m->ra & 1) != 0 ? is_known(new, m->ra) :
	    !m->ra_in_frame && is_known(old, m->ra);
}

/* Whether a register is known that a rule names for the end of a frame.  Assembly also
 * names one that calls may change, where the functions that it calls do not. */
static bool
is_known_to_rule(const struct unwind *u, unsigned reg)
{
	return is_known(&u->at, reg) ||
	    (reg < CFI_REGISTERS && (u->lent >> reg & 1) != 0);
}

/* Where a frame ends, by a rule.  A signal handler may have a stack of its own. */
static enum unwind_end
end_by_rule(const struct unwind *u, const struct cfi *t, const struct cfi_rule *rule,
    uint64_t *cfa)
{
	const struct unwind_registers *r = &u->at;
	enum unwind_end end = UNWIND_GOES_ON;

	if (rule->cfa_how == CFI_IS_RESULT)
		end = compute(t, rule->cfa, r, u->stack, NULL, cfa);
	else if (!is_known_to_rule(u, rule->cfa_reg))
		end = UNWIND_NO_REGISTER;
	else
		*cfa = r->value[rule->cfa_reg] + (uint64_t)(int64_t)rule->cfa;
	return end == UNWIND_GOES_ON && !rule->signal && !goes_up(u, *cfa) ?
	    UNWIND_BACKWARD : end;
}

/* Makes the registers the caller's by a rule.  A register whose value cannot be found
 * is not known afterwards. */
static enum unwind_end
step_by_rule(struct unwind *u, const struct cfi *t, const struct cfi_rule *rule,
    uint64_t *cfa)
{
	const struct cfi_machine *m = t->machine;
	const struct unwind_registers *r = &u->at;
	enum unwind_end end = end_by_rule(u, t, rule, cfa);
	struct unwind_registers new = *r;
	uint64_t v, saved = 0;

	if (end != UNWIND_GOES_ON)
		return end;
	if (!rule->signal)
		new.known &= m->kept;
	set_register(&new, m->sp, *cfa);
	for (size_t i = 0; i < rule->count; i++) {
		const struct cfi_saved *s = &t->saved[rule->first + i];
		saved |= UINT64_C(1) << s->reg;
		new.known &= ~(UINT64_C(1) << s->reg);
		if ((end = saved_value(t, s, r, u->stack, *cfa, &v)) ==
		    UNWIND_GOES_ON)
			set_register(&new, s->reg, v);
		else if (s->reg == m->ra)
			return end;
	}
	if (!take_return(m, r, &new, saved))
		return UNWIND_NO_REGISTER;
	new.pc = new.value[m->ra] & m->pc_mask;
	if (!rule->signal)
		new.known &= ~(UINT64_C(1) << m->ra);
	u->at = new;
	u->exact = rule->signal;
	return UNWIND_GOES_ON;
}

/* ---- code that was made at run time ------------------------------------ */

/* Whether a call is before an address. */
static bool
is_after_call(const struct unwind_tables *t, uint64_t pc)
{
	uint8_t code[7]; /* bytes of a call at most, up to the address */

	if (t->read_code == NULL || !t->read_code(t, pc - sizeof(code), code, sizeof(code)))
		return false;
	if (!t->machine->ra_in_frame) /* bl, or blr */
		return code[6] >> 2 == 0x25 || (code[6] == 0xd6 && code[5] >> 6 == 0);
	if (code[2] == 0xe8)
		return true;
	for (size_t n = 2; n <= sizeof(code); n++)
		if (code[sizeof(code) - n] == 0xff &&
		    (code[sizeof(code) - n + 1] >> 3 & 7) == 2)
			return true;
	return false;
}

bool
unwind_is_return(const struct unwind_tables *t, uint64_t pc)
{
	const struct cfi *cfi;
	uint64_t bias, start, end;

	return t->find(t, pc - 1, &cfi, &bias) == CODE_TABLE &&
	    cfi_function(cfi, pc - 1 - bias, &start, &end) && is_after_call(t, pc);
}

/* The return address of code that has not changed the stack yet, or not any more.
 * *room: the bytes that it takes there.  False if it is not known. */
static bool
return_of_top(const struct unwind *u, uint64_t *ra, uint64_t *room)
{
	const struct cfi_machine *m = u->tables->machine;
	const struct unwind_registers *r = &u->at;

	if (m->ra_in_frame) {
		*room = WORD;
		return is_known(r, m->sp) &&
		    native_stack_word(u->stack, r->value[m->sp], ra);
	}
	*room = 0;
	*ra = r->value[m->ra] & m->pc_mask;
	return is_known(r, m->sp) && is_known(r, m->ra);
}

/* Code that only passes a call on, as closures of libffi and, on arm64, jumps into other
 * modules do, and most functions in assembly have the return address on top of the stack,
 * or in its register.  So has other code at its first instruction and at its last one,
 * and elsewhere by chance: the caller of the walk has to prove it.  otherwise: the result
 * if it is no return address. */
static enum unwind_end
step_top(struct unwind *u, uint64_t *cfa, enum unwind_end otherwise)
{
	const struct cfi_machine *m = u->tables->machine;
	struct unwind_registers *r = &u->at;
	uint64_t ra, room;

	if (!u->exact || !return_of_top(u, &ra, &room) ||
	    !unwind_is_return(u->tables, ra))
		return otherwise;
	u->guessed = true;
	u->exact = false;
	*cfa = r->value[m->sp] + room;
	r->known &= m->kept;
	set_register(r, m->sp, *cfa);
	r->pc = ra;
	return UNWIND_GOES_ON;
}

/* Code without a table is left by its own instructions; its caller may be such code, too.
 * The caller of the walk has to prove it. */
static bool
step_by_code(struct unwind *u, uint64_t *cfa)
{
	struct unwind_registers r = u->at;
	const struct cfi *cfi;
	uint64_t bias, end;

	if (!coderun_leave(u->tables, u->stack, &r, &end) || !goes_up(u, end) ||
	    u->tables->find(u->tables, r.pc - 1, &cfi, &bias) == CODE_NONE ||
	    !is_after_call(u->tables, r.pc))
		return false;
	u->at = r;
	u->guessed = true;
	u->exact = false;
	*cfa = end;
	return true;
}

/* Goes on from code without a table.  otherwise: the result if that cannot be done. */
static enum unwind_end
step_without_table(struct unwind *u, uint64_t *cfa, enum unwind_end otherwise)
{
	return step_by_code(u, cfa) ? UNWIND_GOES_ON : step_top(u, cfa, otherwise);
}

/*
 * CPython's trampolines for perf(1), from 3.12 on, have no table.  Each calls one
 * function; at its first instruction the return address is on top of the stack, and
 * behind it there is one word more.  3.12 leaves that unused; later versions keep the
 * frame pointer in it.  The code behind the call tells which one it is.
 */
static enum unwind_end
step_trampoline(struct unwind *u, uint64_t *cfa)
{
	static const uint8_t drops[] = {0x48, 0x83, 0xc4, 0x08}; /* add $8, %rsp */
	const struct cfi_machine *m = &cfi_x86_64;
	struct unwind_registers *r = &u->at;
	uint64_t sp = r->value[m->sp], fp, ra;
	uint8_t code[sizeof(drops)];

	if (u->tables->read_code == NULL || u->tables->machine != m ||
	    !is_known(r, m->sp) || !u->tables->read_code(u->tables, r->pc, code,
		sizeof(code)))
		return UNWIND_NO_FILE;
	if (code[0] != 0x5d && memcmp(code, drops, sizeof(drops)) != 0)
		return UNWIND_NO_FILE;
	*cfa = sp + 2 * WORD;
	if (!native_stack_word(u->stack, sp, &fp) ||
	    !native_stack_word(u->stack, sp + WORD, &ra))
		return UNWIND_NO_STACK;
	r->known &= UINT64_C(1) << m->fp;
	if (code[0] == 0x5d) /* pop %rbp */
		set_register(r, m->fp, fp);
	set_register(r, m->sp, *cfa);
	r->pc = ra;
	return UNWIND_GOES_ON;
}

/* ---- walks ------------------------------------------------------------- */

/* Makes the registers the caller's by the table that has an address. */
static enum unwind_end
step_by_table(struct unwind *u, const struct cfi *t, uint64_t addr, uint64_t *cfa)
{
	uint32_t row = cfi_row(t, addr);

	switch (ROW_KIND(row)) {
	case CFI_LAST:
		return UNWIND_COMPLETE;
	case CFI_SP:
	case CFI_FP:
		return step_by_row(u, t, row, cfa);
	case CFI_RULE:
		return ROW_RULE(row) < t->nrules ?
		    step_by_rule(u, t, &t->rules[ROW_RULE(row)], cfa) :
		    UNWIND_NO_TABLE;
	default:
		return step_without_table(u, cfa, UNWIND_NO_TABLE);
	}
}

enum unwind_end
unwind_step(struct unwind *u, struct native_frame *f)
{
	uint64_t pc = u->exact ? u->at.pc : u->at.pc - 1, bias = 0, cfa;
	const struct cfi *t = NULL;
	enum unwind_end end;

	if (u->exact)
		u->lent = u->at.known & ~u->tables->machine->kept;
	*f = (struct native_frame){.pc = u->at.pc,
	    .sp = u->at.value[u->tables->machine->sp], .exact = u->exact};
	switch (u->tables->find(u->tables, pc, &t, &bias)) {
	case CODE_TABLE:
		end = step_by_table(u, t, pc - bias, &cfa);
		break;
	case CODE_NO_FILE:
		end = u->exact ? UNWIND_NO_FILE : step_trampoline(u, &cfa);
		if (end == UNWIND_NO_FILE)
			end = step_without_table(u, &cfa, UNWIND_NO_FILE);
		break;
	default:
		end = step_without_table(u, &cfa, UNWIND_NO_TABLE);
	}
	if (end == UNWIND_GOES_ON)
		f->cfa = cfa;
	return end;
}

enum unwind_end
unwind_all(struct unwind *u, struct native_frame *frames, size_t *n, size_t max)
{
	enum unwind_end end = UNWIND_GOES_ON;

	while (end == UNWIND_GOES_ON && *n < max)
		end = unwind_step(u, &frames[(*n)++]);
	return end == UNWIND_GOES_ON ? UNWIND_FULL : end;
}
