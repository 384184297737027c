# SPDX-License-Identifier: ISC
"""Counts in a file of eight bytes or more what it has done: counting.py FILE"""
import mmap
import sys


def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def main():
    with open(sys.argv[1], 'r+b') as f:
        count = memoryview(mmap.mmap(f.fileno(), 0)).cast('Q')
    while True:
        fibonacci(8)
        count[0] += 1


main()
