/* SPDX-License-Identifier: ISC */
/* effects_3_6.c: made by mkdepths from CPython 3.6; do not edit. */
#include "python/depths.h"

static const struct py_effects py_effects_3_6 = {
	.minor = 6,
	.bytes = true,
	.shares = true,
	.opcodes = {
		/* POP_TOP */
		[1] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 1, .change = -1, .call = 1, .operator = PY_DROP},
		/* ROT_TWO */
		[2] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 2, .change = 0},
		/* ROT_THREE */
		[3] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 3, .change = 0},
		/* DUP_TOP */
		[4] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 4, .change = 1},
		/* DUP_TOP_TWO */
		[5] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 5, .change = 2},
		/* NOP */
		[9] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 9, .change = 0},
		/* UNARY_POSITIVE */
		[10] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 10, .change = 0, .call = 1, .operator = PY_POSITIVE},
		/* UNARY_NEGATIVE */
		[11] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 11, .change = 0, .call = 1, .operator = PY_NEGATIVE},
		/* UNARY_NOT */
		[12] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 12, .change = 0},
		/* UNARY_INVERT */
		[15] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 15, .change = 0, .call = 1, .operator = PY_INVERT},
		/* BINARY_MATRIX_MULTIPLY */
		[16] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 16, .change = -1, .call = 2, .operator = PY_MATRIX_MULTIPLY},
		/* INPLACE_MATRIX_MULTIPLY */
		[17] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 17, .change = -1, .call = 2, .operator = PY_INPLACE_MATRIX_MULTIPLY},
		/* BINARY_POWER */
		[19] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 19, .change = -1, .call = 2, .operator = PY_POWER},
		/* BINARY_MULTIPLY */
		[20] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 20, .change = -1, .call = 2, .operator = PY_MULTIPLY},
		/* BINARY_MODULO */
		[22] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 22, .change = -1, .call = 2, .operator = PY_MODULO},
		/* BINARY_ADD */
		[23] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 23, .change = -1, .call = 2, .operator = PY_ADD},
		/* BINARY_SUBTRACT */
		[24] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 24, .change = -1, .call = 2, .operator = PY_SUBTRACT},
		/* BINARY_SUBSCR */
		[25] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 25, .change = -1, .call = 2, .operator = PY_GETITEM},
		/* BINARY_FLOOR_DIVIDE */
		[26] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 26, .change = -1, .call = 2, .operator = PY_FLOOR_DIVIDE},
		/* BINARY_TRUE_DIVIDE */
		[27] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 27, .change = -1, .call = 2, .operator = PY_TRUE_DIVIDE},
		/* INPLACE_FLOOR_DIVIDE */
		[28] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 28, .change = -1, .call = 2, .operator = PY_INPLACE_FLOOR_DIVIDE},
		/* INPLACE_TRUE_DIVIDE */
		[29] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 29, .change = -1, .call = 2, .operator = PY_INPLACE_TRUE_DIVIDE},
		/* GET_AITER */
		[50] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 50, .change = 0},
		/* GET_ANEXT */
		[51] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 51, .change = 1},
		/* BEFORE_ASYNC_WITH */
		[52] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 52, .change = 1},
		/* INPLACE_ADD */
		[55] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 55, .change = -1, .call = 2, .operator = PY_INPLACE_ADD},
		/* INPLACE_SUBTRACT */
		[56] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 56, .change = -1, .call = 2, .operator = PY_INPLACE_SUBTRACT},
		/* INPLACE_MULTIPLY */
		[57] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 57, .change = -1, .call = 2, .operator = PY_INPLACE_MULTIPLY},
		/* INPLACE_MODULO */
		[59] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 59, .change = -1, .call = 2, .operator = PY_INPLACE_MODULO},
		/* STORE_SUBSCR */
		[60] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 60, .change = -3, .call = 2, .operator = PY_SETITEM},
		/* DELETE_SUBSCR */
		[61] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 61, .change = -2, .call = 2, .operator = PY_DELITEM},
		/* BINARY_LSHIFT */
		[62] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 62, .change = -1, .call = 2, .operator = PY_LSHIFT},
		/* BINARY_RSHIFT */
		[63] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 63, .change = -1, .call = 2, .operator = PY_RSHIFT},
		/* BINARY_AND */
		[64] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 64, .change = -1, .call = 2, .operator = PY_AND},
		/* BINARY_XOR */
		[65] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 65, .change = -1, .call = 2, .operator = PY_XOR},
		/* BINARY_OR */
		[66] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 66, .change = -1, .call = 2, .operator = PY_OR},
		/* INPLACE_POWER */
		[67] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 67, .change = -1, .call = 2, .operator = PY_INPLACE_POWER},
		/* GET_ITER */
		[68] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 68, .change = 0},
		/* GET_YIELD_FROM_ITER */
		[69] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 69, .change = 0},
		/* PRINT_EXPR */
		[70] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 70, .change = -1},
		/* LOAD_BUILD_CLASS */
		[71] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 71, .change = 1},
		/* YIELD_FROM */
		[72] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 72, .change = -1},
		/* GET_AWAITABLE */
		[73] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 73, .change = 0},
		/* INPLACE_LSHIFT */
		[75] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 75, .change = -1, .call = 2, .operator = PY_INPLACE_LSHIFT},
		/* INPLACE_RSHIFT */
		[76] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 76, .change = -1, .call = 2, .operator = PY_INPLACE_RSHIFT},
		/* INPLACE_AND */
		[77] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 77, .change = -1, .call = 2, .operator = PY_INPLACE_AND},
		/* INPLACE_XOR */
		[78] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 78, .change = -1, .call = 2, .operator = PY_INPLACE_XOR},
		/* INPLACE_OR */
		[79] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 79, .change = -1, .call = 2, .operator = PY_INPLACE_OR},
		/* BREAK_LOOP */
		[80] = {.flow = PY_FLOW_KNOWN, .base = 80, .change = 0},
		/* WITH_CLEANUP_START */
		[81] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_EXIT, .base = 81, .change = 1},
		/* WITH_CLEANUP_FINISH */
		[82] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 82, .change = -2},
		/* RETURN_VALUE */
		[83] = {.flow = PY_FLOW_KNOWN, .base = 83, .change = -1},
		/* IMPORT_STAR */
		[84] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 84, .change = -1},
		/* SETUP_ANNOTATIONS */
		[85] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 85, .change = 0},
		/* YIELD_VALUE */
		[86] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 86, .change = 0},
		/* POP_BLOCK */
		[87] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_DROPS, .base = 87, .change = 0},
		/* END_FINALLY */
		[88] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_ENDS, .base = 88, .change = 0},
		/* POP_EXCEPT */
		[89] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_HANDLED, .base = 89, .change = -3},
		/* STORE_NAME */
		[90] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 90, .change = -1},
		/* DELETE_NAME */
		[91] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 91, .change = 0},
		/* UNPACK_SEQUENCE */
		[92] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 92, .change = -1, .times = 1, .operand = PY_OPERAND_WHOLE},
		/* FOR_ITER */
		[93] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 93, .change = 1, .jump = -1, .call = 1, .operator = PY_NEXT},
		/* UNPACK_EX */
		[94] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 94, .change = 0, .times = 1, .operand = PY_OPERAND_BYTES},
		/* STORE_ATTR */
		[95] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 95, .change = -2},
		/* DELETE_ATTR */
		[96] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 96, .change = -1},
		/* STORE_GLOBAL */
		[97] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 97, .change = -1},
		/* DELETE_GLOBAL */
		[98] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 98, .change = 0},
		/* LOAD_CONST */
		[100] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 100, .change = 1},
		/* LOAD_NAME */
		[101] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 101, .change = 1},
		/* BUILD_TUPLE */
		[102] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 102, .change = 1, .times = -1, .operand = PY_OPERAND_WHOLE},
		/* BUILD_LIST */
		[103] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 103, .change = 1, .times = -1, .operand = PY_OPERAND_WHOLE},
		/* BUILD_SET */
		[104] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 104, .change = 1, .times = -1, .operand = PY_OPERAND_WHOLE},
		/* BUILD_MAP */
		[105] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 105, .change = 1, .times = -2, .operand = PY_OPERAND_WHOLE},
		/* LOAD_ATTR */
		[106] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 106, .change = 0},
		/* COMPARE_OP */
		[107] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 107, .change = -1, .call = 2, .operator = PY_LT, .select = 1},
		/* IMPORT_NAME */
		[108] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 108, .change = -1},
		/* IMPORT_FROM */
		[109] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 109, .change = 1},
		/* JUMP_FORWARD */
		[110] = {.flow = PY_FLOW_KNOWN | PY_FLOW_FORWARD, .base = 110, .change = 0, .jump = 0},
		/* JUMP_IF_FALSE_OR_POP */
		[111] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_ABSOLUTE, .base = 111, .change = -1, .jump = 0},
		/* JUMP_IF_TRUE_OR_POP */
		[112] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_ABSOLUTE, .base = 112, .change = -1, .jump = 0},
		/* JUMP_ABSOLUTE */
		[113] = {.flow = PY_FLOW_KNOWN | PY_FLOW_ABSOLUTE, .base = 113, .change = 0, .jump = 0},
		/* POP_JUMP_IF_FALSE */
		[114] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_ABSOLUTE, .base = 114, .change = -1, .jump = -1},
		/* POP_JUMP_IF_TRUE */
		[115] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_ABSOLUTE, .base = 115, .change = -1, .jump = -1},
		/* LOAD_GLOBAL */
		[116] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 116, .change = 1},
		/* CONTINUE_LOOP */
		[119] = {.flow = PY_FLOW_KNOWN, .base = 119, .change = 0, .jump = 0},
		/* SETUP_LOOP */
		[120] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 120, .change = 0, .jump = 0},
		/* SETUP_EXCEPT */
		[121] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 121, .change = 0, .jump = 6},
		/* SETUP_FINALLY */
		[122] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD | PY_FLOW_SHARES | PY_FLOW_RAISES, .base = 122, .change = 0, .jump = 6},
		/* LOAD_FAST */
		[124] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 124, .change = 1},
		/* STORE_FAST */
		[125] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 125, .change = -1},
		/* DELETE_FAST */
		[126] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 126, .change = 0},
		/* STORE_ANNOTATION */
		[127] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 127, .change = -1},
		/* RAISE_VARARGS */
		[130] = {.flow = PY_FLOW_KNOWN, .base = 130, .change = 0, .times = -1, .operand = PY_OPERAND_WHOLE},
		/* CALL_FUNCTION */
		[131] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 131, .change = 0, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 1 | PY_CALL_WHOLE},
		/* MAKE_FUNCTION */
		[132] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 132, .change = -1, .times = -1, .operand = PY_OPERAND_FLAGS},
		/* BUILD_SLICE */
		[133] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 133, .change = -1, .times = -1, .operand = PY_OPERAND_IS_3},
		/* LOAD_CLOSURE */
		[135] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 135, .change = 1},
		/* LOAD_DEREF */
		[136] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 136, .change = 1},
		/* STORE_DEREF */
		[137] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 137, .change = -1},
		/* DELETE_DEREF */
		[138] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 138, .change = 0},
		/* CALL_FUNCTION_KW */
		[141] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 141, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* CALL_FUNCTION_EX */
		[142] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 142, .change = -1, .times = -1, .operand = PY_OPERAND_LOW, .call = 2 | PY_CALL_LOW},
		/* SETUP_WITH */
		[143] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD | PY_FLOW_SHARES, .base = 143, .change = 1, .jump = 1, .call = 1, .operator = PY_ENTER},
		/* EXTENDED_ARG */
		[144] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_EXTENDS, .base = 144, .change = 0},
		/* LIST_APPEND */
		[145] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 145, .change = -1},
		/* SET_ADD */
		[146] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 146, .change = -1},
		/* MAP_ADD */
		[147] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 147, .change = -2},
		/* LOAD_CLASSDEREF */
		[148] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 148, .change = 1},
		/* BUILD_LIST_UNPACK */
		[149] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 149, .change = 1, .times = -1, .operand = PY_OPERAND_WHOLE},
		/* BUILD_MAP_UNPACK */
		[150] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 150, .change = 1, .times = -1, .operand = PY_OPERAND_WHOLE},
		/* BUILD_MAP_UNPACK_WITH_CALL */
		[151] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 151, .change = 1, .times = -1, .operand = PY_OPERAND_WHOLE},
		/* BUILD_TUPLE_UNPACK */
		[152] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 152, .change = 1, .times = -1, .operand = PY_OPERAND_WHOLE},
		/* BUILD_SET_UNPACK */
		[153] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 153, .change = 1, .times = -1, .operand = PY_OPERAND_WHOLE},
		/* SETUP_ASYNC_WITH */
		[154] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD | PY_FLOW_SHARES, .base = 154, .change = 0, .jump = 0},
		/* FORMAT_VALUE */
		[155] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 155, .change = 0, .times = -1, .operand = PY_OPERAND_BIT_2},
		/* BUILD_CONST_KEY_MAP */
		[156] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 156, .change = 0, .times = -1, .operand = PY_OPERAND_WHOLE},
		/* BUILD_STRING */
		[157] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 157, .change = 1, .times = -1, .operand = PY_OPERAND_WHOLE},
		/* BUILD_TUPLE_UNPACK_WITH_CALL */
		[158] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 158, .change = 1, .times = -1, .operand = PY_OPERAND_WHOLE},
	},
};
