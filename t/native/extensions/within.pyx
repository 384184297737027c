# SPDX-License-Identifier: ISC
# cython: language_level=3
"""within.pyx: functions of Cython that call Python."""
from libc.stdlib cimport qsort

cdef object key = None


def call_once(f, x):
    return f(x)


cpdef object call_deep(f, int n):
    return f(n) if n == 0 else call_deep(f, n - 1)


cdef class Caller:
    cdef object f

    def __init__(self, f):
        self.f = f

    def __call__(self, x):
        return self.f(x)

    def __lt__(self, other):
        return self.f(other)


def generate(f):
    yield f(0)
    yield f(1)


def enclosed(f):
    def inner(x):
        return f(x)
    return list(map(inner, [1]))


cdef int compare(const void *a, const void *b) noexcept with gil:
    key(1)
    return (<const int *>a)[0] - (<const int *>b)[0]


def sort_by(f):
    global key
    cdef int numbers[3]
    numbers[0], numbers[1], numbers[2] = 2, 3, 1
    key = f
    qsort(numbers, 3, sizeof(int), compare)


cdef int call_with_gil(f) except -1 with gil:
    f(1)
    return 0


def without_gil(f):
    with nogil:
        call_with_gil(f)


def call_twice(f, g):
    try:
        f(0)
    except ValueError:
        g(1)
