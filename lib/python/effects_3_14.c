/* SPDX-License-Identifier: ISC */
/* effects_3_14.c: made by mkdepths from CPython 3.14; do not edit. */
#include "python/depths.h"

static const struct py_effects py_effects_3_14 = {
	.minor = 14,
	.opcodes = {
		/* BINARY_SLICE */
		[1] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 1, .change = -2, .call = 3, .operator = PY_GETSLICE},
		/* BUILD_TEMPLATE */
		[2] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 2, .change = -1},
		/* BINARY_OP_INPLACE_ADD_UNICODE */
		[3] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 44, .caches = 5, .change = -1, .call = 2, .operator = PY_ADD, .select = 1},
		/* CALL_FUNCTION_EX */
		[4] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 4, .change = -3, .call = 4},
		/* CHECK_EG_MATCH */
		[5] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 5, .change = 0},
		/* CHECK_EXC_MATCH */
		[6] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 6, .change = 0},
		/* CLEANUP_THROW */
		[7] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 7, .change = -1},
		/* DELETE_SUBSCR */
		[8] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 8, .change = -2, .call = 2, .operator = PY_DELITEM},
		/* END_FOR */
		[9] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 9, .change = -1},
		/* END_SEND */
		[10] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 10, .change = -1},
		/* EXIT_INIT_CHECK */
		[11] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 11, .change = -1},
		/* FORMAT_SIMPLE */
		[12] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 12, .change = 0},
		/* FORMAT_WITH_SPEC */
		[13] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 13, .change = -1},
		/* GET_AITER */
		[14] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 14, .change = 0},
		/* GET_ANEXT */
		[15] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 15, .change = 1},
		/* GET_ITER */
		[16] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 16, .change = 0},
		/* GET_LEN */
		[18] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 18, .change = 1},
		/* GET_YIELD_FROM_ITER */
		[19] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 19, .change = 0},
		/* INTERPRETER_EXIT */
		[20] = {.flow = PY_FLOW_KNOWN, .base = 20, .change = -1},
		/* LOAD_BUILD_CLASS */
		[21] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 21, .change = 1},
		/* LOAD_LOCALS */
		[22] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 22, .change = 1},
		/* MAKE_FUNCTION */
		[23] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 23, .change = 0},
		/* MATCH_KEYS */
		[24] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 24, .change = 1},
		/* MATCH_MAPPING */
		[25] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 25, .change = 1},
		/* MATCH_SEQUENCE */
		[26] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 26, .change = 1},
		/* NOP */
		[27] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 27, .change = 0},
		/* NOT_TAKEN */
		[28] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 28, .change = 0},
		/* POP_EXCEPT */
		[29] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 29, .change = -1},
		/* POP_ITER */
		[30] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 30, .change = -1, .call = 1, .operator = PY_DROP},
		/* POP_TOP */
		[31] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 31, .change = -1, .call = 1, .operator = PY_DROP},
		/* PUSH_EXC_INFO */
		[32] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 32, .change = 1},
		/* PUSH_NULL */
		[33] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 33, .change = 1},
		/* RETURN_GENERATOR */
		[34] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 34, .change = 1},
		/* RETURN_VALUE */
		[35] = {.flow = PY_FLOW_KNOWN, .base = 35, .change = 0},
		/* SETUP_ANNOTATIONS */
		[36] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 36, .change = 0},
		/* STORE_SLICE */
		[37] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 37, .change = -4, .call = 3, .operator = PY_SETSLICE},
		/* STORE_SUBSCR */
		[38] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 38, .caches = 1, .change = -3, .call = 2, .operator = PY_SETITEM},
		/* TO_BOOL */
		[39] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 39, .caches = 3, .change = 0},
		/* UNARY_INVERT */
		[40] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 40, .change = 0, .call = 1, .operator = PY_INVERT},
		/* UNARY_NEGATIVE */
		[41] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 41, .change = 0, .call = 1, .operator = PY_NEGATIVE},
		/* UNARY_NOT */
		[42] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 42, .change = 0},
		/* WITH_EXCEPT_START */
		[43] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 43, .change = 1},
		/* BINARY_OP */
		[44] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 44, .caches = 5, .change = -1, .call = 2, .operator = PY_ADD, .select = 1},
		/* BUILD_INTERPOLATION */
		[45] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 45, .change = -1, .times = -1, .operand = PY_OPERAND_LOW},
		/* BUILD_LIST */
		[46] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 46, .change = 1, .times = -1, .operand = PY_OPERAND_WHOLE},
		/* BUILD_MAP */
		[47] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 47, .change = 1, .times = -2, .operand = PY_OPERAND_WHOLE},
		/* BUILD_SET */
		[48] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 48, .change = 1, .times = -1, .operand = PY_OPERAND_WHOLE},
		/* BUILD_SLICE */
		[49] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 49, .change = 1, .times = -1, .operand = PY_OPERAND_WHOLE},
		/* BUILD_STRING */
		[50] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 50, .change = 1, .times = -1, .operand = PY_OPERAND_WHOLE},
		/* BUILD_TUPLE */
		[51] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 51, .change = 1, .times = -1, .operand = PY_OPERAND_WHOLE},
		/* CALL */
		[52] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 52, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* CALL_INTRINSIC_1 */
		[53] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 53, .change = 0},
		/* CALL_INTRINSIC_2 */
		[54] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 54, .change = -1},
		/* CALL_KW */
		[55] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 55, .caches = 3, .change = -2, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 3 | PY_CALL_WHOLE},
		/* COMPARE_OP */
		[56] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 56, .caches = 1, .change = -1, .call = 2, .operator = PY_LT, .select = 6},
		/* CONTAINS_OP */
		[57] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 57, .caches = 1, .change = -1, .call = 2, .operator = PY_CONTAINS},
		/* CONVERT_VALUE */
		[58] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 58, .change = 0},
		/* COPY */
		[59] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 59, .change = 1},
		/* COPY_FREE_VARS */
		[60] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 60, .change = 0},
		/* DELETE_ATTR */
		[61] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 61, .change = -1},
		/* DELETE_DEREF */
		[62] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 62, .change = 0},
		/* DELETE_FAST */
		[63] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 63, .change = 0},
		/* DELETE_GLOBAL */
		[64] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 64, .change = 0},
		/* DELETE_NAME */
		[65] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 65, .change = 0},
		/* DICT_MERGE */
		[66] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 66, .change = -1},
		/* DICT_UPDATE */
		[67] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 67, .change = -1},
		/* END_ASYNC_FOR */
		[68] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 68, .change = -2},
		/* EXTENDED_ARG */
		[69] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_EXTENDS, .base = 69, .change = 0},
		/* FOR_ITER */
		[70] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 70, .caches = 1, .change = 1, .jump = 1, .call = 1, .operator = PY_NEXT},
		/* GET_AWAITABLE */
		[71] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 71, .change = 0},
		/* IMPORT_FROM */
		[72] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 72, .change = 1},
		/* IMPORT_NAME */
		[73] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 73, .change = -1},
		/* IS_OP */
		[74] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 74, .change = -1},
		/* JUMP_BACKWARD */
		[75] = {.flow = PY_FLOW_KNOWN | PY_FLOW_BACKWARD, .base = 75, .caches = 1, .change = 0, .jump = 0},
		/* JUMP_BACKWARD_NO_INTERRUPT */
		[76] = {.flow = PY_FLOW_KNOWN | PY_FLOW_BACKWARD, .base = 76, .change = 0, .jump = 0},
		/* JUMP_FORWARD */
		[77] = {.flow = PY_FLOW_KNOWN | PY_FLOW_FORWARD, .base = 77, .change = 0, .jump = 0},
		/* LIST_APPEND */
		[78] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 78, .change = -1},
		/* LIST_EXTEND */
		[79] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 79, .change = -1},
		/* LOAD_ATTR */
		[80] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 80, .caches = 9, .change = 0, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_COMMON_CONSTANT */
		[81] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 81, .change = 1},
		/* LOAD_CONST */
		[82] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 82, .change = 1},
		/* LOAD_DEREF */
		[83] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 83, .change = 1},
		/* LOAD_FAST */
		[84] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 84, .change = 1},
		/* LOAD_FAST_AND_CLEAR */
		[85] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 85, .change = 1},
		/* LOAD_FAST_BORROW */
		[86] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 86, .change = 1},
		/* LOAD_FAST_BORROW_LOAD_FAST_BORROW */
		[87] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 87, .change = 2},
		/* LOAD_FAST_CHECK */
		[88] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 88, .change = 1},
		/* LOAD_FAST_LOAD_FAST */
		[89] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 89, .change = 2},
		/* LOAD_FROM_DICT_OR_DEREF */
		[90] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 90, .change = 0},
		/* LOAD_FROM_DICT_OR_GLOBALS */
		[91] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 91, .change = 0},
		/* LOAD_GLOBAL */
		[92] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 92, .caches = 4, .change = 1, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_NAME */
		[93] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 93, .change = 1},
		/* LOAD_SMALL_INT */
		[94] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 94, .change = 1},
		/* LOAD_SPECIAL */
		[95] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 95, .change = 1},
		/* LOAD_SUPER_ATTR */
		[96] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 96, .caches = 1, .change = -2, .times = 1, .operand = PY_OPERAND_LOW},
		/* MAKE_CELL */
		[97] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 97, .change = 0},
		/* MAP_ADD */
		[98] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 98, .change = -2},
		/* MATCH_CLASS */
		[99] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 99, .change = -2},
		/* POP_JUMP_IF_FALSE */
		[100] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 100, .caches = 1, .change = -1, .jump = -1},
		/* POP_JUMP_IF_NONE */
		[101] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 101, .caches = 1, .change = -1, .jump = -1},
		/* POP_JUMP_IF_NOT_NONE */
		[102] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 102, .caches = 1, .change = -1, .jump = -1},
		/* POP_JUMP_IF_TRUE */
		[103] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 103, .caches = 1, .change = -1, .jump = -1},
		/* RAISE_VARARGS */
		[104] = {.flow = PY_FLOW_KNOWN, .base = 104, .change = 0, .times = -1, .operand = PY_OPERAND_WHOLE},
		/* RERAISE */
		[105] = {.flow = PY_FLOW_KNOWN, .base = 105, .change = -1},
		/* SEND */
		[106] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 106, .caches = 1, .change = 0, .jump = 0},
		/* SET_ADD */
		[107] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 107, .change = -1},
		/* SET_FUNCTION_ATTRIBUTE */
		[108] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 108, .change = -1},
		/* SET_UPDATE */
		[109] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 109, .change = -1},
		/* STORE_ATTR */
		[110] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 110, .caches = 4, .change = -2},
		/* STORE_DEREF */
		[111] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 111, .change = -1},
		/* STORE_FAST */
		[112] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 112, .change = -1},
		/* STORE_FAST_LOAD_FAST */
		[113] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 113, .change = 0},
		/* STORE_FAST_STORE_FAST */
		[114] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 114, .change = -2},
		/* STORE_GLOBAL */
		[115] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 115, .change = -1},
		/* STORE_NAME */
		[116] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 116, .change = -1},
		/* SWAP */
		[117] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 117, .change = 0},
		/* UNPACK_EX */
		[118] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 118, .change = 0, .times = 1, .operand = PY_OPERAND_BYTES},
		/* UNPACK_SEQUENCE */
		[119] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 119, .caches = 1, .change = -1, .times = 1, .operand = PY_OPERAND_WHOLE},
		/* YIELD_VALUE */
		[120] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 120, .change = 0},
		/* RESUME */
		[128] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 128, .change = 0},
		/* BINARY_OP_ADD_FLOAT */
		[129] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 44, .caches = 5, .change = -1, .call = 2, .operator = PY_ADD, .select = 1},
		/* BINARY_OP_ADD_INT */
		[130] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 44, .caches = 5, .change = -1, .call = 2, .operator = PY_ADD, .select = 1},
		/* BINARY_OP_ADD_UNICODE */
		[131] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 44, .caches = 5, .change = -1, .call = 2, .operator = PY_ADD, .select = 1},
		/* BINARY_OP_EXTEND */
		[132] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 44, .caches = 5, .change = -1, .call = 2, .operator = PY_ADD, .select = 1},
		/* BINARY_OP_MULTIPLY_FLOAT */
		[133] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 44, .caches = 5, .change = -1, .call = 2, .operator = PY_ADD, .select = 1},
		/* BINARY_OP_MULTIPLY_INT */
		[134] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 44, .caches = 5, .change = -1, .call = 2, .operator = PY_ADD, .select = 1},
		/* BINARY_OP_SUBSCR_DICT */
		[135] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 44, .caches = 5, .change = -1, .call = 2, .operator = PY_ADD, .select = 1},
		/* BINARY_OP_SUBSCR_GETITEM */
		[136] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 44, .caches = 5, .change = -1, .call = 2, .operator = PY_ADD, .select = 1},
		/* BINARY_OP_SUBSCR_LIST_INT */
		[137] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 44, .caches = 5, .change = -1, .call = 2, .operator = PY_ADD, .select = 1},
		/* BINARY_OP_SUBSCR_LIST_SLICE */
		[138] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 44, .caches = 5, .change = -1, .call = 2, .operator = PY_ADD, .select = 1},
		/* BINARY_OP_SUBSCR_STR_INT */
		[139] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 44, .caches = 5, .change = -1, .call = 2, .operator = PY_ADD, .select = 1},
		/* BINARY_OP_SUBSCR_TUPLE_INT */
		[140] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 44, .caches = 5, .change = -1, .call = 2, .operator = PY_ADD, .select = 1},
		/* BINARY_OP_SUBTRACT_FLOAT */
		[141] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 44, .caches = 5, .change = -1, .call = 2, .operator = PY_ADD, .select = 1},
		/* BINARY_OP_SUBTRACT_INT */
		[142] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 44, .caches = 5, .change = -1, .call = 2, .operator = PY_ADD, .select = 1},
		/* CALL_ALLOC_AND_ENTER_INIT */
		[143] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 52, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* CALL_BOUND_METHOD_EXACT_ARGS */
		[144] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 52, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* CALL_BOUND_METHOD_GENERAL */
		[145] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 52, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* CALL_BUILTIN_CLASS */
		[146] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 52, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* CALL_BUILTIN_FAST */
		[147] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 52, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* CALL_BUILTIN_FAST_WITH_KEYWORDS */
		[148] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 52, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* CALL_BUILTIN_O */
		[149] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 52, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* CALL_ISINSTANCE */
		[150] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 52, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* CALL_KW_BOUND_METHOD */
		[151] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 55, .caches = 3, .change = -2, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 3 | PY_CALL_WHOLE},
		/* CALL_KW_NON_PY */
		[152] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 55, .caches = 3, .change = -2, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 3 | PY_CALL_WHOLE},
		/* CALL_KW_PY */
		[153] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 55, .caches = 3, .change = -2, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 3 | PY_CALL_WHOLE},
		/* CALL_LEN */
		[154] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 52, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* CALL_LIST_APPEND */
		[155] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 52, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* CALL_METHOD_DESCRIPTOR_FAST */
		[156] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 52, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* CALL_METHOD_DESCRIPTOR_FAST_WITH_KEYWORDS */
		[157] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 52, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* CALL_METHOD_DESCRIPTOR_NOARGS */
		[158] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 52, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* CALL_METHOD_DESCRIPTOR_O */
		[159] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 52, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* CALL_NON_PY_GENERAL */
		[160] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 52, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* CALL_PY_EXACT_ARGS */
		[161] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 52, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* CALL_PY_GENERAL */
		[162] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 52, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* CALL_STR_1 */
		[163] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 52, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* CALL_TUPLE_1 */
		[164] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 52, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* CALL_TYPE_1 */
		[165] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 52, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* COMPARE_OP_FLOAT */
		[166] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 56, .caches = 1, .change = -1, .call = 2, .operator = PY_LT, .select = 6},
		/* COMPARE_OP_INT */
		[167] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 56, .caches = 1, .change = -1, .call = 2, .operator = PY_LT, .select = 6},
		/* COMPARE_OP_STR */
		[168] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 56, .caches = 1, .change = -1, .call = 2, .operator = PY_LT, .select = 6},
		/* CONTAINS_OP_DICT */
		[169] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 57, .caches = 1, .change = -1, .call = 2, .operator = PY_CONTAINS},
		/* CONTAINS_OP_SET */
		[170] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 57, .caches = 1, .change = -1, .call = 2, .operator = PY_CONTAINS},
		/* FOR_ITER_GEN */
		[171] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 70, .caches = 1, .change = 1, .jump = 1, .call = 1, .operator = PY_NEXT},
		/* FOR_ITER_LIST */
		[172] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 70, .caches = 1, .change = 1, .jump = 1, .call = 1, .operator = PY_NEXT},
		/* FOR_ITER_RANGE */
		[173] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 70, .caches = 1, .change = 1, .jump = 1, .call = 1, .operator = PY_NEXT},
		/* FOR_ITER_TUPLE */
		[174] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 70, .caches = 1, .change = 1, .jump = 1, .call = 1, .operator = PY_NEXT},
		/* JUMP_BACKWARD_JIT */
		[175] = {.flow = PY_FLOW_KNOWN | PY_FLOW_BACKWARD, .base = 75, .caches = 1, .change = 0, .jump = 0},
		/* JUMP_BACKWARD_NO_JIT */
		[176] = {.flow = PY_FLOW_KNOWN | PY_FLOW_BACKWARD, .base = 75, .caches = 1, .change = 0, .jump = 0},
		/* LOAD_ATTR_CLASS */
		[177] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 80, .caches = 9, .change = 0, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_ATTR_CLASS_WITH_METACLASS_CHECK */
		[178] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 80, .caches = 9, .change = 0, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_ATTR_GETATTRIBUTE_OVERRIDDEN */
		[179] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 80, .caches = 9, .change = 0, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_ATTR_INSTANCE_VALUE */
		[180] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 80, .caches = 9, .change = 0, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_ATTR_METHOD_LAZY_DICT */
		[181] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 80, .caches = 9, .change = 0, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_ATTR_METHOD_NO_DICT */
		[182] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 80, .caches = 9, .change = 0, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_ATTR_METHOD_WITH_VALUES */
		[183] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 80, .caches = 9, .change = 0, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_ATTR_MODULE */
		[184] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 80, .caches = 9, .change = 0, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_ATTR_NONDESCRIPTOR_NO_DICT */
		[185] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 80, .caches = 9, .change = 0, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_ATTR_NONDESCRIPTOR_WITH_VALUES */
		[186] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 80, .caches = 9, .change = 0, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_ATTR_PROPERTY */
		[187] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 80, .caches = 9, .change = 0, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_ATTR_SLOT */
		[188] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 80, .caches = 9, .change = 0, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_ATTR_WITH_HINT */
		[189] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 80, .caches = 9, .change = 0, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_CONST_IMMORTAL */
		[190] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 82, .change = 1},
		/* LOAD_CONST_MORTAL */
		[191] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 82, .change = 1},
		/* LOAD_GLOBAL_BUILTIN */
		[192] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 92, .caches = 4, .change = 1, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_GLOBAL_MODULE */
		[193] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 92, .caches = 4, .change = 1, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_SUPER_ATTR_ATTR */
		[194] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 96, .caches = 1, .change = -2, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_SUPER_ATTR_METHOD */
		[195] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 96, .caches = 1, .change = -2, .times = 1, .operand = PY_OPERAND_LOW},
		/* RESUME_CHECK */
		[196] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 128, .change = 0},
		/* SEND_GEN */
		[197] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 106, .caches = 1, .change = 0, .jump = 0},
		/* STORE_ATTR_INSTANCE_VALUE */
		[198] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 110, .caches = 4, .change = -2},
		/* STORE_ATTR_SLOT */
		[199] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 110, .caches = 4, .change = -2},
		/* STORE_ATTR_WITH_HINT */
		[200] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 110, .caches = 4, .change = -2},
		/* STORE_SUBSCR_DICT */
		[201] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 38, .caches = 1, .change = -3, .call = 2, .operator = PY_SETITEM},
		/* STORE_SUBSCR_LIST_INT */
		[202] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 38, .caches = 1, .change = -3, .call = 2, .operator = PY_SETITEM},
		/* TO_BOOL_ALWAYS_TRUE */
		[203] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 39, .caches = 3, .change = 0},
		/* TO_BOOL_BOOL */
		[204] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 39, .caches = 3, .change = 0},
		/* TO_BOOL_INT */
		[205] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 39, .caches = 3, .change = 0},
		/* TO_BOOL_LIST */
		[206] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 39, .caches = 3, .change = 0},
		/* TO_BOOL_NONE */
		[207] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 39, .caches = 3, .change = 0},
		/* TO_BOOL_STR */
		[208] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 39, .caches = 3, .change = 0},
		/* UNPACK_SEQUENCE_LIST */
		[209] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 119, .caches = 1, .change = -1, .times = 1, .operand = PY_OPERAND_WHOLE},
		/* UNPACK_SEQUENCE_TUPLE */
		[210] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 119, .caches = 1, .change = -1, .times = 1, .operand = PY_OPERAND_WHOLE},
		/* UNPACK_SEQUENCE_TWO_TUPLE */
		[211] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 119, .caches = 1, .change = -1, .times = 1, .operand = PY_OPERAND_WHOLE},
		/* INSTRUMENTED_END_FOR */
		[234] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 9, .change = -1},
		/* INSTRUMENTED_POP_ITER */
		[235] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 30, .change = -1, .call = 1, .operator = PY_DROP},
		/* INSTRUMENTED_END_SEND */
		[236] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 10, .change = -1},
		/* INSTRUMENTED_FOR_ITER */
		[237] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 70, .caches = 1, .change = 1, .jump = 1, .call = 1, .operator = PY_NEXT},
		/* INSTRUMENTED_JUMP_FORWARD */
		[239] = {.flow = PY_FLOW_KNOWN | PY_FLOW_FORWARD, .base = 77, .change = 0, .jump = 0},
		/* INSTRUMENTED_NOT_TAKEN */
		[240] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 28, .change = 0},
		/* INSTRUMENTED_POP_JUMP_IF_TRUE */
		[241] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 103, .caches = 1, .change = -1, .jump = -1},
		/* INSTRUMENTED_POP_JUMP_IF_FALSE */
		[242] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 100, .caches = 1, .change = -1, .jump = -1},
		/* INSTRUMENTED_POP_JUMP_IF_NONE */
		[243] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 101, .caches = 1, .change = -1, .jump = -1},
		/* INSTRUMENTED_POP_JUMP_IF_NOT_NONE */
		[244] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 102, .caches = 1, .change = -1, .jump = -1},
		/* INSTRUMENTED_RESUME */
		[245] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 128, .change = 0},
		/* INSTRUMENTED_RETURN_VALUE */
		[246] = {.flow = PY_FLOW_KNOWN, .base = 35, .change = 0},
		/* INSTRUMENTED_YIELD_VALUE */
		[247] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 120, .change = 0},
		/* INSTRUMENTED_END_ASYNC_FOR */
		[248] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 68, .change = -2},
		/* INSTRUMENTED_LOAD_SUPER_ATTR */
		[249] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 96, .caches = 1, .change = -2, .times = 1, .operand = PY_OPERAND_LOW},
		/* INSTRUMENTED_CALL */
		[250] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 52, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* INSTRUMENTED_CALL_KW */
		[251] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 55, .caches = 3, .change = -2, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 3 | PY_CALL_WHOLE},
		/* INSTRUMENTED_CALL_FUNCTION_EX */
		[252] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 4, .change = -3, .call = 4},
		/* INSTRUMENTED_JUMP_BACKWARD */
		[253] = {.flow = PY_FLOW_KNOWN | PY_FLOW_BACKWARD, .base = 75, .caches = 1, .change = 0, .jump = 0},
	},
};
