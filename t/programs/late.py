# SPDX-License-Identifier: ISC
"""Calls that are new when all else is known for long: late.py SECONDS, and as
long again with them.  Then give() is called as often where `# 1` is as where
`# 2` is, and skip() where `# 3` and `# 4` are."""
import sys
import time


def work():
    for _ in range(20):
        pass


def give(function):
    function()


def hop(function):
    function()


def skip(function):
    function()


def turn(late, movers):
    for _ in range(100):
        give(work)  # 1
        if late:
            give(work)  # 2
        for move in movers:
            move(work)  # 3
        skip(work)  # 4


if __name__ == '__main__':
    start, seconds, movers = time.perf_counter(), float(sys.argv[1]), [hop]
    for late in False, True:
        start += seconds
        while time.perf_counter() < start:
            turn(late, movers)
        movers.append(skip)
