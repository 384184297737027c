# SPDX-License-Identifier: ISC
"""A data job: heights of a map, smoothed and added up.  heights.py [SECONDS]"""
import sys
import time

import numpy


def smooth(heights):
    total = heights.copy()
    for axis in 0, 1:
        for step in -1, 1:
            total += numpy.roll(heights, step, axis)
    return total / 5


def steepest(heights):
    best = 0.0
    for row in heights:
        for a, b in zip(row, row[1:]):
            best = max(best, abs(b - a))
    return best


def main():
    end = time.monotonic() + float((sys.argv + ['3'])[1])
    rng = numpy.random.default_rng(1)
    while time.monotonic() < end:
        heights = rng.random((300, 300))
        for _ in range(20):
            heights = smooth(heights)
        steepest(heights)


main()
