# SPDX-License-Identifier: ISC
"""Callables of many kinds, for callees.bats: prints how a call of each is shown, as
NAME, a space and the callee or "-", for none; then waits."""
import collections
import functools
import io
import operator
import sys
import threading
import time
import _thread


class Python(object):
    def __init__(self):
        pass

    def method(self):
        pass

    def __call__(self):
        pass


class Empty(object):
    pass


class List(list):
    pass


class Partial(functools.partial):
    pass


class Caller(object):
    def __call__(self):
        pass


class Mixed(Caller, functools.partial):
    pass


class partial(object):
    __slots__ = ("func",)

    def __init__(self):
        self.func = sorted

    def __call__(self):
        pass


NAMESAKE = partial()


class builtin_function_or_method(object):
    __slots__ = ("method", "self")


def python():
    pass


def cached():
    pass


expected = {}


def case(name, callable_, callee="-"):
    globals()[name] = callable_
    expected[name] = callee


items = []
case("function", len, "len")
case("module_function", time.sleep, "time.sleep")
case("underscored", _thread.get_ident, "_thread.get_ident")
case("bound", items.sort, "list.sort")
case("bound_of_subclass", List().append, "List.append")
case("unbound", list.sort, "list.sort")
case("string", "".join, "str.join")
case("of_class", dict.fromkeys, "dict.fromkeys")
case("in_class", dict.__dict__["fromkeys"], "dict.fromkeys")
case("static", str.maketrans, "str.maketrans")
case("new", object.__new__, "object.__new__")
case("slot", list.__len__, "list.__len__")
case("bound_slot", items.__len__, "list.__len__")
case("type", dict, "type dict")
case("type_of_module", collections.OrderedDict,
     "type collections.OrderedDict")
case("own_type", Empty, "type Empty")
case("partial", functools.partial(sorted, reverse=True), "sorted")
case("nested", functools.partial(functools.partial(time.sleep)), "time.sleep")
case("endless", functools.reduce(
    lambda f, _: functools.partial(functools.partial, f), range(9), len),
    "type functools.partial")
case("derived", Partial(sorted), "functools.partial.__call__")
case("overridden", Mixed(sorted))
case("namesake", NAMESAKE)
case("getter", operator.itemgetter(1), "operator.itemgetter.__call__")
case("caller", operator.methodcaller("x"), "operator.methodcaller.__call__")
case("cache", functools.lru_cache(maxsize=None)(cached),
     "functools._lru_cache_wrapper.__call__")
case("lock", threading.Lock().acquire, "_thread.lock.acquire")
case("write", io.BytesIO().write, "_io.BytesIO.write")
case("python", python)
case("python_method", Python().method)
case("python_object", Python())
case("generator", (i for i in ()))
case("number", 7)
case("deceit", builtin_function_or_method())
try:
    import numpy
    case("ufunc", numpy.add, "numpy.ufunc add")
    case("of_array", numpy.zeros(1).sum, "numpy.ndarray.sum")
except ImportError:
    pass
for name, callee in expected.items():
    print(name, callee)
print("nothing none")
sys.stdout.flush()
time.sleep(600)
