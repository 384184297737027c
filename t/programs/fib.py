# SPDX-License-Identifier: ISC
"""Recursion: fib(N) over and over, for SECONDS.  fib.py SECONDS [N]"""
import sys
import time


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


if __name__ == '__main__':
    end = time.perf_counter() + float(sys.argv[1])
    while time.perf_counter() < end:
        fib(int((sys.argv + ['20'])[2]))
