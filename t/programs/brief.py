# SPDX-License-Identifier: ISC
"""A function that is over within a microsecond, after which others take its
place on the data stack at once: brief.py SECONDS.  Its share, per mille, by
its own clock goes to stdout."""
import sys
import time

from fib import fib


def brief():
    time.thread_time()


def nothing():
    pass


def play(function, n):
    start = time.perf_counter()
    for _ in range(n):
        fib(8)
        function()
    return time.perf_counter() - start


if __name__ == '__main__':
    end = time.perf_counter() + float(sys.argv[1])
    while time.perf_counter() < end:
        play(brief, 1000)
    # In turn and many times: some of them nothing else disturbs.
    both, less = map(min, zip(*((play(brief, 300), play(nothing, 300))
                                for _ in range(200))))
    print(round(1000 * (both - less) / both))
