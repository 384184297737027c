# SPDX-License-Identifier: ISC
"""callbacks.py SECONDS: Python functions that C code calls: key, reduced,
replaced and yielded; and one that it does not: called."""
import functools
import re
import sys
import time


def key(x):
    for _ in range(100):
        pass
    return x


def reduced(a, b):
    for _ in range(100):
        pass
    return a


def replaced(match):
    for _ in range(100):
        pass
    return "x"


def yielded():
    while True:
        for _ in range(100):
            pass
        yield 1


def called():
    for _ in range(100):
        pass


def main(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        sorted(range(100), key=key)
        functools.reduce(reduced, range(100))
        re.sub("a", replaced, "a" * 100)
        for _ in zip(range(100), yielded()):
            pass
        for _ in range(100):
            called()


main(float(sys.argv[1]))
