# SPDX-License-Identifier: ISC
"""A function that is over within a microsecond, after which others take its
place on the data stack at once: brief.py SECONDS.  Its share, per mille, by
its own clock goes to stdout: of its calls alone, as its system call slows down
the code that follows."""
import sys
import time

from fib import fib


def brief():
    time.thread_time()


def nothing():
    pass


def play(function, n):
    """The seconds of n turns, and of them in calls of the function."""
    within = 0
    start = time.perf_counter()
    for _ in range(n):
        fib(8)
        called = time.perf_counter()
        function()
        within += time.perf_counter() - called
    return time.perf_counter() - start, within


if __name__ == '__main__':
    end = time.perf_counter() + float(sys.argv[1])
    while time.perf_counter() < end:
        play(brief, 1000)
    # In turn and many times: some of them nothing else disturbs.  The call of
    # nothing() takes the clock's own time away, and that of play's line.
    turns = [play(brief, 300) + play(nothing, 300) for _ in range(200)]
    whole, within, _, without = map(min, zip(*turns))
    print(round(1000 * (within - without) / whole))
