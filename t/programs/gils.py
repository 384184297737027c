# SPDX-License-Identifier: ISC
"""gils.py SECONDS: threads whose status is known.  hog wants the GIL all the
time, in three threads; crunch computes without it; rest sleeps."""
import hashlib
import sys
import threading
import time

end = time.monotonic() + float(sys.argv[1])
data = bytes(64 << 20)


def hog():
    while time.monotonic() < end:
        for _ in range(10000):
            pass


def crunch():
    while time.monotonic() < end:
        hashlib.sha256(data)


def rest():
    time.sleep(max(0, end - time.monotonic()))


threads = [threading.Thread(target=f) for f in (hog, hog, hog, crunch, rest)]
for t in threads:
    t.start()
for t in threads:
    t.join()
