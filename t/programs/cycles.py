# SPDX-License-Identifier: ISC
"""cycles.py FILE SECONDS: makes garbage in cycles, and writes to FILE the
share of its time that went into collecting it, in per cent."""
import gc
import sys
import time

spent = began = 0


def note(phase, info):
    global spent, began
    if phase == "start":
        began = time.perf_counter()
    else:
        spent += time.perf_counter() - began


class Node:
    pass


def make():
    keep = [Node() for _ in range(200000)]
    for a, b in zip(keep, keep[1:]):
        a.next, b.previous = b, a
    return keep


def collect():
    gc.collect()


def spin():
    end = time.perf_counter() + 0.05
    while time.perf_counter() < end:
        pass


def main(path, seconds):
    gc.callbacks.append(note)
    start = time.perf_counter()
    while time.perf_counter() < start + seconds:
        keep = make()
        collect()
        spin()
        del keep
    share = 100 * spent / (time.perf_counter() - start)
    with open(path, "w") as f:
        f.write(f"{share}\n")


main(sys.argv[1], float(sys.argv[2]))
