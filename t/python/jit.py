# SPDX-License-Identifier: ISC
"""A loop that the JIT of Python 3.15 compiles, if it is on.  jit.py ROUNDS"""
import sys


def hot(n):
    i = 0
    x = 0.5
    y = 1.5
    while i < n:
        x = x * 0.99
        y = y + x
        x = y - x
        i += 1
    return x


hot(int(sys.argv[1]))
