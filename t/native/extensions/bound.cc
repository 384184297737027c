/* SPDX-License-Identifier: ISC */
/* bound.cc: functions of C++ that call Python, by pybind11. */
#include <pybind11/functional.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace py = pybind11;

#define NOINLINE __attribute__((noinline))

static NOINLINE py::object
call_once(py::object f, int x)
{
	return f(x);
}

static NOINLINE int
call_function(const std::function<int(int)> &f, int x)
{
	return f(x) + 1;
}

/* Python is called again while the exception is being handled. */
static NOINLINE py::object
call_catching(py::object f, py::object g)
{
	try {
		return f(0);
	} catch (py::error_already_set &) {
		return g(1);
	}
}

/* Throws Python's exception, and another one, through frames of its own. */
static NOINLINE int
call_through(py::object f, int depth)
{
	std::vector<int> keeps(3, depth);

	if (depth > 0)
		return call_through(f, depth - 1) + keeps[1];
	try {
		return f(0).cast<int>();
	} catch (py::error_already_set &) {
		throw std::invalid_argument("thrown on");
	}
}

static NOINLINE void
call_sort(std::vector<int> v, py::object less)
{
	std::sort(v.begin(), v.end(), [&](int a, int b) {
		return less(a, b).cast<bool>();
	});
}

struct Step {
	virtual ~Step() = default;
	virtual int step(int x) { return x; }
};

struct Overridden : Step {
	int
	step(int x) override
	{
		PYBIND11_OVERRIDE(int, Step, step, x);
	}
};

static NOINLINE int
take_steps(Step &s, int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += s.step(i);
	return sum;
}

static NOINLINE void
call_again(PyObject *f)
{
	py::gil_scoped_acquire held;
	py::reinterpret_borrow<py::object>(f)(1);
}

static NOINLINE void
call_released(py::object f)
{
	py::gil_scoped_release released;
	call_again(f.ptr());
}

/* Calls Python while an exception destroys it. */
struct Guard {
	py::object f;
	NOINLINE ~Guard()
	{
		py::error_scope kept;
		f(1);
	}
};

static NOINLINE void
call_guarded(py::object f, py::object g)
{
	Guard guard{g};
	f(0);
}

PYBIND11_MODULE(bound, m)
{
	m.def("call_once", call_once);
	m.def("call_function", call_function);
	m.def("call_catching", call_catching);
	m.def("call_through", call_through);
	m.def("call_sort", call_sort);
	m.def("take_steps", take_steps);
	m.def("call_released", call_released);
	m.def("call_guarded", call_guarded);
	py::class_<Step, Overridden>(m, "Step").def(py::init<>()).def("step",
	    &Step::step);
}
