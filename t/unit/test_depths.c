/* SPDX-License-Identifier: ISC */
/*
 * test_depths.c: depths and callables in bytecode that is written here: what compilers
 * do not make, or t/python/depths.py cannot see while it runs.
 */
#include <string.h>

#include "opcodes/opcodes.h"
#include "profile.h"
#include "python/depths.h"

#define UNITS_MAX 64

static struct {
	const struct py_effects *effects;
	uint16_t units[UNITS_MAX];
	size_t n;
	int16_t depths[UNITS_MAX];
} code;

static void
begin(unsigned minor)
{
	code.effects = py_effects_find(minor);
	check(code.effects != NULL);
	code.n = 0;
}

static uint8_t
opcode(const char *name)
{
	struct tach_meta meta = {.python = {3, code.effects->minor}};
	int found = opcodes_find(&meta, name, strlen(name));

	check(found >= 0);
	return (uint8_t)found;
}

/* Adds an instruction, and its caches, which have this content. */
static void
add(const char *name, uint8_t operand, uint16_t cache)
{
	uint8_t op = opcode(name);

	code.units[code.n++] = (uint16_t)(operand << 8 | op);
	for (int i = 0; i < code.effects->opcodes[op].caches; i++)
		code.units[code.n++] = cache;
}

static void
find(const void *table, size_t len)
{
	memset(code.depths, 0x5a, sizeof(code.depths));
	check(depths_find(code.effects, code.units, code.n, table, len,
	    code.depths));
}

/* The depths of the first units are these. */
#define check_depths(...) do {                                                 \
	static const int16_t want[] = {__VA_ARGS__};                           \
	check_number(code.n, sizeof(want) / sizeof(*want));                    \
	for (size_t i = 0; i < code.n; i++)                                    \
		check_number((uint64_t)code.depths[i], (uint64_t)want[i]);     \
} while (0)

static void
test_paths(void)
{
	begin(9);
	add("LOAD_FAST", 0, 0);
	add("POP_JUMP_IF_FALSE", 8, 0); /* 8 bytes: to unit 4 */
	add("LOAD_FAST", 0, 0);
	add("JUMP_FORWARD", 0, 0);
	add("LOAD_FAST", 0, 0); /* with 0 and with 1 below it */
	add("POP_TOP", 0, 0);
	find(NULL, 0);
	check_depths(0, 1, 0, 1, -1, -1);

	begin(9);
	add("JUMP_ABSOLUTE", 4, 0);
	add("LOAD_FAST", 0, 0); /* no path leads here */
	add("POP_TOP", 0, 0);	/* nor beyond this: there is nothing to pop */
	add("LOAD_FAST", 0, 0);
	find(NULL, 0);
	check_depths(0, -1, 0, -1);

	begin(10);
	add("GEN_START", 0, 0);
	add("LOAD_FAST", 0, 0);
	add("EXTENDED_ARG", 255, 0); /* more than fit into 16 bits */
	add("UNPACK_SEQUENCE", 255, 0);
	add("RETURN_VALUE", 0, 0);
	find(NULL, 0);
	check_depths(1, 0, 1, 1, -1);
}

static void
test_shared(void)
{
	begin(6);
	add("SETUP_FINALLY", 8, 0);
	add("LOAD_CONST", 0, 0);
	add("POP_TOP", 0, 0);
	add("POP_BLOCK", 0, 0);
	add("LOAD_CONST", 0, 0);
	add("LOAD_CONST", 0, 0); /* the body of the finally */
	add("POP_TOP", 0, 0);
	add("END_FINALLY", 0, 0);
	add("LOAD_CONST", 0, 0);
	add("RETURN_VALUE", 0, 0);
	find(NULL, 0);
	check_depths(0, 0, 1, 0, 0, -1, -1, -1, 0, 1);
}

/* The end of an async for: in 3.6.5 POP_BLOCK pops the iterator, in 3.6.15 POP_TOP. */
static void
test_async_for(void)
{
	begin(6);
	add("LOAD_FAST", 0, 0);
	add("SETUP_EXCEPT", 4, 0);
	add("POP_BLOCK", 0, 0);
	add("RETURN_VALUE", 0, 0);
	add("POP_TOP", 0, 0); /* the handler */
	add("POP_TOP", 0, 0);
	add("POP_TOP", 0, 0);
	add("POP_EXCEPT", 0, 0);
	add("POP_BLOCK", 0, 0);
	add("LOAD_CONST", 0, 0);
	add("RETURN_VALUE", 0, 0);
	find(NULL, 0);
	check_depths(0, 1, 1, 1, 7, 6, 5, 4, 1, 0, 1);
	code.n -= 3;
	add("POP_TOP", 0, 0);
	add("POP_BLOCK", 0, 0);
	add("LOAD_CONST", 0, 0);
	find(NULL, 0);
	check_depths(0, 1, 1, 1, 7, 6, 5, 4, 1, 0, 0);
}

/* An opcode that hides another one ends its path only. */
static void
test_hidden(void)
{
	static const uint8_t table[] = {0x80 | 1, 1, 6, 1 << 1 | 1};

	begin(12);
	add("LOAD_FAST", 0, 0);
	add("POP_JUMP_IF_FALSE", 2, 0);
	add("INSTRUMENTED_LINE", 0, 0);
	add("LOAD_FAST", 0, 0);
	add("LOAD_FAST", 0, 0);
	add("INSTRUMENTED_RETURN_VALUE", 0, 0);
	add("PUSH_EXC_INFO", 0, 0);
	find(table, sizeof(table));
	check_depths(0, 1, 0, -1, 0, 1, 3);
	find(table, sizeof(table) - 1); /* cut: no handler */
	check_number((uint64_t)code.depths[6], (uint64_t)DEPTH_UNKNOWN);
	check_number(opcode_base(code.effects, opcode("INSTRUMENTED_LINE")),
	    opcode("INSTRUMENTED_LINE"));
	check_number(opcode_base(code.effects, opcode("CALL_NO_KW_LEN")),
	    opcode("CALL"));
	begin(15);
	check_number(opcode_base(code.effects, opcode("CALL_EX_NON_PY_GENERAL")),
	    opcode("CALL_FUNCTION_EX"));
	add("RESUME", 0, 0);
	find(NULL, 0);
	check_number((uint64_t)code.depths[0], 0);
	check(py_effects_find(5) == NULL);
}

static void
check_places(size_t unit, int count, int first)
{
	int places[2];

	check_number((uint64_t)call_places(code.effects, code.units, code.n,
	    (int64_t)unit, places), (uint64_t)count);
	check(count == 0 || places[0] == first);
	check(count < 2 || places[1] == first - 1);
}

static void
check_operator(const char *name, uint8_t operand, int place, enum py_operator want)
{
	size_t unit = code.n;

	add(name, operand, 0);
	check_places(unit, 1, place);
	check_number(operator_at(code.effects, code.units, code.n, (int64_t)unit), want);
}

static void
test_operators(void)
{
	begin(15);
	check_operator("BINARY_OP", 8, 2, PY_POWER);
	check_operator("BINARY_OP_ADD_INT", 13, 2, PY_INPLACE_ADD);
	check_operator("BINARY_OP", 26, 2, PY_GETITEM);
	check_operator("COMPARE_OP", 5 << 5 | 18, 2, PY_GE);
	check_operator("CONTAINS_OP", 1, 2, PY_CONTAINS);
	check_operator("STORE_SLICE", 0, 3, PY_SETSLICE);
	check_operator("FOR_ITER_LIST", 9, 2, PY_NEXT);
	check_operator("POP_ITER", 0, 2, PY_DROP);
	check_operator("CALL", 0, 2, PY_CALL);
	begin(13);
	check_operator("FOR_ITER", 9, 1, PY_NEXT);
	check_operator("COMPARE_OP", 2 << 5, 2, PY_EQ);
	check_operator("BEFORE_WITH", 0, 1, PY_ENTER);
	begin(12);
	check_operator("COMPARE_OP", 2 << 4, 2, PY_EQ);
	begin(8);
	check_operator("INPLACE_MATRIX_MULTIPLY", 0, 2, PY_INPLACE_MATRIX_MULTIPLY);
	check_operator("COMPARE_OP", 3, 2, PY_NE);
	check_operator("COMPARE_OP", 7, 2, PY_CONTAINS_NOT);
	check_operator("COMPARE_OP", 8, 2, PY_OPERATORS); /* is */
	check_operator("SETUP_WITH", 9, 1, PY_ENTER);
}

/* A cache may look like an EXTENDED_ARG. */
static void
test_calls(void)
{
	size_t call;

	begin(12);
	add("BINARY_OP", 0, (uint16_t)(7 << 8 | opcode("EXTENDED_ARG")));
	call = code.n;
	add("CALL", 3, 0);
	check_places(call, 2, 5);
	check_places(0, 1, 2);
	check_places(code.n, 0, 0);
	add("EXTENDED_ARG", 1, 0);
	call = code.n;
	add("CALL_PY_EXACT_ARGS", 3, 0);
	check_places(call, 2, 0x103 + 2);
	/* What lies before is not known now. */
	code.units[0] = opcode("INSTRUMENTED_LINE");
	check_places(call, 0, 0);
	check_places(2, 0, 0);

	begin(13);
	add("CALL_KW", 2, 0);
	add("CALL_FUNCTION_EX", 1, 0);
	add("CALL_FUNCTION_EX", 0, 0);
	check_places(0, 1, 5);
	check_places(code.n - 2, 1, 4);
	check_places(code.n - 1, 1, 3);
	begin(9);
	add("CALL_METHOD", 0, 0);
	check_places(0, 2, 2);
	add("EXTENDED_ARG", 255, 0);
	add("EXTENDED_ARG", 255, 0);
	add("EXTENDED_ARG", 255, 0);
	add("CALL_FUNCTION", 255, 0); /* more than a stack can hold */
	check_places(4, 0, 0);
}

int
main(void)
{
	test_paths();
	test_shared();
	test_async_for();
	test_hidden();
	test_calls();
	test_operators();
	return failures != 0;
}
