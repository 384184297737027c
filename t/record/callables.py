# SPDX-License-Identifier: ISC
"""callables.py SECONDS: one place calls functions of C of many kinds, in turn, each from
a function of its own.  Prints the names of that function and of the callee, separated by a tab.
"""
import collections
import functools
import operator
import re
import sys
import time

MANY = list(range(2000))
WORDS = [str(i) for i in MANY]
PATTERN = re.compile("(a|b)*c")
TEXT = "ab" * 500 + "c"
SCALE = 3 ** 4000


def call(function, *args):
    return function(*args)


def of_module():
    call(sorted, MANY)


def of_another_module():
    call(functools.reduce, operator.add, MANY)


def bound_anew():
    call(list(MANY).sort)


def bound_to_another():
    call(set(MANY).union, MANY)


def bound_to_text():
    call(",".join, WORDS)


def bound_to_a_type():
    call(dict.fromkeys, MANY)


def of_a_type():
    call(list.count, MANY, 7)


def of_a_type_anew():
    call(PATTERN.match, TEXT)


def wrapped():
    call(SCALE.__pow__, 3)


def in_a_partial():
    call(functools.partial(sum, MANY))


def a_type():
    call(set, MANY)


def a_type_of_a_module():
    call(collections.deque, MANY)


def an_object():
    call(operator.itemgetter(*MANY), MANY)


PAIRS = [
    (of_module, "sorted"),
    (of_another_module, "_functools.reduce"),
    (bound_anew, "list.sort"),
    (bound_to_another, "set.union"),
    (bound_to_text, "str.join"),
    (bound_to_a_type, "dict.fromkeys"),
    (of_a_type, "list.count"),
    (of_a_type_anew, type(PATTERN).__module__ + "." + type(PATTERN).__name__ +
     ".match"),
    (wrapped, "int.__pow__"),
    (in_a_partial, "sum"),
    (a_type, "type set"),
    (a_type_of_a_module, "type collections.deque"),
    (an_object, "operator.itemgetter.__call__"),
]


def main(seconds):
    for function, callee in PAIRS:
        print(function.__name__, callee, sep="\t")
    sys.stdout.flush()
    end = time.time() + seconds
    while time.time() < end:
        for function, _ in PAIRS:
            function()


main(float(sys.argv[1]))
