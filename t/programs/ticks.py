# SPDX-License-Identifier: ISC
"""Works a little and sleeps a little, on two stacks in turn: ticks.py SECONDS.
Prints the monotonic clock when it begins, and that it came to its end."""
import sys
import time


def leaf_a(): return sum(range(200))
def leaf_b(): return time.sleep(0.002)
def hot_a(): return leaf_a()
def hot_b(): return leaf_b()


begin = time.monotonic()
print(begin, flush=True)
while time.monotonic() < begin + float(sys.argv[1]):
    hot_a(); hot_b()  # noqa: E702
print('unhurt', flush=True)
