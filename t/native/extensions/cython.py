# SPDX-License-Identifier: ISC
"""cython.py [--edges]: see mixed.py; calls Python by way of functions of Cython."""
import mixed
import within
from mixed import go, leaf

EDGES = {
    ('by_cython', 'from_cython'): 'call_once',
    ('by_cython_deep', 'from_deep'): 'call_deep',
    ('by_cython_call', 'from_call'): '__call__',
    ('by_cython_order', 'from_order'): 'richcompare|__lt__',
    ('by_cython_generator', 'from_generator'): 'generat',
    ('by_cython_closure', 'from_closure'): 'enclosed|inner',
    ('by_cython_qsort', 'from_qsort'): 'compare',
    ('by_cython_gil', 'from_gil'): 'call_with_gil|without_gil',
    ('by_cython_except', 'from_except'): 'call_twice',
    ('by_cython_except', 'from_handler'): 'call_twice',
    ('by_cython_error', 'from_error'): 'call_once',
}


def by_cython(rest):
    def from_cython(x):
        go(rest)
        return x
    within.call_once(from_cython, 1)


def by_cython_deep(rest):
    def from_deep(x):
        go(rest)
        return x
    within.call_deep(from_deep, 9)


def by_cython_call(rest):
    def from_call(x):
        go(rest)
        return x
    within.Caller(from_call)(1)


def by_cython_order(rest):
    def from_order(x):
        go(rest)
        return True
    sorted([within.Caller(from_order), within.Caller(from_order)])


def by_cython_generator(rest):
    def from_generator(x):
        go(rest)
        return x
    for x in within.generate(from_generator):
        pass


def by_cython_closure(rest):
    def from_closure(x):
        go(rest)
        return x
    within.enclosed(from_closure)


def by_cython_qsort(rest):
    def from_qsort(x):
        go(rest)
        return x
    within.sort_by(from_qsort)


def by_cython_gil(rest):
    def from_gil(x):
        go(rest)
        return x
    within.without_gil(from_gil)


def by_cython_except(rest):
    def from_except(x):
        go(rest)
        raise ValueError

    def from_handler(x):
        go(rest)
        return x
    within.call_twice(from_except, from_handler)


def by_cython_error(rest):
    def from_error(x):
        go(rest)
        raise ValueError
    try:
        within.call_once(from_error, 1)
    except ValueError:
        leaf()


mixed.main(EDGES, mixed.ways_of(globals()))
