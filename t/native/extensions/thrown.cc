/* SPDX-License-Identifier: ISC */
/* thrown.cc: functions of C++ that call Python, by CPython's own interface, and throw. */
#include <Python.h>

#include <algorithm>
#include <stdexcept>
#include <thread>
#include <vector>

#define NOINLINE __attribute__((noinline))

namespace {

/* A function of Python has raised. */
struct Raised : std::runtime_error {
	Raised() : std::runtime_error("raised") {}
};

struct Counted {
	static int count;
	Counted() { count++; }
	NOINLINE ~Counted() { count--; }
};

int Counted::count;

inline void
call(PyObject *f, int x)
{
	PyObject *result = PyObject_CallFunction(f, "i", x);

	if (result == NULL)
		throw Raised();
	Py_DECREF(result);
}

/* Frames that an exception passes, with something to destroy in each. */
NOINLINE int
call_level(PyObject *f, int depth)
{
	Counted c;

	if (depth > 0)
		return call_level(f, depth - 1) + 1;
	call(f, depth);
	return 0;
}

PyObject *
done()
{
	if (PyErr_Occurred() != NULL)
		return NULL;
	Py_RETURN_NONE;
}

PyObject *
throw_through(PyObject *, PyObject *args)
{
	PyObject *f;
	int depth;

	if (!PyArg_ParseTuple(args, "Oi", &f, &depth))
		return NULL;
	try {
		call_level(f, depth);
	} catch (const Raised &) {
		return NULL;
	}
	return done();
}

/* Calls Python in a handler. */
PyObject *
call_handling(PyObject *, PyObject *args)
{
	PyObject *f, *g;

	if (!PyArg_ParseTuple(args, "OO", &f, &g))
		return NULL;
	try {
		call_level(f, 4);
	} catch (const Raised &) {
		PyErr_Clear();
		call(g, 1);
	}
	return done();
}

/* Calls Python in a handler of what a handler has thrown. */
PyObject *
call_nested(PyObject *, PyObject *args)
{
	PyObject *f;

	if (!PyArg_ParseTuple(args, "O", &f))
		return NULL;
	try {
		try {
			throw 1;
		} catch (int) {
			throw Raised();
		}
	} catch (const Raised &) {
		call(f, 1);
	}
	return done();
}

/* Calls Python while an exception destroys it. */
struct Cleaner {
	PyObject *f;
	NOINLINE ~Cleaner()
	{
		PyErr_Clear();
		call(f, 1);
	}
};

NOINLINE void
clean(PyObject *f, PyObject *g)
{
	Cleaner c{g};
	call_level(f, 2);
}

PyObject *
call_cleaning(PyObject *, PyObject *args)
{
	PyObject *f, *g;

	if (!PyArg_ParseTuple(args, "OO", &f, &g))
		return NULL;
	try {
		clean(f, g);
	} catch (const Raised &) {
	}
	return done();
}

struct Less {
	PyObject *f;
	NOINLINE bool
	operator()(int a, int b) const
	{
		call(f, a);
		return a < b;
	}
};

PyObject *
call_template(PyObject *, PyObject *args)
{
	PyObject *f;
	std::vector<int> v = {3, 1, 2};

	if (!PyArg_ParseTuple(args, "O", &f))
		return NULL;
	std::stable_sort(v.begin(), v.end(), Less{f});
	return done();
}

void
run_thread(PyObject *f)
{
	PyGILState_STATE state = PyGILState_Ensure();
	call(f, 1);
	PyGILState_Release(state);
}

PyObject *
call_in_thread(PyObject *, PyObject *args)
{
	PyObject *f;

	if (!PyArg_ParseTuple(args, "O", &f))
		return NULL;
	Py_BEGIN_ALLOW_THREADS
	std::thread(run_thread, f).join();
	Py_END_ALLOW_THREADS
	return done();
}

struct Base {
	virtual ~Base() = default;
	virtual void run(PyObject *f) = 0;
};

struct Derived : Base {
	void
	run(PyObject *f) override
	{
		Counted c;
		call(f, 1);
	}
};

PyObject *
call_virtual(PyObject *, PyObject *args)
{
	PyObject *f;
	Derived d;
	Base *volatile b = &d;

	if (!PyArg_ParseTuple(args, "O", &f))
		return NULL;
	b->run(f);
	return done();
}

PyMethodDef methods[] = {
	{"throw_through", throw_through, METH_VARARGS, NULL},
	{"call_handling", call_handling, METH_VARARGS, NULL},
	{"call_nested", call_nested, METH_VARARGS, NULL},
	{"call_cleaning", call_cleaning, METH_VARARGS, NULL},
	{"call_template", call_template, METH_VARARGS, NULL},
	{"call_in_thread", call_in_thread, METH_VARARGS, NULL},
	{"call_virtual", call_virtual, METH_VARARGS, NULL},
	{NULL, NULL, 0, NULL},
};

PyModuleDef module = {PyModuleDef_HEAD_INIT, "thrown", NULL, -1, methods, NULL, NULL,
	NULL, NULL};

}

PyMODINIT_FUNC
PyInit_thrown()
{
	return PyModule_Create(&module);
}
