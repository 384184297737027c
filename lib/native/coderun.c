/* SPDX-License-Identifier: ISC */
/*
 * coderun.c: see coderun.h.
 *
 * An instruction is known by its length.  Its effect is followed if it is one of the few by
 * which functions leave: of the others, all registers but the stack pointer and the frame
 * pointer are unknown afterwards.  A function that has put another value into the frame
 * pointer takes the caller's from the stack before it returns.
 */
#include "native/coderun.h"

#include <string.h>

#include "native/instruction.h"

#define WORD 8		 /* bytes */
#define STEPS_MAX 2048	 /* instructions, on all ways */
#define WAYS_MAX 24	 /* that are still to go, at once */
#define SEEN_MAX 128	 /* targets of jumps */
#define RETURNS_MAX 8	 /* ways to a return, which are enough */
#define CALLS_MAX 8	 /* on a way */
#define WRITTEN_MAX 24	 /* words on the way */
#define FRAME_MAX (1 << 20) /* bytes: no word further up is read */
#define PIECE 256	 /* bytes of code that are read at once */
#define READS_MAX 64	 /* pieces */
#define PAGE_SIZE 4096

/* The numbers that tables have for the registers. */
static const uint8_t dwarf_numbers[REGISTERS] = {0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12,
    13, 14, 15};

#define KEPT_BY_CALLS 0xf038 /* rbx, rsp, rbp, r12 to r15 */

/* ---- a way --------------------------------------------------------------- */

/* A word that was written on the way. */
struct written_word {
	uint64_t addr, value;
	bool known;
};

struct code_way {
	uint64_t pc, value[REGISTERS];
	uint32_t known; /* a bit for each register */
	unsigned calls; /* on the way */
	struct written_word written[WRITTEN_MAX];
	size_t nwritten;
};

struct code_run {
	const struct unwind_tables *tables;
	struct native_stack *stack;
	uint64_t low; /* the stack pointer at the beginning */
	struct code_way ways[WAYS_MAX];
	size_t nways;
	uint64_t seen[SEEN_MAX][2]; /* targets, and the stack pointers there */
	size_t nseen;
	struct code_way end; /* of the first way to a return */
	size_t returns;
	unsigned reads; /* of code */
	uint64_t code_at;
	uint8_t code[PIECE + 2 * INSTRUCTION_MAX]; /* with zeros behind what was read */
	size_t code_len;
};

enum way_goes { WAY_ON, WAY_CALLS, WAY_ENDS, WAY_RETURNS, WAY_FAILS };

static bool
knows(const struct code_way *w, unsigned reg)
{
	return reg < REGISTERS && (w->known >> reg & 1) != 0;
}

static void
learn(struct code_way *w, unsigned reg, uint64_t value)
{
	w->value[reg] = value;
	w->known |= UINT32_C(1) << reg;
}

static void
lose(struct code_way *w, unsigned reg)
{
	w->known &= ~(UINT32_C(1) << reg);
}

/* Reads a word of the frame.  False if it is not known. */
static bool
read_frame(const struct code_run *r, const struct code_way *w, uint64_t addr,
    uint64_t *word)
{
	for (size_t i = 0; i < w->nwritten; i++)
		if (w->written[i].addr == addr) {
			*word = w->written[i].value;
			return w->written[i].known;
		}
	return addr >= r->low && addr - r->low < FRAME_MAX &&
	    native_stack_word(r->stack, addr, word);
}

/* Notes a word of the frame.  False if there is no room. */
static bool
write_frame(struct code_way *w, uint64_t addr, bool known, uint64_t value)
{
	size_t i = 0;

	while (i < w->nwritten && w->written[i].addr != addr)
		i++;
	if (i == WRITTEN_MAX)
		return false;
	w->written[i] = (struct written_word){addr, value, known};
	w->nwritten += i == w->nwritten;
	return true;
}

static enum way_goes
push_word(struct code_way *w, bool known, uint64_t value)
{
	w->value[RSP] -= WORD;
	return write_frame(w, w->value[RSP], known, value) ? WAY_ON : WAY_FAILS;
}

/* Loads a register from the frame. */
static void
load_register(const struct code_run *r, struct code_way *w, uint8_t reg, uint64_t addr)
{
	uint64_t value;

	if (read_frame(r, w, addr, &value))
		learn(w, reg, value);
	else
		lose(w, reg);
}

static enum way_goes
pop_word(const struct code_run *r, struct code_way *w, uint8_t reg)
{
	uint64_t at = w->value[RSP];

	w->value[RSP] += WORD;
	load_register(r, w, reg, at);
	return knows(w, RSP) ? WAY_ON : WAY_FAILS;
}

static bool
knows_address(const struct code_way *w, const struct instruction *x)
{
	return !x->is_register && knows(w, x->rm);
}

static uint64_t
address_of(const struct code_way *w, const struct instruction *x)
{
	return w->value[x->rm] + (uint64_t)x->disp;
}

/* mov between registers, from the frame and into it; lea.  Others than of 64 bits leave no
 * address. */
static enum way_goes
run_move(const struct code_run *r, struct code_way *w, const struct instruction *x)
{
	uint8_t to = x->op == 0x89 ? x->rm : x->reg;
	uint8_t from = x->op == 0x89 ? x->reg : x->rm;

	if (x->op == 0x89 && !x->is_register)
		return !knows_address(w, x) || write_frame(w, address_of(w, x),
		    x->wide && knows(w, x->reg), w->value[x->reg]) ? WAY_ON :
								      WAY_FAILS;
	if (!x->wide)
		lose(w, to);
	else if (x->is_register && knows(w, from))
		learn(w, to, w->value[from]);
	else if (!knows_address(w, x))
		lose(w, to);
	else if (x->op == 0x8d)
		learn(w, to, address_of(w, x));
	else
		load_register(r, w, to, address_of(w, x));
	return knows(w, RSP) ? WAY_ON : WAY_FAILS;
}

/* add, sub and others of a register and a number. */
static enum way_goes
run_number(struct code_way *w, const struct instruction *x)
{
	uint64_t n = (uint64_t)x->number;

	if (!x->is_register || (x->reg & 7) == 7) /* cmp */
		return WAY_ON;
	if (!x->wide || !knows(w, x->rm))
		lose(w, x->rm);
	else if ((x->reg & 7) == 0)
		w->value[x->rm] += n;
	else if ((x->reg & 7) == 5)
		w->value[x->rm] -= n;
	else if ((x->reg & 7) == 4)
		w->value[x->rm] &= n;
	else
		lose(w, x->rm);
	return knows(w, RSP) ? WAY_ON : WAY_FAILS;
}

/* Whether an instruction whose effect is not followed moves the stack pointer. */
static bool
moves_stack(const struct instruction *x)
{
	uint8_t op = x->op;

	if (x->vector || (x->table != ONE_BYTE && (x->table != WITH_0F || op >> 4 != 4)))
		return false;
	if (x->table == WITH_0F || (op < 0x40 && (op & 7) == 3) || op == 0x63 ||
	    op == 0x69 || op == 0x6b)
		return x->reg == RSP && (op < 0x38 || op > 0x3b);
	if ((op < 0x38 && (op & 7) == 1) || op == 0xc7 || op == 0xf7 || op == 0xff)
		return x->is_register && x->rm == RSP;
	return (op == 0x87 && x->is_register && (x->rm == RSP || x->reg == RSP)) ||
	    ((op == 0xbc || op == 0x94) && x->rm == RSP) || op == 0xc8;
}

static enum way_goes
run_other(struct code_way *w, const struct instruction *x)
{
	if (moves_stack(x))
		return WAY_FAILS;
	w->known &= 1 << RSP | 1 << RBP;
	return WAY_ON;
}

static enum way_goes
call_function(struct code_way *w)
{
	w->known &= KEPT_BY_CALLS;
	w->calls++;
	return WAY_CALLS;
}

/* The last group of instructions: they call, jump or push. */
static enum way_goes
run_group(struct code_way *w, const struct instruction *x)
{
	switch (x->reg & 7) {
	case 2:
		return call_function(w);
	case 3: case 5: case 7:
		return WAY_FAILS;
	case 4: /* to another function, or anywhere in this one */
		return WAY_ENDS;
	case 6:
		return push_word(w, false, 0);
	default:
		return run_other(w, x);
	}
}

static enum way_goes
run_one_byte(const struct code_run *r, struct code_way *w, const struct instruction *x)
{
	if (x->op >= 0x50 && x->op <= 0x57)
		return push_word(w, knows(w, x->rm), w->value[x->rm]);
	if (x->op >= 0x58 && x->op <= 0x5f)
		return pop_word(r, w, x->rm);
	switch (x->op) {
	case 0x68: case 0x6a: case 0x9c:
		return push_word(w, false, 0);
	case 0x9d:
		w->value[RSP] += WORD;
		return WAY_ON;
	case 0x81: case 0x83:
		return run_number(w, x);
	case 0x89: case 0x8b: case 0x8d:
		return run_move(r, w, x);
	case 0x8f:
		return WAY_FAILS;
	case 0xc9: /* leave */
		if (!knows(w, RBP))
			return WAY_FAILS;
		w->value[RSP] = w->value[RBP];
		return pop_word(r, w, RBP);
	case 0xc2: case 0xc3:
		return x->number == 0 ? WAY_RETURNS : WAY_FAILS;
	case 0xcc: case 0xf4:
		return WAY_ENDS;
	case 0xe8:
		return call_function(w);
	case 0xff:
		return run_group(w, x);
	default:
		return run_other(w, x);
	}
}

/* ---- ways ---------------------------------------------------------------- */

/* Where a jump leads. */
static bool
is_jump_to(const struct instruction *x, bool *always)
{
	*always = x->table == ONE_BYTE && (x->op == 0xe9 || x->op == 0xeb);
	return !x->vector && (*always ||
	    (x->table == ONE_BYTE && (x->op >> 4 == 7 || (x->op & 0xfc) == 0xe0)) ||
	    (x->table == WITH_0F && x->op >> 4 == 8));
}

/* Whether a target is new.  *fails: it was reached before with another stack pointer. */
static bool
is_new_target(struct code_run *r, const struct code_way *w, bool *fails)
{
	for (size_t i = 0; i < r->nseen; i++)
		if (r->seen[i][0] == w->pc) {
			*fails = r->seen[i][1] != w->value[RSP];
			return false;
		}
	if (r->nseen < SEEN_MAX) {
		r->seen[r->nseen][0] = w->pc;
		r->seen[r->nseen++][1] = w->value[RSP];
	}
	return true;
}

/* Takes the jump, and leaves the way without it for later, which comes first. */
static enum way_goes
take_jump_of(struct code_run *r, struct code_way *w, const struct instruction *x,
    bool always)
{
	struct code_way to = *w;
	bool fails = false;

	to.pc += (uint64_t)x->number;
	if (is_new_target(r, &to, &fails)) {
		if (always) {
			*w = to;
			return WAY_ON;
		}
		if (r->nways < WAYS_MAX)
			r->ways[r->nways++] = to;
	}
	return fails ? WAY_FAILS : always ? WAY_ENDS : WAY_ON;
}

/* Whether the code at an address is there.  False if too much was read. */
static bool
have_code(struct code_run *r, uint64_t pc)
{
	size_t page = PAGE_SIZE - pc % PAGE_SIZE;

	if (pc >= r->code_at && pc - r->code_at + INSTRUCTION_MAX <= r->code_len)
		return true;
	if (r->reads++ == READS_MAX)
		return false;
	memset(r->code, 0, sizeof(r->code));
	r->code_at = pc;
	r->code_len = PIECE;
	if (r->tables->read_code(r->tables, pc, r->code, PIECE))
		return true;
	r->code_len = page < PIECE ? page : PIECE;
	return r->tables->read_code(r->tables, pc, r->code, r->code_len);
}

static enum way_goes
step_way(struct code_run *r, struct code_way *w)
{
	struct instruction x;
	bool always;

	if (!have_code(r, w->pc) ||
	    !instruction_take(&x, r->code + (w->pc - r->code_at)))
		return WAY_FAILS;
	w->pc += x.len;
	if (is_jump_to(&x, &always))
		return take_jump_of(r, w, &x, always);
	if (x.table == WITH_0F && !x.vector && (x.op == 0x0b || x.op == 0xb9))
		return WAY_ENDS;
	return x.table == ONE_BYTE && !x.vector ? run_one_byte(r, w, &x) :
						 run_other(w, &x);
}

/* Whether a way has come to the same return as the first one; keeps of that one what both
 * know. */
static bool
agrees(struct code_run *r, const struct code_way *w)
{
	if (r->returns++ == 0) {
		r->end = *w;
		return true;
	}
	for (unsigned i = 0; i < REGISTERS; i++)
		if (knows(&r->end, i) && (!knows(w, i) ||
			w->value[i] != r->end.value[i])) {
			if (i == RSP || i == RBP)
				return false;
			lose(&r->end, i);
		}
	return true;
}

/* Takes the way with the fewest calls, of which one may lead to no return, so that what is
 * behind it is another function.  False if there is none, or if others with fewer calls
 * have come to a return. */
static bool
take_way(struct code_run *r, struct code_way *w)
{
	size_t best = r->nways;

	for (size_t i = r->nways; i-- > 0;)
		if (best == r->nways || r->ways[i].calls < r->ways[best].calls)
			best = i;
	if (best == r->nways || r->ways[best].calls > CALLS_MAX ||
	    (r->returns > 0 && r->ways[best].calls > r->end.calls))
		return false;
	*w = r->ways[best];
	r->ways[best] = r->ways[--r->nways];
	return true;
}

/* Goes all ways.  False if one of them makes no sense, or is at odds with another one. */
static bool
go_ways(struct code_run *r)
{
	unsigned steps = 0;
	struct code_way w;

	while (r->returns < RETURNS_MAX && take_way(r, &w)) {
		enum way_goes goes = WAY_ON;
		while (goes == WAY_ON && steps++ < STEPS_MAX)
			goes = step_way(r, &w);
		if (goes == WAY_ON) /* too far */
			break;
		if (goes == WAY_CALLS && r->nways < WAYS_MAX)
			r->ways[r->nways++] = w;
		if (goes == WAY_FAILS || (goes == WAY_RETURNS && !agrees(r, &w)))
			return false;
	}
	return r->returns > 0;
}

/* ---- the caller ---------------------------------------------------------- */

static void
begin_way(struct code_run *r, const struct unwind_registers *from)
{
	struct code_way *w = &r->ways[r->nways++];

	w->pc = from->pc;
	for (unsigned i = 0; i < REGISTERS; i++)
		if ((from->known >> dwarf_numbers[i] & 1) != 0)
			learn(w, i, from->value[dwarf_numbers[i]]);
	r->low = w->value[RSP];
}

/* The registers of the caller are those that calls keep. */
static bool
take_caller(const struct code_run *r, struct unwind_registers *to, uint64_t *cfa)
{
	const struct code_way *w = &r->end;
	uint64_t pc;

	if (!read_frame(r, w, w->value[RSP], &pc))
		return false;
	*cfa = w->value[RSP] + WORD;
	to->pc = pc;
	to->known = 0;
	for (unsigned i = 0; i < REGISTERS; i++)
		if ((KEPT_BY_CALLS >> i & 1) != 0 && knows(w, i)) {
			to->value[dwarf_numbers[i]] = i == RSP ? *cfa : w->value[i];
			to->known |= UINT64_C(1) << dwarf_numbers[i];
		}
	return true;
}

bool
coderun_leave(const struct unwind_tables *t, struct native_stack *stack,
    struct unwind_registers *at, uint64_t *cfa)
{
	struct code_run r;

	if (t->machine != &cfi_x86_64 || t->read_code == NULL ||
	    (at->known >> dwarf_numbers[RSP] & 1) == 0)
		return false;
	/* Only the first way is made here: most of it is never used. */
	r.tables = t;
	r.stack = stack;
	r.nways = r.nseen = r.returns = r.code_len = 0;
	r.reads = 0;
	r.code_at = 0;
	r.ways[0] = (struct code_way){0};
	begin_way(&r, at);
	return go_ways(&r) && take_caller(&r, at, cfa);
}
