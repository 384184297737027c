/* SPDX-License-Identifier: ISC */
/* effects_3_13.c: made by mkdepths from CPython 3.13; do not edit. */
#include "python/depths.h"

static const struct py_effects py_effects_3_13 = {
	.minor = 13,
	.opcodes = {
		/* BEFORE_ASYNC_WITH */
		[1] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 1, .change = 1},
		/* BEFORE_WITH */
		[2] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 2, .change = 1, .call = 1, .operator = PY_ENTER},
		/* BINARY_OP_INPLACE_ADD_UNICODE */
		[3] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 45, .caches = 1, .change = -1, .call = 2, .operator = PY_ADD, .select = 1},
		/* BINARY_SLICE */
		[4] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 4, .change = -2, .call = 3, .operator = PY_GETSLICE},
		/* BINARY_SUBSCR */
		[5] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 5, .caches = 1, .change = -1, .call = 2, .operator = PY_GETITEM},
		/* CHECK_EG_MATCH */
		[6] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 6, .change = 0},
		/* CHECK_EXC_MATCH */
		[7] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 7, .change = 0},
		/* CLEANUP_THROW */
		[8] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 8, .change = -1},
		/* DELETE_SUBSCR */
		[9] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 9, .change = -2, .call = 2, .operator = PY_DELITEM},
		/* END_ASYNC_FOR */
		[10] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 10, .change = -2},
		/* END_FOR */
		[11] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 11, .change = -1},
		/* END_SEND */
		[12] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 12, .change = -1},
		/* EXIT_INIT_CHECK */
		[13] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 13, .change = -1},
		/* FORMAT_SIMPLE */
		[14] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 14, .change = 0},
		/* FORMAT_WITH_SPEC */
		[15] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 15, .change = -1},
		/* GET_AITER */
		[16] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 16, .change = 0},
		/* GET_ANEXT */
		[18] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 18, .change = 1},
		/* GET_ITER */
		[19] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 19, .change = 0},
		/* GET_LEN */
		[20] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 20, .change = 1},
		/* GET_YIELD_FROM_ITER */
		[21] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 21, .change = 0},
		/* INTERPRETER_EXIT */
		[22] = {.flow = PY_FLOW_KNOWN, .base = 22, .change = -1},
		/* LOAD_ASSERTION_ERROR */
		[23] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 23, .change = 1},
		/* LOAD_BUILD_CLASS */
		[24] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 24, .change = 1},
		/* LOAD_LOCALS */
		[25] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 25, .change = 1},
		/* MAKE_FUNCTION */
		[26] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 26, .change = 0},
		/* MATCH_KEYS */
		[27] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 27, .change = 1},
		/* MATCH_MAPPING */
		[28] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 28, .change = 1},
		/* MATCH_SEQUENCE */
		[29] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 29, .change = 1},
		/* NOP */
		[30] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 30, .change = 0},
		/* POP_EXCEPT */
		[31] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 31, .change = -1},
		/* POP_TOP */
		[32] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 32, .change = -1, .call = 1, .operator = PY_DROP},
		/* PUSH_EXC_INFO */
		[33] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 33, .change = 1},
		/* PUSH_NULL */
		[34] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 34, .change = 1},
		/* RETURN_GENERATOR */
		[35] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 35, .change = 1},
		/* RETURN_VALUE */
		[36] = {.flow = PY_FLOW_KNOWN, .base = 36, .change = -1},
		/* SETUP_ANNOTATIONS */
		[37] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 37, .change = 0},
		/* STORE_SLICE */
		[38] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 38, .change = -4, .call = 3, .operator = PY_SETSLICE},
		/* STORE_SUBSCR */
		[39] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 39, .caches = 1, .change = -3, .call = 2, .operator = PY_SETITEM},
		/* TO_BOOL */
		[40] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 40, .caches = 3, .change = 0},
		/* UNARY_INVERT */
		[41] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 41, .change = 0, .call = 1, .operator = PY_INVERT},
		/* UNARY_NEGATIVE */
		[42] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 42, .change = 0, .call = 1, .operator = PY_NEGATIVE},
		/* UNARY_NOT */
		[43] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 43, .change = 0},
		/* WITH_EXCEPT_START */
		[44] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 44, .change = 1},
		/* BINARY_OP */
		[45] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 45, .caches = 1, .change = -1, .call = 2, .operator = PY_ADD, .select = 1},
		/* BUILD_CONST_KEY_MAP */
		[46] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 46, .change = 0, .times = -1, .operand = PY_OPERAND_WHOLE},
		/* BUILD_LIST */
		[47] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 47, .change = 1, .times = -1, .operand = PY_OPERAND_WHOLE},
		/* BUILD_MAP */
		[48] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 48, .change = 1, .times = -2, .operand = PY_OPERAND_WHOLE},
		/* BUILD_SET */
		[49] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 49, .change = 1, .times = -1, .operand = PY_OPERAND_WHOLE},
		/* BUILD_SLICE */
		[50] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 50, .change = -1, .times = -1, .operand = PY_OPERAND_IS_3},
		/* BUILD_STRING */
		[51] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 51, .change = 1, .times = -1, .operand = PY_OPERAND_WHOLE},
		/* BUILD_TUPLE */
		[52] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 52, .change = 1, .times = -1, .operand = PY_OPERAND_WHOLE},
		/* CALL */
		[53] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 53, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* CALL_FUNCTION_EX */
		[54] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 54, .change = -2, .times = -1, .operand = PY_OPERAND_LOW, .call = 3 | PY_CALL_LOW},
		/* CALL_INTRINSIC_1 */
		[55] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 55, .change = 0},
		/* CALL_INTRINSIC_2 */
		[56] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 56, .change = -1},
		/* CALL_KW */
		[57] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 57, .change = -2, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 3 | PY_CALL_WHOLE},
		/* COMPARE_OP */
		[58] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 58, .caches = 1, .change = -1, .call = 2, .operator = PY_LT, .select = 6},
		/* CONTAINS_OP */
		[59] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 59, .caches = 1, .change = -1, .call = 2, .operator = PY_CONTAINS},
		/* CONVERT_VALUE */
		[60] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 60, .change = 0},
		/* COPY */
		[61] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 61, .change = 1},
		/* COPY_FREE_VARS */
		[62] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 62, .change = 0},
		/* DELETE_ATTR */
		[63] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 63, .change = -1},
		/* DELETE_DEREF */
		[64] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 64, .change = 0},
		/* DELETE_FAST */
		[65] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 65, .change = 0},
		/* DELETE_GLOBAL */
		[66] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 66, .change = 0},
		/* DELETE_NAME */
		[67] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 67, .change = 0},
		/* DICT_MERGE */
		[68] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 68, .change = -1},
		/* DICT_UPDATE */
		[69] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 69, .change = -1},
		/* EXTENDED_ARG */
		[71] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_EXTENDS, .base = 71, .change = 0},
		/* FOR_ITER */
		[72] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 72, .caches = 1, .change = 1, .jump = 1, .call = 1, .operator = PY_NEXT},
		/* GET_AWAITABLE */
		[73] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 73, .change = 0},
		/* IMPORT_FROM */
		[74] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 74, .change = 1},
		/* IMPORT_NAME */
		[75] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 75, .change = -1},
		/* IS_OP */
		[76] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 76, .change = -1},
		/* JUMP_BACKWARD */
		[77] = {.flow = PY_FLOW_KNOWN | PY_FLOW_BACKWARD, .base = 77, .caches = 1, .change = 0, .jump = 0},
		/* JUMP_BACKWARD_NO_INTERRUPT */
		[78] = {.flow = PY_FLOW_KNOWN | PY_FLOW_BACKWARD, .base = 78, .change = 0, .jump = 0},
		/* JUMP_FORWARD */
		[79] = {.flow = PY_FLOW_KNOWN | PY_FLOW_FORWARD, .base = 79, .change = 0, .jump = 0},
		/* LIST_APPEND */
		[80] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 80, .change = -1},
		/* LIST_EXTEND */
		[81] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 81, .change = -1},
		/* LOAD_ATTR */
		[82] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 82, .caches = 9, .change = 0, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_CONST */
		[83] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 83, .change = 1},
		/* LOAD_DEREF */
		[84] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 84, .change = 1},
		/* LOAD_FAST */
		[85] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 85, .change = 1},
		/* LOAD_FAST_AND_CLEAR */
		[86] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 86, .change = 1},
		/* LOAD_FAST_CHECK */
		[87] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 87, .change = 1},
		/* LOAD_FAST_LOAD_FAST */
		[88] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 88, .change = 2},
		/* LOAD_FROM_DICT_OR_DEREF */
		[89] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 89, .change = 0},
		/* LOAD_FROM_DICT_OR_GLOBALS */
		[90] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 90, .change = 0},
		/* LOAD_GLOBAL */
		[91] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 91, .caches = 4, .change = 1, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_NAME */
		[92] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 92, .change = 1},
		/* LOAD_SUPER_ATTR */
		[93] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 93, .caches = 1, .change = -2, .times = 1, .operand = PY_OPERAND_LOW},
		/* MAKE_CELL */
		[94] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 94, .change = 0},
		/* MAP_ADD */
		[95] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 95, .change = -2},
		/* MATCH_CLASS */
		[96] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 96, .change = -2},
		/* POP_JUMP_IF_FALSE */
		[97] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 97, .caches = 1, .change = -1, .jump = -1},
		/* POP_JUMP_IF_NONE */
		[98] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 98, .caches = 1, .change = -1, .jump = -1},
		/* POP_JUMP_IF_NOT_NONE */
		[99] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 99, .caches = 1, .change = -1, .jump = -1},
		/* POP_JUMP_IF_TRUE */
		[100] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 100, .caches = 1, .change = -1, .jump = -1},
		/* RAISE_VARARGS */
		[101] = {.flow = PY_FLOW_KNOWN, .base = 101, .change = 0, .times = -1, .operand = PY_OPERAND_WHOLE},
		/* RERAISE */
		[102] = {.flow = PY_FLOW_KNOWN, .base = 102, .change = -1},
		/* RETURN_CONST */
		[103] = {.flow = PY_FLOW_KNOWN, .base = 103, .change = 0},
		/* SEND */
		[104] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 104, .caches = 1, .change = 0, .jump = 0},
		/* SET_ADD */
		[105] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 105, .change = -1},
		/* SET_FUNCTION_ATTRIBUTE */
		[106] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 106, .change = -1},
		/* SET_UPDATE */
		[107] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 107, .change = -1},
		/* STORE_ATTR */
		[108] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 108, .caches = 4, .change = -2},
		/* STORE_DEREF */
		[109] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 109, .change = -1},
		/* STORE_FAST */
		[110] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 110, .change = -1},
		/* STORE_FAST_LOAD_FAST */
		[111] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 111, .change = 0},
		/* STORE_FAST_STORE_FAST */
		[112] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 112, .change = -2},
		/* STORE_GLOBAL */
		[113] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 113, .change = -1},
		/* STORE_NAME */
		[114] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 114, .change = -1},
		/* SWAP */
		[115] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 115, .change = 0},
		/* UNPACK_EX */
		[116] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 116, .change = 0, .times = 1, .operand = PY_OPERAND_BYTES},
		/* UNPACK_SEQUENCE */
		[117] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 117, .caches = 1, .change = -1, .times = 1, .operand = PY_OPERAND_WHOLE},
		/* YIELD_VALUE */
		[118] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 118, .change = 0},
		/* RESUME */
		[149] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 149, .change = 0},
		/* BINARY_OP_ADD_FLOAT */
		[150] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 45, .caches = 1, .change = -1, .call = 2, .operator = PY_ADD, .select = 1},
		/* BINARY_OP_ADD_INT */
		[151] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 45, .caches = 1, .change = -1, .call = 2, .operator = PY_ADD, .select = 1},
		/* BINARY_OP_ADD_UNICODE */
		[152] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 45, .caches = 1, .change = -1, .call = 2, .operator = PY_ADD, .select = 1},
		/* BINARY_OP_MULTIPLY_FLOAT */
		[153] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 45, .caches = 1, .change = -1, .call = 2, .operator = PY_ADD, .select = 1},
		/* BINARY_OP_MULTIPLY_INT */
		[154] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 45, .caches = 1, .change = -1, .call = 2, .operator = PY_ADD, .select = 1},
		/* BINARY_OP_SUBTRACT_FLOAT */
		[155] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 45, .caches = 1, .change = -1, .call = 2, .operator = PY_ADD, .select = 1},
		/* BINARY_OP_SUBTRACT_INT */
		[156] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 45, .caches = 1, .change = -1, .call = 2, .operator = PY_ADD, .select = 1},
		/* BINARY_SUBSCR_DICT */
		[157] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 5, .caches = 1, .change = -1, .call = 2, .operator = PY_GETITEM},
		/* BINARY_SUBSCR_GETITEM */
		[158] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 5, .caches = 1, .change = -1, .call = 2, .operator = PY_GETITEM},
		/* BINARY_SUBSCR_LIST_INT */
		[159] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 5, .caches = 1, .change = -1, .call = 2, .operator = PY_GETITEM},
		/* BINARY_SUBSCR_STR_INT */
		[160] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 5, .caches = 1, .change = -1, .call = 2, .operator = PY_GETITEM},
		/* BINARY_SUBSCR_TUPLE_INT */
		[161] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 5, .caches = 1, .change = -1, .call = 2, .operator = PY_GETITEM},
		/* CALL_ALLOC_AND_ENTER_INIT */
		[162] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 53, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* CALL_BOUND_METHOD_EXACT_ARGS */
		[163] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 53, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* CALL_BOUND_METHOD_GENERAL */
		[164] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 53, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* CALL_BUILTIN_CLASS */
		[165] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 53, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* CALL_BUILTIN_FAST */
		[166] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 53, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* CALL_BUILTIN_FAST_WITH_KEYWORDS */
		[167] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 53, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* CALL_BUILTIN_O */
		[168] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 53, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* CALL_ISINSTANCE */
		[169] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 53, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* CALL_LEN */
		[170] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 53, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* CALL_LIST_APPEND */
		[171] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 53, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* CALL_METHOD_DESCRIPTOR_FAST */
		[172] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 53, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* CALL_METHOD_DESCRIPTOR_FAST_WITH_KEYWORDS */
		[173] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 53, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* CALL_METHOD_DESCRIPTOR_NOARGS */
		[174] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 53, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* CALL_METHOD_DESCRIPTOR_O */
		[175] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 53, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* CALL_NON_PY_GENERAL */
		[176] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 53, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* CALL_PY_EXACT_ARGS */
		[177] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 53, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* CALL_PY_GENERAL */
		[178] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 53, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* CALL_STR_1 */
		[179] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 53, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* CALL_TUPLE_1 */
		[180] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 53, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* CALL_TYPE_1 */
		[181] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 53, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* COMPARE_OP_FLOAT */
		[182] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 58, .caches = 1, .change = -1, .call = 2, .operator = PY_LT, .select = 6},
		/* COMPARE_OP_INT */
		[183] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 58, .caches = 1, .change = -1, .call = 2, .operator = PY_LT, .select = 6},
		/* COMPARE_OP_STR */
		[184] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 58, .caches = 1, .change = -1, .call = 2, .operator = PY_LT, .select = 6},
		/* CONTAINS_OP_DICT */
		[185] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 59, .caches = 1, .change = -1, .call = 2, .operator = PY_CONTAINS},
		/* CONTAINS_OP_SET */
		[186] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 59, .caches = 1, .change = -1, .call = 2, .operator = PY_CONTAINS},
		/* FOR_ITER_GEN */
		[187] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 72, .caches = 1, .change = 1, .jump = 1, .call = 1, .operator = PY_NEXT},
		/* FOR_ITER_LIST */
		[188] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 72, .caches = 1, .change = 1, .jump = 1, .call = 1, .operator = PY_NEXT},
		/* FOR_ITER_RANGE */
		[189] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 72, .caches = 1, .change = 1, .jump = 1, .call = 1, .operator = PY_NEXT},
		/* FOR_ITER_TUPLE */
		[190] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 72, .caches = 1, .change = 1, .jump = 1, .call = 1, .operator = PY_NEXT},
		/* LOAD_ATTR_CLASS */
		[191] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 82, .caches = 9, .change = 0, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_ATTR_GETATTRIBUTE_OVERRIDDEN */
		[192] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 82, .caches = 9, .change = 0, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_ATTR_INSTANCE_VALUE */
		[193] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 82, .caches = 9, .change = 0, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_ATTR_METHOD_LAZY_DICT */
		[194] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 82, .caches = 9, .change = 0, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_ATTR_METHOD_NO_DICT */
		[195] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 82, .caches = 9, .change = 0, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_ATTR_METHOD_WITH_VALUES */
		[196] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 82, .caches = 9, .change = 0, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_ATTR_MODULE */
		[197] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 82, .caches = 9, .change = 0, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_ATTR_NONDESCRIPTOR_NO_DICT */
		[198] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 82, .caches = 9, .change = 0, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_ATTR_NONDESCRIPTOR_WITH_VALUES */
		[199] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 82, .caches = 9, .change = 0, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_ATTR_PROPERTY */
		[200] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 82, .caches = 9, .change = 0, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_ATTR_SLOT */
		[201] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 82, .caches = 9, .change = 0, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_ATTR_WITH_HINT */
		[202] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 82, .caches = 9, .change = 0, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_GLOBAL_BUILTIN */
		[203] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 91, .caches = 4, .change = 1, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_GLOBAL_MODULE */
		[204] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 91, .caches = 4, .change = 1, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_SUPER_ATTR_ATTR */
		[205] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 93, .caches = 1, .change = -2, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_SUPER_ATTR_METHOD */
		[206] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 93, .caches = 1, .change = -2, .times = 1, .operand = PY_OPERAND_LOW},
		/* RESUME_CHECK */
		[207] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 149, .change = 0},
		/* SEND_GEN */
		[208] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 104, .caches = 1, .change = 0, .jump = 0},
		/* STORE_ATTR_INSTANCE_VALUE */
		[209] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 108, .caches = 4, .change = -2},
		/* STORE_ATTR_SLOT */
		[210] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 108, .caches = 4, .change = -2},
		/* STORE_ATTR_WITH_HINT */
		[211] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 108, .caches = 4, .change = -2},
		/* STORE_SUBSCR_DICT */
		[212] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 39, .caches = 1, .change = -3, .call = 2, .operator = PY_SETITEM},
		/* STORE_SUBSCR_LIST_INT */
		[213] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 39, .caches = 1, .change = -3, .call = 2, .operator = PY_SETITEM},
		/* TO_BOOL_ALWAYS_TRUE */
		[214] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 40, .caches = 3, .change = 0},
		/* TO_BOOL_BOOL */
		[215] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 40, .caches = 3, .change = 0},
		/* TO_BOOL_INT */
		[216] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 40, .caches = 3, .change = 0},
		/* TO_BOOL_LIST */
		[217] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 40, .caches = 3, .change = 0},
		/* TO_BOOL_NONE */
		[218] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 40, .caches = 3, .change = 0},
		/* TO_BOOL_STR */
		[219] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 40, .caches = 3, .change = 0},
		/* UNPACK_SEQUENCE_LIST */
		[220] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 117, .caches = 1, .change = -1, .times = 1, .operand = PY_OPERAND_WHOLE},
		/* UNPACK_SEQUENCE_TUPLE */
		[221] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 117, .caches = 1, .change = -1, .times = 1, .operand = PY_OPERAND_WHOLE},
		/* UNPACK_SEQUENCE_TWO_TUPLE */
		[222] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 117, .caches = 1, .change = -1, .times = 1, .operand = PY_OPERAND_WHOLE},
		/* INSTRUMENTED_RESUME */
		[236] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 149, .change = 0},
		/* INSTRUMENTED_END_FOR */
		[237] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 11, .change = -1},
		/* INSTRUMENTED_END_SEND */
		[238] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 12, .change = -1},
		/* INSTRUMENTED_RETURN_VALUE */
		[239] = {.flow = PY_FLOW_KNOWN, .base = 36, .change = -1},
		/* INSTRUMENTED_RETURN_CONST */
		[240] = {.flow = PY_FLOW_KNOWN, .base = 103, .change = 0},
		/* INSTRUMENTED_YIELD_VALUE */
		[241] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 118, .change = 0},
		/* INSTRUMENTED_LOAD_SUPER_ATTR */
		[242] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 93, .caches = 1, .change = -2, .times = 1, .operand = PY_OPERAND_LOW},
		/* INSTRUMENTED_FOR_ITER */
		[243] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 72, .caches = 1, .change = 1, .jump = 1, .call = 1, .operator = PY_NEXT},
		/* INSTRUMENTED_CALL */
		[244] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 53, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* INSTRUMENTED_CALL_KW */
		[245] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 57, .change = -2, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 3 | PY_CALL_WHOLE},
		/* INSTRUMENTED_CALL_FUNCTION_EX */
		[246] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 54, .change = -2, .times = -1, .operand = PY_OPERAND_LOW, .call = 3 | PY_CALL_LOW},
		/* INSTRUMENTED_JUMP_FORWARD */
		[248] = {.flow = PY_FLOW_KNOWN | PY_FLOW_FORWARD, .base = 79, .change = 0, .jump = 0},
		/* INSTRUMENTED_JUMP_BACKWARD */
		[249] = {.flow = PY_FLOW_KNOWN | PY_FLOW_BACKWARD, .base = 77, .caches = 1, .change = 0, .jump = 0},
		/* INSTRUMENTED_POP_JUMP_IF_TRUE */
		[250] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 100, .caches = 1, .change = -1, .jump = -1},
		/* INSTRUMENTED_POP_JUMP_IF_FALSE */
		[251] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 97, .caches = 1, .change = -1, .jump = -1},
		/* INSTRUMENTED_POP_JUMP_IF_NONE */
		[252] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 98, .caches = 1, .change = -1, .jump = -1},
		/* INSTRUMENTED_POP_JUMP_IF_NOT_NONE */
		[253] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 99, .caches = 1, .change = -1, .jump = -1},
	},
};
