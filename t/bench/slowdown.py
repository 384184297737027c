#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""How much slower profilers make a program:

    slowdown.py TIMES FILE TARGET... -- PROFILER... [-- PROFILER...]...

starts the target, which counts its work in that file, then attaches each of
the profilers in turn, so many times, with PID in its arguments replaced, and
prints for each the median of how much slower the program was than just before
and just after.  A machine's speed moves by more than that from one second to
the next.
"""
import mmap
import statistics
import subprocess
import sys
import time

WINDOW = 0.15   # s, in which work is counted
SETTLE = 0.1    # s, which profilers take to attach


def cut(argv):
    """Parts of a list, at each '--'."""
    parts = [[]]
    for x in argv:
        if x == '--':
            parts.append([])
        else:
            parts[-1].append(x)
    return parts


def speed(count):
    begin, done = time.perf_counter(), count[0]
    time.sleep(WINDOW)
    return (count[0] - done) / (time.perf_counter() - begin)


def with_profiler(command, count):
    p = subprocess.Popen(command, stdout=subprocess.DEVNULL,
                         stderr=subprocess.DEVNULL)
    time.sleep(SETTLE)
    result = speed(count)
    if p.poll() is not None:
        sys.exit('slowdown.py: %s has ended' % command[0])
    p.terminate()
    p.wait()
    return result


def main(times, path, *argv):
    target, *profilers = cut(argv)
    with open(path, 'w+b') as f:
        f.truncate(mmap.PAGESIZE)
        count = memoryview(mmap.mmap(f.fileno(), 0)).cast('Q')
    target = subprocess.Popen(target)
    slower = [[] for _ in profilers]
    try:
        while count[0] == 0 and target.poll() is None:
            time.sleep(0.01)
        if target.poll() is not None:
            sys.exit('slowdown.py: the target has ended')
        before = speed(count)
        for _ in range(int(times)):
            for profiler, ratios in zip(profilers, slower):
                profiled = with_profiler(
                    [str(target.pid) if x == 'PID' else x for x in profiler],
                    count)
                after = speed(count)
                ratios.append((before + after) / 2 / profiled)
                before = after
    finally:
        target.kill()
    print(*('%.3f' % statistics.median(r) for r in slower))


main(*sys.argv[1:])
