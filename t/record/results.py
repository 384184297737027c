# SPDX-License-Identifier: ISC
"""results.py SECONDS: three threads take turns at the GIL.  One place calls functions of C
that return a callable of C, in turn, each from a function of its own.  Prints the names of
that function and of the callee, separated by a tab.
"""
import functools
import operator
import sys
import threading
import time

MANY = list(range(2000))


def call(function, *args):
    return function(*args)


def call_one(function, arg):
    return function(arg)


def call_two(function, one, other):
    return function(one, other)


def bound_method():
    call_two(getattr, MANY, "sort")


def bound_by_many():
    call(getattr, MANY, "sort")


def a_type():
    call_one(type, MANY)


def a_getter():
    call_one(operator.itemgetter, 1)


def a_partial():
    call(functools.partial, sorted, MANY)


PAIRS = [
    (bound_method, "getattr"),
    (bound_by_many, "getattr"),
    (a_type, "type type"),
    (a_getter, "type operator.itemgetter"),
    (a_partial, "type functools.partial"),
]


def work(end):
    while time.time() < end:
        for function, _ in PAIRS:
            for _ in range(50):
                function()


def main(seconds):
    for function, callee in PAIRS:
        print(function.__name__, callee, sep="\t")
    sys.stdout.flush()
    end = time.time() + seconds
    for _ in range(2):
        threading.Thread(target=work, args=(end,)).start()
    work(end)


main(float(sys.argv[1]))
