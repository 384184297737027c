/* SPDX-License-Identifier: ISC */
/* effects_3_11.c: made by mkdepths from CPython 3.11; do not edit. */
#include "python/depths.h"

static const struct py_effects py_effects_3_11 = {
	.minor = 11,
	.opcodes = {
		/* POP_TOP */
		[1] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 1, .change = -1, .call = 1, .operator = PY_DROP},
		/* PUSH_NULL */
		[2] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 2, .change = 1},
		/* BINARY_OP_ADAPTIVE */
		[3] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 122, .caches = 1, .change = -1, .call = 2, .operator = PY_ADD, .select = 1},
		/* BINARY_OP_ADD_FLOAT */
		[4] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 122, .caches = 1, .change = -1, .call = 2, .operator = PY_ADD, .select = 1},
		/* BINARY_OP_ADD_INT */
		[5] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 122, .caches = 1, .change = -1, .call = 2, .operator = PY_ADD, .select = 1},
		/* BINARY_OP_ADD_UNICODE */
		[6] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 122, .caches = 1, .change = -1, .call = 2, .operator = PY_ADD, .select = 1},
		/* BINARY_OP_INPLACE_ADD_UNICODE */
		[7] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 122, .caches = 1, .change = -1, .call = 2, .operator = PY_ADD, .select = 1},
		/* BINARY_OP_MULTIPLY_FLOAT */
		[8] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 122, .caches = 1, .change = -1, .call = 2, .operator = PY_ADD, .select = 1},
		/* NOP */
		[9] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 9, .change = 0},
		/* UNARY_POSITIVE */
		[10] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 10, .change = 0, .call = 1, .operator = PY_POSITIVE},
		/* UNARY_NEGATIVE */
		[11] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 11, .change = 0, .call = 1, .operator = PY_NEGATIVE},
		/* UNARY_NOT */
		[12] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 12, .change = 0},
		/* BINARY_OP_MULTIPLY_INT */
		[13] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 122, .caches = 1, .change = -1, .call = 2, .operator = PY_ADD, .select = 1},
		/* BINARY_OP_SUBTRACT_FLOAT */
		[14] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 122, .caches = 1, .change = -1, .call = 2, .operator = PY_ADD, .select = 1},
		/* UNARY_INVERT */
		[15] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 15, .change = 0, .call = 1, .operator = PY_INVERT},
		/* BINARY_OP_SUBTRACT_INT */
		[16] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 122, .caches = 1, .change = -1, .call = 2, .operator = PY_ADD, .select = 1},
		/* BINARY_SUBSCR_ADAPTIVE */
		[17] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 25, .caches = 4, .change = -1, .call = 2, .operator = PY_GETITEM},
		/* BINARY_SUBSCR_DICT */
		[18] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 25, .caches = 4, .change = -1, .call = 2, .operator = PY_GETITEM},
		/* BINARY_SUBSCR_GETITEM */
		[19] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 25, .caches = 4, .change = -1, .call = 2, .operator = PY_GETITEM},
		/* BINARY_SUBSCR_LIST_INT */
		[20] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 25, .caches = 4, .change = -1, .call = 2, .operator = PY_GETITEM},
		/* BINARY_SUBSCR_TUPLE_INT */
		[21] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 25, .caches = 4, .change = -1, .call = 2, .operator = PY_GETITEM},
		/* CALL_ADAPTIVE */
		[22] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 171, .caches = 4, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE | PY_CALL_MAYBE},
		/* CALL_PY_EXACT_ARGS */
		[23] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 171, .caches = 4, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE | PY_CALL_MAYBE},
		/* CALL_PY_WITH_DEFAULTS */
		[24] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 171, .caches = 4, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE | PY_CALL_MAYBE},
		/* BINARY_SUBSCR */
		[25] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 25, .caches = 4, .change = -1, .call = 2, .operator = PY_GETITEM},
		/* COMPARE_OP_ADAPTIVE */
		[26] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 107, .caches = 2, .change = -1, .call = 2, .operator = PY_LT, .select = 1},
		/* COMPARE_OP_FLOAT_JUMP */
		[27] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 107, .caches = 2, .change = -1, .call = 2, .operator = PY_LT, .select = 1},
		/* COMPARE_OP_INT_JUMP */
		[28] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 107, .caches = 2, .change = -1, .call = 2, .operator = PY_LT, .select = 1},
		/* COMPARE_OP_STR_JUMP */
		[29] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 107, .caches = 2, .change = -1, .call = 2, .operator = PY_LT, .select = 1},
		/* GET_LEN */
		[30] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 30, .change = 1},
		/* MATCH_MAPPING */
		[31] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 31, .change = 1},
		/* MATCH_SEQUENCE */
		[32] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 32, .change = 1},
		/* MATCH_KEYS */
		[33] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 33, .change = 1},
		/* EXTENDED_ARG_QUICK */
		[34] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_EXTENDS, .base = 144, .change = 0},
		/* PUSH_EXC_INFO */
		[35] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 35, .change = 1},
		/* CHECK_EXC_MATCH */
		[36] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 36, .change = 0},
		/* CHECK_EG_MATCH */
		[37] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 37, .change = 0},
		/* JUMP_BACKWARD_QUICK */
		[38] = {.flow = PY_FLOW_KNOWN | PY_FLOW_BACKWARD, .base = 140, .change = 0, .jump = 0},
		/* LOAD_ATTR_ADAPTIVE */
		[39] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 106, .caches = 4, .change = 0},
		/* LOAD_ATTR_INSTANCE_VALUE */
		[40] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 106, .caches = 4, .change = 0},
		/* LOAD_ATTR_MODULE */
		[41] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 106, .caches = 4, .change = 0},
		/* LOAD_ATTR_SLOT */
		[42] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 106, .caches = 4, .change = 0},
		/* LOAD_ATTR_WITH_HINT */
		[43] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 106, .caches = 4, .change = 0},
		/* LOAD_CONST__LOAD_FAST */
		[44] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 100, .change = 1},
		/* LOAD_FAST__LOAD_CONST */
		[45] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 124, .change = 1},
		/* LOAD_FAST__LOAD_FAST */
		[46] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 124, .change = 1},
		/* LOAD_GLOBAL_ADAPTIVE */
		[47] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 116, .caches = 5, .change = 1, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_GLOBAL_BUILTIN */
		[48] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 116, .caches = 5, .change = 1, .times = 1, .operand = PY_OPERAND_LOW},
		/* WITH_EXCEPT_START */
		[49] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 49, .change = 1},
		/* GET_AITER */
		[50] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 50, .change = 0},
		/* GET_ANEXT */
		[51] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 51, .change = 1},
		/* BEFORE_ASYNC_WITH */
		[52] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 52, .change = 1},
		/* BEFORE_WITH */
		[53] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 53, .change = 1, .call = 1, .operator = PY_ENTER},
		/* END_ASYNC_FOR */
		[54] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 54, .change = -2},
		/* LOAD_GLOBAL_MODULE */
		[55] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 116, .caches = 5, .change = 1, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_METHOD_ADAPTIVE */
		[56] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 160, .caches = 10, .change = 1},
		/* LOAD_METHOD_CLASS */
		[57] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 160, .caches = 10, .change = 1},
		/* LOAD_METHOD_MODULE */
		[58] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 160, .caches = 10, .change = 1},
		/* LOAD_METHOD_NO_DICT */
		[59] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 160, .caches = 10, .change = 1},
		/* STORE_SUBSCR */
		[60] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 60, .caches = 1, .change = -3, .call = 2, .operator = PY_SETITEM},
		/* DELETE_SUBSCR */
		[61] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 61, .change = -2, .call = 2, .operator = PY_DELITEM},
		/* LOAD_METHOD_WITH_DICT */
		[62] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 160, .caches = 10, .change = 1},
		/* LOAD_METHOD_WITH_VALUES */
		[63] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 160, .caches = 10, .change = 1},
		/* PRECALL_ADAPTIVE */
		[64] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 166, .caches = 1, .change = 0, .call = 2 | PY_CALL_WHOLE | PY_CALL_MAYBE},
		/* PRECALL_BOUND_METHOD */
		[65] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 166, .caches = 1, .change = 0, .call = 2 | PY_CALL_WHOLE | PY_CALL_MAYBE},
		/* PRECALL_BUILTIN_CLASS */
		[66] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 166, .caches = 1, .change = 0, .call = 2 | PY_CALL_WHOLE | PY_CALL_MAYBE},
		/* PRECALL_BUILTIN_FAST_WITH_KEYWORDS */
		[67] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 166, .caches = 1, .change = 0, .call = 2 | PY_CALL_WHOLE | PY_CALL_MAYBE},
		/* GET_ITER */
		[68] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 68, .change = 0},
		/* GET_YIELD_FROM_ITER */
		[69] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 69, .change = 0},
		/* PRINT_EXPR */
		[70] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 70, .change = -1},
		/* LOAD_BUILD_CLASS */
		[71] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 71, .change = 1},
		/* PRECALL_METHOD_DESCRIPTOR_FAST_WITH_KEYWORDS */
		[72] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 166, .caches = 1, .change = 0, .call = 2 | PY_CALL_WHOLE | PY_CALL_MAYBE},
		/* PRECALL_NO_KW_BUILTIN_FAST */
		[73] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 166, .caches = 1, .change = 0, .call = 2 | PY_CALL_WHOLE | PY_CALL_MAYBE},
		/* LOAD_ASSERTION_ERROR */
		[74] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 74, .change = 1},
		/* RETURN_GENERATOR */
		[75] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 75, .change = 1},
		/* PRECALL_NO_KW_BUILTIN_O */
		[76] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 166, .caches = 1, .change = 0, .call = 2 | PY_CALL_WHOLE | PY_CALL_MAYBE},
		/* PRECALL_NO_KW_ISINSTANCE */
		[77] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 166, .caches = 1, .change = 0, .call = 2 | PY_CALL_WHOLE | PY_CALL_MAYBE},
		/* PRECALL_NO_KW_LEN */
		[78] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 166, .caches = 1, .change = 0, .call = 2 | PY_CALL_WHOLE | PY_CALL_MAYBE},
		/* PRECALL_NO_KW_LIST_APPEND */
		[79] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 166, .caches = 1, .change = 0, .call = 2 | PY_CALL_WHOLE | PY_CALL_MAYBE},
		/* PRECALL_NO_KW_METHOD_DESCRIPTOR_FAST */
		[80] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 166, .caches = 1, .change = 0, .call = 2 | PY_CALL_WHOLE | PY_CALL_MAYBE},
		/* PRECALL_NO_KW_METHOD_DESCRIPTOR_NOARGS */
		[81] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 166, .caches = 1, .change = 0, .call = 2 | PY_CALL_WHOLE | PY_CALL_MAYBE},
		/* LIST_TO_TUPLE */
		[82] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 82, .change = 0},
		/* RETURN_VALUE */
		[83] = {.flow = PY_FLOW_KNOWN, .base = 83, .change = -1},
		/* IMPORT_STAR */
		[84] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 84, .change = -1},
		/* SETUP_ANNOTATIONS */
		[85] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 85, .change = 0},
		/* YIELD_VALUE */
		[86] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 86, .change = 0},
		/* ASYNC_GEN_WRAP */
		[87] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 87, .change = 0},
		/* PREP_RERAISE_STAR */
		[88] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 88, .change = -1},
		/* POP_EXCEPT */
		[89] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 89, .change = -1},
		/* STORE_NAME */
		[90] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 90, .change = -1},
		/* DELETE_NAME */
		[91] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 91, .change = 0},
		/* UNPACK_SEQUENCE */
		[92] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 92, .caches = 1, .change = -1, .times = 1, .operand = PY_OPERAND_WHOLE},
		/* FOR_ITER */
		[93] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 93, .change = 1, .jump = -1, .call = 1, .operator = PY_NEXT},
		/* UNPACK_EX */
		[94] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 94, .change = 0, .times = 1, .operand = PY_OPERAND_BYTES},
		/* STORE_ATTR */
		[95] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 95, .caches = 4, .change = -2},
		/* DELETE_ATTR */
		[96] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 96, .change = -1},
		/* STORE_GLOBAL */
		[97] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 97, .change = -1},
		/* DELETE_GLOBAL */
		[98] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 98, .change = 0},
		/* SWAP */
		[99] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 99, .change = 0},
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
		[106] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 106, .caches = 4, .change = 0},
		/* COMPARE_OP */
		[107] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 107, .caches = 2, .change = -1, .call = 2, .operator = PY_LT, .select = 1},
		/* IMPORT_NAME */
		[108] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 108, .change = -1},
		/* IMPORT_FROM */
		[109] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 109, .change = 1},
		/* JUMP_FORWARD */
		[110] = {.flow = PY_FLOW_KNOWN | PY_FLOW_FORWARD, .base = 110, .change = 0, .jump = 0},
		/* JUMP_IF_FALSE_OR_POP */
		[111] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 111, .change = -1, .jump = 0},
		/* JUMP_IF_TRUE_OR_POP */
		[112] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 112, .change = -1, .jump = 0},
		/* PRECALL_NO_KW_METHOD_DESCRIPTOR_O */
		[113] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 166, .caches = 1, .change = 0, .call = 2 | PY_CALL_WHOLE | PY_CALL_MAYBE},
		/* POP_JUMP_FORWARD_IF_FALSE */
		[114] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 114, .change = -1, .jump = -1},
		/* POP_JUMP_FORWARD_IF_TRUE */
		[115] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 115, .change = -1, .jump = -1},
		/* LOAD_GLOBAL */
		[116] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 116, .caches = 5, .change = 1, .times = 1, .operand = PY_OPERAND_LOW},
		/* IS_OP */
		[117] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 117, .change = -1},
		/* CONTAINS_OP */
		[118] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 118, .change = -1, .call = 2, .operator = PY_CONTAINS},
		/* RERAISE */
		[119] = {.flow = PY_FLOW_KNOWN, .base = 119, .change = -1},
		/* COPY */
		[120] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 120, .change = 1},
		/* PRECALL_NO_KW_STR_1 */
		[121] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 166, .caches = 1, .change = 0, .call = 2 | PY_CALL_WHOLE | PY_CALL_MAYBE},
		/* BINARY_OP */
		[122] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 122, .caches = 1, .change = -1, .call = 2, .operator = PY_ADD, .select = 1},
		/* SEND */
		[123] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 123, .change = 0, .jump = -1},
		/* LOAD_FAST */
		[124] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 124, .change = 1},
		/* STORE_FAST */
		[125] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 125, .change = -1},
		/* DELETE_FAST */
		[126] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 126, .change = 0},
		/* PRECALL_NO_KW_TUPLE_1 */
		[127] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 166, .caches = 1, .change = 0, .call = 2 | PY_CALL_WHOLE | PY_CALL_MAYBE},
		/* POP_JUMP_FORWARD_IF_NOT_NONE */
		[128] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 128, .change = -1, .jump = -1},
		/* POP_JUMP_FORWARD_IF_NONE */
		[129] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 129, .change = -1, .jump = -1},
		/* RAISE_VARARGS */
		[130] = {.flow = PY_FLOW_KNOWN, .base = 130, .change = 0, .times = -1, .operand = PY_OPERAND_WHOLE},
		/* GET_AWAITABLE */
		[131] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 131, .change = 0},
		/* MAKE_FUNCTION */
		[132] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 132, .change = 0, .times = -1, .operand = PY_OPERAND_FLAGS},
		/* BUILD_SLICE */
		[133] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 133, .change = -1, .times = -1, .operand = PY_OPERAND_IS_3},
		/* JUMP_BACKWARD_NO_INTERRUPT */
		[134] = {.flow = PY_FLOW_KNOWN | PY_FLOW_BACKWARD, .base = 134, .change = 0, .jump = 0},
		/* MAKE_CELL */
		[135] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 135, .change = 0},
		/* LOAD_CLOSURE */
		[136] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 136, .change = 1},
		/* LOAD_DEREF */
		[137] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 137, .change = 1},
		/* STORE_DEREF */
		[138] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 138, .change = -1},
		/* DELETE_DEREF */
		[139] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 139, .change = 0},
		/* JUMP_BACKWARD */
		[140] = {.flow = PY_FLOW_KNOWN | PY_FLOW_BACKWARD, .base = 140, .change = 0, .jump = 0},
		/* PRECALL_NO_KW_TYPE_1 */
		[141] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 166, .caches = 1, .change = 0, .call = 2 | PY_CALL_WHOLE | PY_CALL_MAYBE},
		/* CALL_FUNCTION_EX */
		[142] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 142, .change = -2, .times = -1, .operand = PY_OPERAND_LOW, .call = 2 | PY_CALL_LOW},
		/* PRECALL_PYFUNC */
		[143] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 166, .caches = 1, .change = 0, .call = 2 | PY_CALL_WHOLE | PY_CALL_MAYBE},
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
		/* COPY_FREE_VARS */
		[149] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 149, .change = 0},
		/* RESUME_QUICK */
		[150] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 151, .change = 0},
		/* RESUME */
		[151] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 151, .change = 0},
		/* MATCH_CLASS */
		[152] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 152, .change = -2},
		/* STORE_ATTR_ADAPTIVE */
		[153] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 95, .caches = 4, .change = -2},
		/* STORE_ATTR_INSTANCE_VALUE */
		[154] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 95, .caches = 4, .change = -2},
		/* FORMAT_VALUE */
		[155] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 155, .change = 0, .times = -1, .operand = PY_OPERAND_BIT_2},
		/* BUILD_CONST_KEY_MAP */
		[156] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 156, .change = 0, .times = -1, .operand = PY_OPERAND_WHOLE},
		/* BUILD_STRING */
		[157] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 157, .change = 1, .times = -1, .operand = PY_OPERAND_WHOLE},
		/* STORE_ATTR_SLOT */
		[158] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 95, .caches = 4, .change = -2},
		/* STORE_ATTR_WITH_HINT */
		[159] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 95, .caches = 4, .change = -2},
		/* LOAD_METHOD */
		[160] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 160, .caches = 10, .change = 1},
		/* STORE_FAST__LOAD_FAST */
		[161] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 125, .change = -1},
		/* LIST_EXTEND */
		[162] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 162, .change = -1},
		/* SET_UPDATE */
		[163] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 163, .change = -1},
		/* DICT_MERGE */
		[164] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 164, .change = -1},
		/* DICT_UPDATE */
		[165] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 165, .change = -1},
		/* PRECALL */
		[166] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 166, .caches = 1, .change = 0, .call = 2 | PY_CALL_WHOLE | PY_CALL_MAYBE},
		/* STORE_FAST__STORE_FAST */
		[167] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 125, .change = -1},
		/* STORE_SUBSCR_ADAPTIVE */
		[168] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 60, .caches = 1, .change = -3, .call = 2, .operator = PY_SETITEM},
		/* STORE_SUBSCR_DICT */
		[169] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 60, .caches = 1, .change = -3, .call = 2, .operator = PY_SETITEM},
		/* STORE_SUBSCR_LIST_INT */
		[170] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 60, .caches = 1, .change = -3, .call = 2, .operator = PY_SETITEM},
		/* CALL */
		[171] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 171, .caches = 4, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE | PY_CALL_MAYBE},
		/* KW_NAMES */
		[172] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 172, .change = 0},
		/* POP_JUMP_BACKWARD_IF_NOT_NONE */
		[173] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_BACKWARD, .base = 173, .change = -1, .jump = -1},
		/* POP_JUMP_BACKWARD_IF_NONE */
		[174] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_BACKWARD, .base = 174, .change = -1, .jump = -1},
		/* POP_JUMP_BACKWARD_IF_FALSE */
		[175] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_BACKWARD, .base = 175, .change = -1, .jump = -1},
		/* POP_JUMP_BACKWARD_IF_TRUE */
		[176] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_BACKWARD, .base = 176, .change = -1, .jump = -1},
		/* UNPACK_SEQUENCE_ADAPTIVE */
		[177] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 92, .caches = 1, .change = -1, .times = 1, .operand = PY_OPERAND_WHOLE},
		/* UNPACK_SEQUENCE_LIST */
		[178] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 92, .caches = 1, .change = -1, .times = 1, .operand = PY_OPERAND_WHOLE},
		/* UNPACK_SEQUENCE_TUPLE */
		[179] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 92, .caches = 1, .change = -1, .times = 1, .operand = PY_OPERAND_WHOLE},
		/* UNPACK_SEQUENCE_TWO_TUPLE */
		[180] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 92, .caches = 1, .change = -1, .times = 1, .operand = PY_OPERAND_WHOLE},
	},
};
