/* SPDX-License-Identifier: ISC */
/* glue.c: see glue.h. */
#include "engine/native/glue.h"

#include <stddef.h>
#include <string.h>

/* The beginnings of names: of symbols, to which the compiler may add a suffix such as
 * ".part.0", and of names by CPython's own tables. */
static const char *const beginnings[] = {
	"_PyEval_", "PyEval_EvalCode", "PyEval_EvalFrame", "eval_frame",
	"_PyFunction_", "function_call", "function_code_fastcall",
	"fast_function", "_Py_VectorCall", "vectorcall_",
	"_PyObject_Call", "_PyObject_FastCall", "_PyObject_Vectorcall",
	"_PyObject_VectorcallTstate", "_PyObject_MakeTpCall",
	"PyObject_Call", "PyObject_Vectorcall", "object_vacall",
	"_PyVectorcall_", "PyVectorcall_", "_PyStack_",
	"method_vectorcall", "method_call", "_PyMethod_",
	"_PyMethodDef_", "_PyMethodDescr_", "PyCFunction_", "_PyCFunction_",
	"cfunction_", "cfunction_vectorcall", "call_function", "call_method.",
	"function.__call__", "method.__call__", "method_descriptor.__call__",
	"builtin_function_or_method.__call__", "wrapper_descriptor.__call__",
	"do_call_core", "do_call", "call_trampoline_eval", "py_trampoline_",
};

bool
glue_has(const char *name)
{
	for (size_t i = 0; i < sizeof(beginnings) / sizeof(*beginnings); i++)
		if (strncmp(name, beginnings[i], strlen(beginnings[i])) == 0)
			return true;
	return false;
}
