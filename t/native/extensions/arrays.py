# SPDX-License-Identifier: ISC
"""arrays.py [--edges]: see mixed.py; calls Python by way of numpy."""
import mixed
import numpy
from mixed import go, leaf

UFUNC = 'ufunc|PyUFunc|umath|generic|frompyfunc'
ARRAY = 'array|Array|npy|OBJECT'
EDGES = {
    ('by_ufunc', 'of_ufunc'): UFUNC,
    ('/numpy/', '/numpy/'): '-',
    ('by_vectorize', '__call__'): '-',
    ('_vectorize_call', 'of_vectorize'): UFUNC,
    ('by_along', 'apply_along_axis'): 'array_function',
    ('by_sorted_array', '__lt__'): 'sort|npy|OBJECT|compare|' + ARRAY,
    ('by_added', '__add__'): UFUNC + '|number|array|add|OBJECT',
    ('by_iterable', 'of_fromiter'): ARRAY + '|iter',
    ('by_protocol', '__array__'): ARRAY,
    ('by_reduced', '__add__'): UFUNC + '|number|array|add|OBJECT',
    ('by_array_error', 'of_error'): UFUNC,
}


class Number:
    def __init__(self, rest):
        self.rest = rest

    def __lt__(self, other):
        go(self.rest)
        return False

    def __add__(self, other):
        go(self.rest)
        return self

    def __array__(self, *args, **keywords):
        go(self.rest)
        return numpy.zeros(2)


def objects_of(rest, n=2):
    a = numpy.empty(n, object)
    for i in range(n):
        a[i] = Number(rest)
    return a


def by_ufunc(rest):
    def of_ufunc(x):
        go(rest)
        return x
    numpy.frompyfunc(of_ufunc, 1, 1)(numpy.arange(2))


def by_vectorize(rest):
    def of_vectorize(x):
        go(rest)
        return x
    numpy.vectorize(of_vectorize, otypes=[int])(numpy.arange(2))


def by_along(rest):
    def of_axis(row):
        go(rest)
        return row
    numpy.apply_along_axis(of_axis, 1, numpy.zeros((2, 2)))


def by_sorted_array(rest):
    objects_of(rest, 3).sort()


def by_added(rest):
    objects_of(rest) + objects_of(rest)


def by_iterable(rest):
    def of_fromiter():
        go(rest)
        yield 1
    numpy.fromiter(of_fromiter(), int)


def by_protocol(rest):
    numpy.array(Number(rest))


def by_reduced(rest):
    numpy.add.reduce(objects_of(rest, 3))


def by_array_error(rest):
    def of_error(x):
        go(rest)
        raise ValueError
    try:
        numpy.frompyfunc(of_error, 1, 1)(numpy.arange(2))
    except ValueError:
        leaf()


def by_numbers(rest):
    a = numpy.random.rand(60, 60)
    (a @ a).sort()
    go(rest)


mixed.main(EDGES, mixed.ways_of(globals()))
