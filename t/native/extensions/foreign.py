# SPDX-License-Identifier: ISC
"""foreign.py [--edges]: see mixed.py; calls Python by way of cffi and of ctypes."""
import ctypes
import mixed
from cffi import FFI
from mixed import go

CALLBACK = 'callback|ffi|closure|cffi'
EDGES = {
    ('by_cffi', 'from_cffi'): CALLBACK,
    ('by_cffi_qsort', 'from_cffi_qsort'): 'qsort|msort|' + CALLBACK,
    ('by_qsort', 'from_qsort'): 'qsort|msort|ffi|closure|Callback|ctypes',
    ('by_long', 'from_long'): 'ffi|closure|Callback|ctypes',
}

ffi = FFI()
ffi.cdef('void qsort(void *, size_t, size_t, int (*)(const void *, const void *));')
library = ffi.dlopen(None)
# Here, as cffi calls functions of Python's by way of C when it makes one of them.
qsort = library.qsort
FUNCTION = ffi.typeof('int(*)(int)')
COMPARE = ffi.typeof('int(*)(const void *, const void *)')
INTS = ffi.typeof('int[2]')
ctypes_library = ctypes.CDLL(None)
ORDER = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
LONG = ctypes.CFUNCTYPE(ctypes.c_double, *[ctypes.c_double] * 20)


def by_cffi(rest):
    def from_cffi(x):
        go(rest)
        return x
    ffi.callback(FUNCTION, from_cffi)(1)


def by_cffi_qsort(rest):
    def from_cffi_qsort(a, b):
        go(rest)
        return 0
    order = ffi.callback(COMPARE, from_cffi_qsort)
    qsort(ffi.new(INTS, [2, 1]), 2, 4, order)


def by_qsort(rest):
    def from_qsort(a, b):
        go(rest)
        return 0
    ctypes_library.qsort((ctypes.c_int * 2)(2, 1), ctypes.c_size_t(2),
                         ctypes.c_size_t(4), ORDER(from_qsort))


def by_long(rest):
    """More arguments than registers take."""
    def from_long(*args):
        go(rest)
        return args[-1]
    LONG(from_long)(*range(20))


mixed.main(EDGES, mixed.ways_of(globals()))
