# SPDX-License-Identifier: ISC
"""Two pairs of calls in turn, one stack as deep as the other.  True stacks
are <module> > hot_X > leaf_X with the same X.  flutter.py SECONDS"""
import sys
import time


def leaf_a(): return sum(range(50))
def leaf_b(): return sum(range(50))
def hot_a(): return leaf_a()
def hot_b(): return leaf_b()


end = time.perf_counter() + float(sys.argv[1])
n = 0
while n & 0xff or time.perf_counter() < end:
    hot_a(); hot_b(); n += 1  # noqa: E702
