/* SPDX-License-Identifier: ISC */
/* effects_3_12.c: made by mkdepths from CPython 3.12; do not edit. */
#include "python/depths.h"

static const struct py_effects py_effects_3_12 = {
	.minor = 12,
	.opcodes = {
		/* POP_TOP */
		[1] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 1, .change = -1, .call = 1, .operator = PY_DROP},
		/* PUSH_NULL */
		[2] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 2, .change = 1},
		/* INTERPRETER_EXIT */
		[3] = {.flow = PY_FLOW_KNOWN, .base = 3, .change = -1},
		/* END_FOR */
		[4] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 4, .change = -2},
		/* END_SEND */
		[5] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 5, .change = -1},
		/* BINARY_OP_ADD_FLOAT */
		[6] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 122, .caches = 1, .change = -1, .call = 2, .operator = PY_ADD, .select = 1},
		/* BINARY_OP_ADD_INT */
		[7] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 122, .caches = 1, .change = -1, .call = 2, .operator = PY_ADD, .select = 1},
		/* BINARY_OP_ADD_UNICODE */
		[8] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 122, .caches = 1, .change = -1, .call = 2, .operator = PY_ADD, .select = 1},
		/* NOP */
		[9] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 9, .change = 0},
		/* BINARY_OP_INPLACE_ADD_UNICODE */
		[10] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 122, .caches = 1, .change = -1, .call = 2, .operator = PY_ADD, .select = 1},
		/* UNARY_NEGATIVE */
		[11] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 11, .change = 0, .call = 1, .operator = PY_NEGATIVE},
		/* UNARY_NOT */
		[12] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 12, .change = 0},
		/* BINARY_OP_MULTIPLY_FLOAT */
		[13] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 122, .caches = 1, .change = -1, .call = 2, .operator = PY_ADD, .select = 1},
		/* BINARY_OP_MULTIPLY_INT */
		[14] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 122, .caches = 1, .change = -1, .call = 2, .operator = PY_ADD, .select = 1},
		/* UNARY_INVERT */
		[15] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 15, .change = 0, .call = 1, .operator = PY_INVERT},
		/* BINARY_OP_SUBTRACT_FLOAT */
		[16] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 122, .caches = 1, .change = -1, .call = 2, .operator = PY_ADD, .select = 1},
		/* BINARY_OP_SUBTRACT_INT */
		[18] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 122, .caches = 1, .change = -1, .call = 2, .operator = PY_ADD, .select = 1},
		/* BINARY_SUBSCR_DICT */
		[19] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 25, .caches = 1, .change = -1, .call = 2, .operator = PY_GETITEM},
		/* BINARY_SUBSCR_GETITEM */
		[20] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 25, .caches = 1, .change = -1, .call = 2, .operator = PY_GETITEM},
		/* BINARY_SUBSCR_LIST_INT */
		[21] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 25, .caches = 1, .change = -1, .call = 2, .operator = PY_GETITEM},
		/* BINARY_SUBSCR_TUPLE_INT */
		[22] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 25, .caches = 1, .change = -1, .call = 2, .operator = PY_GETITEM},
		/* CALL_PY_EXACT_ARGS */
		[23] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 171, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE | PY_CALL_MAYBE},
		/* CALL_PY_WITH_DEFAULTS */
		[24] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 171, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE | PY_CALL_MAYBE},
		/* BINARY_SUBSCR */
		[25] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 25, .caches = 1, .change = -1, .call = 2, .operator = PY_GETITEM},
		/* BINARY_SLICE */
		[26] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 26, .change = -2, .call = 3, .operator = PY_GETSLICE},
		/* STORE_SLICE */
		[27] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 27, .change = -4, .call = 3, .operator = PY_SETSLICE},
		/* CALL_BOUND_METHOD_EXACT_ARGS */
		[28] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 171, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE | PY_CALL_MAYBE},
		/* CALL_BUILTIN_CLASS */
		[29] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 171, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE | PY_CALL_MAYBE},
		/* GET_LEN */
		[30] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 30, .change = 1},
		/* MATCH_MAPPING */
		[31] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 31, .change = 1},
		/* MATCH_SEQUENCE */
		[32] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 32, .change = 1},
		/* MATCH_KEYS */
		[33] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 33, .change = 1},
		/* CALL_BUILTIN_FAST_WITH_KEYWORDS */
		[34] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 171, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE | PY_CALL_MAYBE},
		/* PUSH_EXC_INFO */
		[35] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 35, .change = 1},
		/* CHECK_EXC_MATCH */
		[36] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 36, .change = 0},
		/* CHECK_EG_MATCH */
		[37] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 37, .change = 0},
		/* CALL_METHOD_DESCRIPTOR_FAST_WITH_KEYWORDS */
		[38] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 171, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE | PY_CALL_MAYBE},
		/* CALL_NO_KW_BUILTIN_FAST */
		[39] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 171, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE | PY_CALL_MAYBE},
		/* CALL_NO_KW_BUILTIN_O */
		[40] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 171, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE | PY_CALL_MAYBE},
		/* CALL_NO_KW_ISINSTANCE */
		[41] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 171, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE | PY_CALL_MAYBE},
		/* CALL_NO_KW_LEN */
		[42] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 171, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE | PY_CALL_MAYBE},
		/* CALL_NO_KW_LIST_APPEND */
		[43] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 171, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE | PY_CALL_MAYBE},
		/* CALL_NO_KW_METHOD_DESCRIPTOR_FAST */
		[44] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 171, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE | PY_CALL_MAYBE},
		/* CALL_NO_KW_METHOD_DESCRIPTOR_NOARGS */
		[45] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 171, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE | PY_CALL_MAYBE},
		/* CALL_NO_KW_METHOD_DESCRIPTOR_O */
		[46] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 171, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE | PY_CALL_MAYBE},
		/* CALL_NO_KW_STR_1 */
		[47] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 171, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE | PY_CALL_MAYBE},
		/* CALL_NO_KW_TUPLE_1 */
		[48] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 171, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE | PY_CALL_MAYBE},
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
		/* CLEANUP_THROW */
		[55] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 55, .change = -1},
		/* CALL_NO_KW_TYPE_1 */
		[56] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 171, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE | PY_CALL_MAYBE},
		/* COMPARE_OP_FLOAT */
		[57] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 107, .caches = 1, .change = -1, .call = 2, .operator = PY_LT, .select = 5},
		/* COMPARE_OP_INT */
		[58] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 107, .caches = 1, .change = -1, .call = 2, .operator = PY_LT, .select = 5},
		/* COMPARE_OP_STR */
		[59] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 107, .caches = 1, .change = -1, .call = 2, .operator = PY_LT, .select = 5},
		/* STORE_SUBSCR */
		[60] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 60, .caches = 1, .change = -3, .call = 2, .operator = PY_SETITEM},
		/* DELETE_SUBSCR */
		[61] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 61, .change = -2, .call = 2, .operator = PY_DELITEM},
		/* FOR_ITER_LIST */
		[62] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 93, .caches = 1, .change = 1, .jump = 1, .call = 1, .operator = PY_NEXT},
		/* FOR_ITER_TUPLE */
		[63] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 93, .caches = 1, .change = 1, .jump = 1, .call = 1, .operator = PY_NEXT},
		/* FOR_ITER_RANGE */
		[64] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 93, .caches = 1, .change = 1, .jump = 1, .call = 1, .operator = PY_NEXT},
		/* FOR_ITER_GEN */
		[65] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 93, .caches = 1, .change = 1, .jump = 1, .call = 1, .operator = PY_NEXT},
		/* LOAD_SUPER_ATTR_ATTR */
		[66] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 141, .caches = 1, .change = -2, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_SUPER_ATTR_METHOD */
		[67] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 141, .caches = 1, .change = -2, .times = 1, .operand = PY_OPERAND_LOW},
		/* GET_ITER */
		[68] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 68, .change = 0},
		/* GET_YIELD_FROM_ITER */
		[69] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 69, .change = 0},
		/* LOAD_ATTR_CLASS */
		[70] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 106, .caches = 9, .change = 0, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_BUILD_CLASS */
		[71] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 71, .change = 1},
		/* LOAD_ATTR_GETATTRIBUTE_OVERRIDDEN */
		[72] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 106, .caches = 9, .change = 0, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_ATTR_INSTANCE_VALUE */
		[73] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 106, .caches = 9, .change = 0, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_ASSERTION_ERROR */
		[74] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 74, .change = 1},
		/* RETURN_GENERATOR */
		[75] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 75, .change = 1},
		/* LOAD_ATTR_MODULE */
		[76] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 106, .caches = 9, .change = 0, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_ATTR_PROPERTY */
		[77] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 106, .caches = 9, .change = 0, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_ATTR_SLOT */
		[78] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 106, .caches = 9, .change = 0, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_ATTR_WITH_HINT */
		[79] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 106, .caches = 9, .change = 0, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_ATTR_METHOD_LAZY_DICT */
		[80] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 106, .caches = 9, .change = 0, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_ATTR_METHOD_NO_DICT */
		[81] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 106, .caches = 9, .change = 0, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_ATTR_METHOD_WITH_VALUES */
		[82] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 106, .caches = 9, .change = 0, .times = 1, .operand = PY_OPERAND_LOW},
		/* RETURN_VALUE */
		[83] = {.flow = PY_FLOW_KNOWN, .base = 83, .change = -1},
		/* LOAD_CONST__LOAD_FAST */
		[84] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 100, .change = 1},
		/* SETUP_ANNOTATIONS */
		[85] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 85, .change = 0},
		/* LOAD_FAST__LOAD_CONST */
		[86] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 124, .change = 1},
		/* LOAD_LOCALS */
		[87] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 87, .change = 1},
		/* LOAD_FAST__LOAD_FAST */
		[88] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 124, .change = 1},
		/* POP_EXCEPT */
		[89] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 89, .change = -1},
		/* STORE_NAME */
		[90] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 90, .change = -1},
		/* DELETE_NAME */
		[91] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 91, .change = 0},
		/* UNPACK_SEQUENCE */
		[92] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 92, .caches = 1, .change = -1, .times = 1, .operand = PY_OPERAND_WHOLE},
		/* FOR_ITER */
		[93] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 93, .caches = 1, .change = 1, .jump = 1, .call = 1, .operator = PY_NEXT},
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
		[106] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 106, .caches = 9, .change = 0, .times = 1, .operand = PY_OPERAND_LOW},
		/* COMPARE_OP */
		[107] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 107, .caches = 1, .change = -1, .call = 2, .operator = PY_LT, .select = 5},
		/* IMPORT_NAME */
		[108] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 108, .change = -1},
		/* IMPORT_FROM */
		[109] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 109, .change = 1},
		/* JUMP_FORWARD */
		[110] = {.flow = PY_FLOW_KNOWN | PY_FLOW_FORWARD, .base = 110, .change = 0, .jump = 0},
		/* LOAD_GLOBAL_BUILTIN */
		[111] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 116, .caches = 4, .change = 1, .times = 1, .operand = PY_OPERAND_LOW},
		/* LOAD_GLOBAL_MODULE */
		[112] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 116, .caches = 4, .change = 1, .times = 1, .operand = PY_OPERAND_LOW},
		/* STORE_ATTR_INSTANCE_VALUE */
		[113] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 95, .caches = 4, .change = -2},
		/* POP_JUMP_IF_FALSE */
		[114] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 114, .change = -1, .jump = -1},
		/* POP_JUMP_IF_TRUE */
		[115] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 115, .change = -1, .jump = -1},
		/* LOAD_GLOBAL */
		[116] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 116, .caches = 4, .change = 1, .times = 1, .operand = PY_OPERAND_LOW},
		/* IS_OP */
		[117] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 117, .change = -1},
		/* CONTAINS_OP */
		[118] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 118, .change = -1, .call = 2, .operator = PY_CONTAINS},
		/* RERAISE */
		[119] = {.flow = PY_FLOW_KNOWN, .base = 119, .change = -1},
		/* COPY */
		[120] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 120, .change = 1},
		/* RETURN_CONST */
		[121] = {.flow = PY_FLOW_KNOWN, .base = 121, .change = 0},
		/* BINARY_OP */
		[122] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 122, .caches = 1, .change = -1, .call = 2, .operator = PY_ADD, .select = 1},
		/* SEND */
		[123] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 123, .caches = 1, .change = 0, .jump = 0},
		/* LOAD_FAST */
		[124] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 124, .change = 1},
		/* STORE_FAST */
		[125] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 125, .change = -1},
		/* DELETE_FAST */
		[126] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 126, .change = 0},
		/* LOAD_FAST_CHECK */
		[127] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 127, .change = 1},
		/* POP_JUMP_IF_NOT_NONE */
		[128] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 128, .change = -1, .jump = -1},
		/* POP_JUMP_IF_NONE */
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
		/* LOAD_SUPER_ATTR */
		[141] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 141, .caches = 1, .change = -2, .times = 1, .operand = PY_OPERAND_LOW},
		/* CALL_FUNCTION_EX */
		[142] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 142, .change = -2, .times = -1, .operand = PY_OPERAND_LOW, .call = 2 | PY_CALL_LOW},
		/* LOAD_FAST_AND_CLEAR */
		[143] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 143, .change = 1},
		/* EXTENDED_ARG */
		[144] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_EXTENDS, .base = 144, .change = 0},
		/* LIST_APPEND */
		[145] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 145, .change = -1},
		/* SET_ADD */
		[146] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 146, .change = -1},
		/* MAP_ADD */
		[147] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 147, .change = -2},
		/* STORE_ATTR_SLOT */
		[148] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 95, .caches = 4, .change = -2},
		/* COPY_FREE_VARS */
		[149] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 149, .change = 0},
		/* YIELD_VALUE */
		[150] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 150, .change = 0},
		/* RESUME */
		[151] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 151, .change = 0},
		/* MATCH_CLASS */
		[152] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 152, .change = -2},
		/* STORE_ATTR_WITH_HINT */
		[153] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 95, .caches = 4, .change = -2},
		/* STORE_FAST__LOAD_FAST */
		[154] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 125, .change = -1},
		/* FORMAT_VALUE */
		[155] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 155, .change = 0, .times = -1, .operand = PY_OPERAND_BIT_2},
		/* BUILD_CONST_KEY_MAP */
		[156] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 156, .change = 0, .times = -1, .operand = PY_OPERAND_WHOLE},
		/* BUILD_STRING */
		[157] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 157, .change = 1, .times = -1, .operand = PY_OPERAND_WHOLE},
		/* STORE_FAST__STORE_FAST */
		[158] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 125, .change = -1},
		/* STORE_SUBSCR_DICT */
		[159] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 60, .caches = 1, .change = -3, .call = 2, .operator = PY_SETITEM},
		/* STORE_SUBSCR_LIST_INT */
		[160] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 60, .caches = 1, .change = -3, .call = 2, .operator = PY_SETITEM},
		/* UNPACK_SEQUENCE_LIST */
		[161] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 92, .caches = 1, .change = -1, .times = 1, .operand = PY_OPERAND_WHOLE},
		/* LIST_EXTEND */
		[162] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 162, .change = -1},
		/* SET_UPDATE */
		[163] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 163, .change = -1},
		/* DICT_MERGE */
		[164] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 164, .change = -1},
		/* DICT_UPDATE */
		[165] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 165, .change = -1},
		/* UNPACK_SEQUENCE_TUPLE */
		[166] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 92, .caches = 1, .change = -1, .times = 1, .operand = PY_OPERAND_WHOLE},
		/* UNPACK_SEQUENCE_TWO_TUPLE */
		[167] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 92, .caches = 1, .change = -1, .times = 1, .operand = PY_OPERAND_WHOLE},
		/* SEND_GEN */
		[168] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 123, .caches = 1, .change = 0, .jump = 0},
		/* CALL */
		[171] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 171, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE | PY_CALL_MAYBE},
		/* KW_NAMES */
		[172] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 172, .change = 0},
		/* CALL_INTRINSIC_1 */
		[173] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 173, .change = 0},
		/* CALL_INTRINSIC_2 */
		[174] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 174, .change = -1},
		/* LOAD_FROM_DICT_OR_GLOBALS */
		[175] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 175, .change = 0},
		/* LOAD_FROM_DICT_OR_DEREF */
		[176] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 176, .change = 0},
		/* INSTRUMENTED_LOAD_SUPER_ATTR */
		[237] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 141, .caches = 1, .change = -2, .times = 1, .operand = PY_OPERAND_LOW},
		/* INSTRUMENTED_POP_JUMP_IF_NONE */
		[238] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 129, .change = -1, .jump = -1},
		/* INSTRUMENTED_POP_JUMP_IF_NOT_NONE */
		[239] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 128, .change = -1, .jump = -1},
		/* INSTRUMENTED_RESUME */
		[240] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 151, .change = 0},
		/* INSTRUMENTED_CALL */
		[241] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 171, .caches = 3, .change = -1, .times = -1, .operand = PY_OPERAND_WHOLE, .call = 2 | PY_CALL_WHOLE | PY_CALL_MAYBE},
		/* INSTRUMENTED_RETURN_VALUE */
		[242] = {.flow = PY_FLOW_KNOWN, .base = 83, .change = -1},
		/* INSTRUMENTED_YIELD_VALUE */
		[243] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 150, .change = 0},
		/* INSTRUMENTED_CALL_FUNCTION_EX */
		[244] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 142, .change = -2, .times = -1, .operand = PY_OPERAND_LOW, .call = 2 | PY_CALL_LOW},
		/* INSTRUMENTED_JUMP_FORWARD */
		[245] = {.flow = PY_FLOW_KNOWN | PY_FLOW_FORWARD, .base = 110, .change = 0, .jump = 0},
		/* INSTRUMENTED_JUMP_BACKWARD */
		[246] = {.flow = PY_FLOW_KNOWN | PY_FLOW_BACKWARD, .base = 140, .change = 0, .jump = 0},
		/* INSTRUMENTED_RETURN_CONST */
		[247] = {.flow = PY_FLOW_KNOWN, .base = 121, .change = 0},
		/* INSTRUMENTED_FOR_ITER */
		[248] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 93, .caches = 1, .change = 1, .jump = 1, .call = 1, .operator = PY_NEXT},
		/* INSTRUMENTED_POP_JUMP_IF_FALSE */
		[249] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 114, .change = -1, .jump = -1},
		/* INSTRUMENTED_POP_JUMP_IF_TRUE */
		[250] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON | PY_FLOW_FORWARD, .base = 115, .change = -1, .jump = -1},
		/* INSTRUMENTED_END_FOR */
		[251] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 4, .change = -2},
		/* INSTRUMENTED_END_SEND */
		[252] = {.flow = PY_FLOW_KNOWN | PY_FLOW_GOES_ON, .base = 5, .change = -1},
	},
};
