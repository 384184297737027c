# SPDX-License-Identifier: ISC
"""A stack that is deeper than a sample can be, and another thread beside it:
depths.py DEPTH SECONDS."""
import sys
import threading
import time

DEPTH, SECONDS = int(sys.argv[1]), float(sys.argv[2])
reached = threading.Event()


def innermost():
    reached.set()
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        pass


def down(n):
    return down(n - 1) if n else innermost()


def beside():
    reached.wait()
    time.sleep(SECONDS)


sys.setrecursionlimit(DEPTH + 1000)
threading.stack_size(1 << 30)
threads = [threading.Thread(target=down, args=(DEPTH,)),
           threading.Thread(target=beside)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
