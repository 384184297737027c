# SPDX-License-Identifier: ISC
"""In step with the clock: in each millisecond 0.3 ms of a, then 0.7 ms of b.
locked.py SECONDS.  The shares by its own clock go to stderr."""
import sys
import time

clock = time.perf_counter_ns


def a(end):
    while clock() < end:
        pass


def b(end):
    while clock() < end:
        pass


def main(seconds):
    now = clock()
    end, spent = now + int(seconds * 1e9), [0, 0]
    while now < end:
        ms = now // 1000000 * 1000000
        for i, f, until in (0, a, ms + 300000), (1, b, ms + 1000000):
            begin = clock()
            f(until)
            spent[i] += clock() - begin
        now = clock()
    sys.stderr.write('a=%.4f b=%.4f\n' %
                     tuple(x / sum(spent) for x in spent))


main(float(sys.argv[1]))
