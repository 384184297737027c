# SPDX-License-Identifier: ISC
"""Three steps of equal cost, of which one may be made dearer:
slower.py [STEP TIMES]."""
import sys
import time

times = {'parse': 1, 'check': 1, 'store': 1}
if len(sys.argv) == 3:
    times[sys.argv[1]] = int(sys.argv[2])


def work(count):
    total = 0
    for n in range(count):
        total += n * n % 7
    return total


def parse():
    for n in range(times['parse'] * 3000):
        n * n % 7
    work(300)


def check():
    for n in range(times['check'] * 3000):
        n * n % 7
    work(300)


def store():
    for n in range(times['store'] * 3000):
        n * n % 7
    work(300)


end = time.monotonic() + 1
while time.monotonic() < end:
    parse()
    check()
    store()
