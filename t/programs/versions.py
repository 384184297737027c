# SPDX-License-Identifier: ISC
"""Makes functions, each to run for 20 ms and be dropped, so that their code
objects lie where others lay: once_0, once_1 and so on.  Before that it gives a
function so many versions, which Python 3.12 counts.  It says when it begins.
versions.py FUNCTIONS VERSIONS"""
import sys
import time
import types


def work(end):
    n = 0
    while time.perf_counter() < end:
        n += 1


def changing(a=0):
    pass


def call():
    for _ in range(60):
        changing()


def main(functions, versions):
    for i in range(versions):
        changing.__defaults__ = (i,)
        call()
    print('begins', flush=True)
    code = work.__code__
    for n in range(functions):
        name = 'once_%d' % n
        code = code.replace(co_name=name, co_qualname=name)
        # Called from C, which asks for no version of it.
        list(map(types.FunctionType(code, globals()),
                 [time.perf_counter() + 0.02]))


main(int(sys.argv[1]), int(sys.argv[2]))
