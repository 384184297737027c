# SPDX-License-Identifier: ISC
"""Two functions that are called through the same ones, each from lines of its
own, by functions that are made anew all the time: turns.py SECONDS THROUGH.  In
code of the file `turns`, lines of even numbers come to even() and others to
odd()."""
import sys
import time


def even(n):
    for _ in range(n):
        pass


def odd(n):
    for _ in range(n):
        pass


def call(function):
    function(30)


def calling(inner):
    def outer(function):
        inner(function)
    return outer


SOURCE = '''\
def turns(end):
    while clock() < end - 0.008: call(even)
    while clock() < end - 0.004:

        call(odd)
    while clock() < end:

        call(even)
        call(odd)
'''


if __name__ == '__main__':
    end = time.perf_counter() + float(sys.argv[1])
    for _ in range(int(sys.argv[2]) - 1):
        call = calling(call)
    while time.perf_counter() < end:
        scope = dict(clock=time.perf_counter, call=call, even=even, odd=odd)
        exec(compile(SOURCE, 'turns', 'exec'), scope)
        scope['turns'](time.perf_counter() + 0.012)
