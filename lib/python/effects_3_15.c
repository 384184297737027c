/* SPDX-License-Identifier: ISC */
/* effects_3_15.c: made by mkdepths from CPython 3.15; do not edit. */
#include "python/depths.h"

static const struct py_effects py_effects_3_15 = {
	.minor = 15,
	.opcodes = {
		/* BINARY_SLICE */
		[1] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 1, .change = -2, .call = 3, .operator = PY_GETSLICE},
		/* BUILD_TEMPLATE */
		[2] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 2, .change = -1},
		/* BINARY_OP_INPLACE_ADD_UNICODE */
		[3] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 42, .caches = 5, .change = -1, .call = 2, .operator = PY_ADD, .select = 1},
		/* CALL_FUNCTION_EX */
		[4] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 4, .caches = 1, .change = -3, .call = 4},
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
		[10] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 10, .change = -2},
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
		/* GET_LEN */
		[16] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 16, .change = 1},
		/* INTERPRETER_EXIT */
		[18] = {.flow = PY_FLOW_KNOWN, .base = 18, .change = -1},
		/* LOAD_BUILD_CLASS */
		[19] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 19, .change = 1},
		/* LOAD_LOCALS */
		[20] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 20, .change = 1},
		/* MAKE_FUNCTION */
		[21] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 21, .change = 0},
		/* MATCH_KEYS */
		[22] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 22, .change = 1},
		/* MATCH_MAPPING */
		[23] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 23, .change = 1},
		/* MATCH_SEQUENCE */
		[24] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 24, .change = 1},
		/* NOP */
		[25] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 25, .change = 0},
		/* NOT_TAKEN */
		[26] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 26, .change = 0},
		/* POP_EXCEPT */
		[27] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 27, .change = -1},
		/* POP_ITER */
		[28] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 28, .change = -2, .call = 2, .operator = PY_DROP},
		/* POP_TOP */
		[29] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 29, .change = -1, .call = 1, .operator = PY_DROP},
		/* PUSH_EXC_INFO */
		[30] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 30, .change = 1},
		/* PUSH_NULL */
		[31] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 31, .change = 1},
		/* RETURN_GENERATOR */
		[32] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 32, .change = 1},
		/* RETURN_VALUE */
		[33] = {.flow = PY_FLOW_KNOWN, .base = 33, .change = 0},
		/* SETUP_ANNOTATIONS */
		[34] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 34, .change = 0},
		/* STORE_SLICE */
		[35] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 35, .change = -4, .call = 3, .operator = PY_SETSLICE},
		/* STORE_SUBSCR */
		[36] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 36, .caches = 1, .change = -3, .call = 2, .operator = PY_SETITEM},
		/* TO_BOOL */
		[37] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 37, .caches = 3, .change = 0},
		/* UNARY_INVERT */
		[38] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 38, .change = 0, .call = 1, .operator = PY_INVERT},
		/* UNARY_NEGATIVE */
		[39] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 39, .change = 0, .call = 1, .operator = PY_NEGATIVE},
		/* UNARY_NOT */
		[40] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 40, .change = 0},
		/* WITH_EXCEPT_START */
		[41] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 41, .change = 1},
		/* BINARY_OP */
		[42] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 42, .caches = 5, .change = -1, .call = 2, .operator = PY_ADD, .select = 1},
		/* BUILD_INTERPOLATION */
		[43] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 43, .change = -1, .times = -1, .operand = PY_OPERAND_LOW},
		/* BUILD_LIST */
		[44] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 44, .change = 1, .times = -1, .operand = PY_OPERAND_WHOLE},
		/* BUILD_MAP */
		[45] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 45, .change = 1, .times = -2, .operand = PY_OPERAND_WHOLE},
		/* BUILD_SET */
		[46] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 46, .change = 1, .times = -1, .operand = PY_OPERAND_WHOLE},
		/* BUILD_SLICE */
		[47] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 47, .change = 1, .times = -1, .operand = PY_OPERAND_WHOLE},
		/* BUILD_STRING */
		[48] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 48, .change = 1, .times = -1, .operand = PY_OPERAND_WHOLE},
		/* BUILD_TUPLE */
		[49] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 49, .change = 1, .times = -1, .operand = PY_OPERAND_WHOLE},
		/* CALL */
		[50] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 50, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* CALL_INTRINSIC_1 */
		[51] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 51, .change = 0},
		/* CALL_INTRINSIC_2 */
		[52] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 52, .change = -1},
		/* CALL_KW */
		[53] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 53, .caches = 3, .change = -2, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 3 | PY_CALL_WHOLE},
		/* COMPARE_OP */
		[54] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 54, .caches = 1, .change = -1, .call = 2, .operator = PY_LT, .select = 6},
		/* CONTAINS_OP */
		[55] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 55, .caches = 1, .change = -1, .call = 2, .operator = PY_CONTAINS},
		/* CONVERT_VALUE */
		[56] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 56, .change = 0},
		/* COPY */
		[57] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 57, .change = 1},
		/* COPY_FREE_VARS */
		[58] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 58, .change = 0},
		/* DELETE_ATTR */
		[59] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 59, .change = -1},
		/* DELETE_DEREF */
		[60] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 60, .change = 0},
		/* DELETE_FAST */
		[61] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 61, .change = 0},
		/* DELETE_GLOBAL */
		[62] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 62, .change = 0},
		/* DELETE_NAME */
		[63] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 63, .change = 0},
		/* DICT_MERGE */
		[64] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 64, .change = -1},
		/* DICT_UPDATE */
		[65] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 65, .change = -1},
		/* END_ASYNC_FOR */
		[66] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 66, .change = -2},
		/* EXTENDED_ARG */
		[67] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_EXTENDS, .base = 67, .change = 0},
		/* FOR_ITER */
		[68] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 68, .caches = 1, .change = 1, .jump = 1, .call = 2, .operator = PY_NEXT},
		/* GET_AWAITABLE */
		[69] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 69, .change = 0},
		/* GET_ITER */
		[70] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 70, .caches = 1, .change = 1},
		/* IMPORT_FROM */
		[71] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 71, .change = 1},
		/* IMPORT_NAME */
		[72] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 72, .change = -1},
		/* IS_OP */
		[73] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 73, .change = -1},
		/* JUMP_BACKWARD */
		[74] = {.flow = PY_FLOW_KNOWN | PY_FLOW_BACKWARD, .base = 74, .caches = 1, .change = 0, .jump = 0},
		/* JUMP_BACKWARD_NO_INTERRUPT */
		[75] = {.flow = PY_FLOW_KNOWN | PY_FLOW_BACKWARD, .base = 75, .change = 0, .jump = 0},
		/* JUMP_FORWARD */
		[76] = {.flow = PY_FLOW_KNOWN | PY_FLOW_FORWARD, .base = 76, .change = 0, .jump = 0},
		/* LIST_APPEND */
		[77] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 77, .change = -1},
		/* LIST_EXTEND */
		[78] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 78, .change = -1},
		/* LOAD_ATTR */
		[79] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 79, .caches = 9, .change = 0, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_COMMON_CONSTANT */
		[80] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 80, .change = 1},
		/* LOAD_CONST */
		[81] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 81, .change = 1},
		/* LOAD_DEREF */
		[82] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 82, .change = 1},
		/* LOAD_FAST */
		[83] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 83, .change = 1},
		/* LOAD_FAST_AND_CLEAR */
		[84] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 84, .change = 1},
		/* LOAD_FAST_BORROW */
		[85] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 85, .change = 1},
		/* LOAD_FAST_BORROW_LOAD_FAST_BORROW */
		[86] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 86, .change = 2},
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
		/* LOAD_SMALL_INT */
		[93] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 93, .change = 1},
		/* LOAD_SPECIAL */
		[94] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 94, .change = 1},
		/* LOAD_SUPER_ATTR */
		[95] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 95, .caches = 1, .change = -2, .times = 1, .operand = PY_OPERAND_LOW},
		/* MAKE_CELL */
		[96] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 96, .change = 0},
		/* MAP_ADD */
		[97] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 97, .change = -2},
		/* MATCH_CLASS */
		[98] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 98, .change = -2},
		/* POP_JUMP_IF_FALSE */
		[99] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 99, .caches = 1, .change = -1, .jump = -1},
		/* POP_JUMP_IF_NONE */
		[100] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 100, .caches = 1, .change = -1, .jump = -1},
		/* POP_JUMP_IF_NOT_NONE */
		[101] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 101, .caches = 1, .change = -1, .jump = -1},
		/* POP_JUMP_IF_TRUE */
		[102] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 102, .caches = 1, .change = -1, .jump = -1},
		/* RAISE_VARARGS */
		[103] = {.flow = PY_FLOW_KNOWN, .base = 103, .change = 0, .times = -1, .operand = PY_OPERAND_WHOLE},
		/* RERAISE */
		[104] = {.flow = PY_FLOW_KNOWN, .base = 104, .change = -1},
		/* SEND */
		[105] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 105, .caches = 1, .change = 0, .jump = 0},
		/* SET_ADD */
		[106] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 106, .change = -1},
		/* SET_FUNCTION_ATTRIBUTE */
		[107] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 107, .change = -1},
		/* SET_UPDATE */
		[108] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 108, .change = -1},
		/* STORE_ATTR */
		[109] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 109, .caches = 4, .change = -2},
		/* STORE_DEREF */
		[110] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 110, .change = -1},
		/* STORE_FAST */
		[111] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 111, .change = -1},
		/* STORE_FAST_LOAD_FAST */
		[112] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 112, .change = 0},
		/* STORE_FAST_STORE_FAST */
		[113] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 113, .change = -2},
		/* STORE_GLOBAL */
		[114] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 114, .change = -1},
		/* STORE_NAME */
		[115] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 115, .change = -1},
		/* SWAP */
		[116] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 116, .change = 0},
		/* UNPACK_EX */
		[117] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 117, .change = 0, .times = 1, .operand = PY_OPERAND_BYTES},
		/* UNPACK_SEQUENCE */
		[118] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 118, .caches = 1, .change = -1, .times = 1, .operand = PY_OPERAND_WHOLE},
		/* YIELD_VALUE */
		[119] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 119, .change = 0},
		/* RESUME */
		[128] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 128, .caches = 1, .change = 0},
		/* BINARY_OP_ADD_FLOAT */
		[129] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 42, .caches = 5, .change = -1, .call = 2, .operator = PY_ADD, .select = 1},
		/* BINARY_OP_ADD_INT */
		[130] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 42, .caches = 5, .change = -1, .call = 2, .operator = PY_ADD, .select = 1},
		/* BINARY_OP_ADD_UNICODE */
		[131] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 42, .caches = 5, .change = -1, .call = 2, .operator = PY_ADD, .select = 1},
		/* BINARY_OP_EXTEND */
		[132] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 42, .caches = 5, .change = -1, .call = 2, .operator = PY_ADD, .select = 1},
		/* BINARY_OP_MULTIPLY_FLOAT */
		[133] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 42, .caches = 5, .change = -1, .call = 2, .operator = PY_ADD, .select = 1},
		/* BINARY_OP_MULTIPLY_INT */
		[134] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 42, .caches = 5, .change = -1, .call = 2, .operator = PY_ADD, .select = 1},
		/* BINARY_OP_SUBSCR_DICT */
		[135] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 42, .caches = 5, .change = -1, .call = 2, .operator = PY_ADD, .select = 1},
		/* BINARY_OP_SUBSCR_GETITEM */
		[136] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 42, .caches = 5, .change = -1, .call = 2, .operator = PY_ADD, .select = 1},
		/* BINARY_OP_SUBSCR_LIST_INT */
		[137] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 42, .caches = 5, .change = -1, .call = 2, .operator = PY_ADD, .select = 1},
		/* BINARY_OP_SUBSCR_LIST_SLICE */
		[138] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 42, .caches = 5, .change = -1, .call = 2, .operator = PY_ADD, .select = 1},
		/* BINARY_OP_SUBSCR_STR_INT */
		[139] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 42, .caches = 5, .change = -1, .call = 2, .operator = PY_ADD, .select = 1},
		/* BINARY_OP_SUBSCR_TUPLE_INT */
		[140] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 42, .caches = 5, .change = -1, .call = 2, .operator = PY_ADD, .select = 1},
		/* BINARY_OP_SUBSCR_USTR_INT */
		[141] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 42, .caches = 5, .change = -1, .call = 2, .operator = PY_ADD, .select = 1},
		/* BINARY_OP_SUBTRACT_FLOAT */
		[142] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 42, .caches = 5, .change = -1, .call = 2, .operator = PY_ADD, .select = 1},
		/* BINARY_OP_SUBTRACT_INT */
		[143] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 42, .caches = 5, .change = -1, .call = 2, .operator = PY_ADD, .select = 1},
		/* CALL_ALLOC_AND_ENTER_INIT */
		[144] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 50, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* CALL_BOUND_METHOD_EXACT_ARGS */
		[145] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 50, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* CALL_BOUND_METHOD_GENERAL */
		[146] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 50, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* CALL_BUILTIN_CLASS */
		[147] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 50, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* CALL_BUILTIN_FAST */
		[148] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 50, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* CALL_BUILTIN_FAST_WITH_KEYWORDS */
		[149] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 50, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* CALL_BUILTIN_O */
		[150] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 50, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* CALL_EX_NON_PY_GENERAL */
		[151] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 4, .caches = 1, .change = -3, .call = 4},
		/* CALL_EX_PY */
		[152] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 4, .caches = 1, .change = -3, .call = 4},
		/* CALL_ISINSTANCE */
		[153] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 50, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* CALL_KW_BOUND_METHOD */
		[154] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 53, .caches = 3, .change = -2, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 3 | PY_CALL_WHOLE},
		/* CALL_KW_NON_PY */
		[155] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 53, .caches = 3, .change = -2, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 3 | PY_CALL_WHOLE},
		/* CALL_KW_PY */
		[156] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 53, .caches = 3, .change = -2, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 3 | PY_CALL_WHOLE},
		/* CALL_LEN */
		[157] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 50, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* CALL_LIST_APPEND */
		[158] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 50, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* CALL_METHOD_DESCRIPTOR_FAST */
		[159] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 50, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* CALL_METHOD_DESCRIPTOR_FAST_WITH_KEYWORDS */
		[160] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 50, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* CALL_METHOD_DESCRIPTOR_NOARGS */
		[161] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 50, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* CALL_METHOD_DESCRIPTOR_O */
		[162] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 50, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* CALL_NON_PY_GENERAL */
		[163] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 50, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* CALL_PY_EXACT_ARGS */
		[164] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 50, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* CALL_PY_GENERAL */
		[165] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 50, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* CALL_STR_1 */
		[166] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 50, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* CALL_TUPLE_1 */
		[167] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 50, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* CALL_TYPE_1 */
		[168] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 50, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* COMPARE_OP_FLOAT */
		[169] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 54, .caches = 1, .change = -1, .call = 2, .operator = PY_LT, .select = 6},
		/* COMPARE_OP_INT */
		[170] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 54, .caches = 1, .change = -1, .call = 2, .operator = PY_LT, .select = 6},
		/* COMPARE_OP_STR */
		[171] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 54, .caches = 1, .change = -1, .call = 2, .operator = PY_LT, .select = 6},
		/* CONTAINS_OP_DICT */
		[172] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 55, .caches = 1, .change = -1, .call = 2, .operator = PY_CONTAINS},
		/* CONTAINS_OP_SET */
		[173] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 55, .caches = 1, .change = -1, .call = 2, .operator = PY_CONTAINS},
		/* FOR_ITER_GEN */
		[174] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 68, .caches = 1, .change = 1, .jump = 1, .call = 2, .operator = PY_NEXT},
		/* FOR_ITER_LIST */
		[175] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 68, .caches = 1, .change = 1, .jump = 1, .call = 2, .operator = PY_NEXT},
		/* FOR_ITER_RANGE */
		[176] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 68, .caches = 1, .change = 1, .jump = 1, .call = 2, .operator = PY_NEXT},
		/* FOR_ITER_TUPLE */
		[177] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 68, .caches = 1, .change = 1, .jump = 1, .call = 2, .operator = PY_NEXT},
		/* FOR_ITER_VIRTUAL */
		[178] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 68, .caches = 1, .change = 1, .jump = 1, .call = 2, .operator = PY_NEXT},
		/* GET_ITER_SELF */
		[179] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 70, .caches = 1, .change = 1},
		/* GET_ITER_VIRTUAL */
		[180] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 70, .caches = 1, .change = 1},
		/* JUMP_BACKWARD_JIT */
		[181] = {.flow = PY_FLOW_KNOWN | PY_FLOW_BACKWARD, .base = 74, .caches = 1, .change = 0, .jump = 0},
		/* JUMP_BACKWARD_NO_JIT */
		[182] = {.flow = PY_FLOW_KNOWN | PY_FLOW_BACKWARD, .base = 74, .caches = 1, .change = 0, .jump = 0},
		/* LOAD_ATTR_CLASS */
		[183] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 79, .caches = 9, .change = 0, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_ATTR_CLASS_WITH_METACLASS_CHECK */
		[184] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 79, .caches = 9, .change = 0, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_ATTR_GETATTRIBUTE_OVERRIDDEN */
		[185] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 79, .caches = 9, .change = 0, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_ATTR_INSTANCE_VALUE */
		[186] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 79, .caches = 9, .change = 0, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_ATTR_METHOD_LAZY_DICT */
		[187] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 79, .caches = 9, .change = 0, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_ATTR_METHOD_NO_DICT */
		[188] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 79, .caches = 9, .change = 0, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_ATTR_METHOD_WITH_VALUES */
		[189] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 79, .caches = 9, .change = 0, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_ATTR_MODULE */
		[190] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 79, .caches = 9, .change = 0, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_ATTR_NONDESCRIPTOR_NO_DICT */
		[191] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 79, .caches = 9, .change = 0, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_ATTR_NONDESCRIPTOR_WITH_VALUES */
		[192] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 79, .caches = 9, .change = 0, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_ATTR_PROPERTY */
		[193] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 79, .caches = 9, .change = 0, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_ATTR_SLOT */
		[194] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 79, .caches = 9, .change = 0, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_ATTR_WITH_HINT */
		[195] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 79, .caches = 9, .change = 0, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_GLOBAL_BUILTIN */
		[196] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 91, .caches = 4, .change = 1, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_GLOBAL_MODULE */
		[197] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 91, .caches = 4, .change = 1, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_SUPER_ATTR_ATTR */
		[198] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 95, .caches = 1, .change = -2, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_SUPER_ATTR_METHOD */
		[199] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 95, .caches = 1, .change = -2, .times = 1, .operand = PY_OPERAND_LOW},
		/* RESUME_CHECK */
		[200] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 128, .caches = 1, .change = 0},
		/* RESUME_CHECK_JIT */
		[201] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 128, .caches = 1, .change = 0},
		/* SEND_ASYNC_GEN */
		[202] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 105, .caches = 1, .change = 0, .jump = 0},
		/* SEND_GEN */
		[203] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 105, .caches = 1, .change = 0, .jump = 0},
		/* SEND_VIRTUAL */
		[204] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 105, .caches = 1, .change = 0, .jump = 0},
		/* STORE_ATTR_INSTANCE_VALUE */
		[205] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 109, .caches = 4, .change = -2},
		/* STORE_ATTR_SLOT */
		[206] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 109, .caches = 4, .change = -2},
		/* STORE_ATTR_WITH_HINT */
		[207] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 109, .caches = 4, .change = -2},
		/* STORE_SUBSCR_DICT */
		[208] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 36, .caches = 1, .change = -3, .call = 2, .operator = PY_SETITEM},
		/* STORE_SUBSCR_LIST_INT */
		[209] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 36, .caches = 1, .change = -3, .call = 2, .operator = PY_SETITEM},
		/* TO_BOOL_ALWAYS_TRUE */
		[210] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 37, .caches = 3, .change = 0},
		/* TO_BOOL_BOOL */
		[211] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 37, .caches = 3, .change = 0},
		/* TO_BOOL_INT */
		[212] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 37, .caches = 3, .change = 0},
		/* TO_BOOL_LIST */
		[213] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 37, .caches = 3, .change = 0},
		/* TO_BOOL_NONE */
		[214] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 37, .caches = 3, .change = 0},
		/* TO_BOOL_STR */
		[215] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 37, .caches = 3, .change = 0},
		/* UNPACK_SEQUENCE_LIST */
		[216] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 118, .caches = 1, .change = -1, .times = 1, .operand = PY_OPERAND_WHOLE},
		/* UNPACK_SEQUENCE_TUPLE */
		[217] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 118, .caches = 1, .change = -1, .times = 1, .operand = PY_OPERAND_WHOLE},
		/* UNPACK_SEQUENCE_TWO_TUPLE */
		[218] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 118, .caches = 1, .change = -1, .times = 1, .operand = PY_OPERAND_WHOLE},
		/* INSTRUMENTED_END_FOR */
		[233] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 9, .change = -1},
		/* INSTRUMENTED_POP_ITER */
		[234] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 28, .change = -2, .call = 2, .operator = PY_DROP},
		/* INSTRUMENTED_END_SEND */
		[235] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 10, .change = -2},
		/* INSTRUMENTED_FOR_ITER */
		[236] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 68, .caches = 1, .change = 1, .jump = 1, .call = 2, .operator = PY_NEXT},
		/* INSTRUMENTED_JUMP_FORWARD */
		[238] = {.flow = PY_FLOW_KNOWN | PY_FLOW_FORWARD, .base = 76, .change = 0, .jump = 0},
		/* INSTRUMENTED_NOT_TAKEN */
		[239] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 26, .change = 0},
		/* INSTRUMENTED_POP_JUMP_IF_TRUE */
		[240] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 102, .caches = 1, .change = -1, .jump = -1},
		/* INSTRUMENTED_POP_JUMP_IF_FALSE */
		[241] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 99, .caches = 1, .change = -1, .jump = -1},
		/* INSTRUMENTED_POP_JUMP_IF_NONE */
		[242] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 100, .caches = 1, .change = -1, .jump = -1},
		/* INSTRUMENTED_POP_JUMP_IF_NOT_NONE */
		[243] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 101, .caches = 1, .change = -1, .jump = -1},
		/* INSTRUMENTED_RESUME */
		[244] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 128, .caches = 1, .change = 0},
		/* INSTRUMENTED_RETURN_VALUE */
		[245] = {.flow = PY_FLOW_KNOWN, .base = 33, .change = 0},
		/* INSTRUMENTED_YIELD_VALUE */
		[246] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 119, .change = 0},
		/* INSTRUMENTED_END_ASYNC_FOR */
		[247] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 66, .change = -2},
		/* INSTRUMENTED_LOAD_SUPER_ATTR */
		[248] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 95, .caches = 1, .change = -2, .times = 1, .operand = PY_OPERAND_LOW},
		/* INSTRUMENTED_CALL */
		[249] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 50, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE},
		/* INSTRUMENTED_CALL_KW */
		[250] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 53, .caches = 3, .change = -2, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 3 | PY_CALL_WHOLE},
		/* INSTRUMENTED_CALL_FUNCTION_EX */
		[251] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 4, .caches = 1, .change = -3, .call = 4},
		/* INSTRUMENTED_JUMP_BACKWARD */
		[252] = {.flow = PY_FLOW_KNOWN | PY_FLOW_BACKWARD, .base = 74, .caches = 1, .change = 0, .jump = 0},
	},
};
