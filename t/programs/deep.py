# SPDX-License-Identifier: ISC
"""Stacks that are deep: deep.py TRUTH [DEPTH].  At the default depth of
10,000 the interpreter keeps them in many pieces of memory."""
import sys
import threading

from spot import spot, start

depth = int((sys.argv + ['10000'])[2])


def down(n):
    return down(n - 1) if n else spot('deep', 0.4)


def odd(n):
    # The frame that is called by C lies apart from the others.
    return list(map(even, [n - 1])) if n else spot('deep through C', 0.2)


def even(n):
    return odd(n - 1)


def steps(n):
    if n:
        yield from steps(n - 1)
    else:
        yield spot('deep generators', 0.2)


def main():
    down(depth)
    odd(200)
    list(steps(500))


if __name__ == '__main__':
    start(sys.argv[1])
    sys.setrecursionlimit(max(1000, depth + 1000))
    threading.stack_size(512 << 20)
    t = threading.Thread(target=main)
    t.start()
    t.join()
