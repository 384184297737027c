# SPDX-License-Identifier: ISC
"""Threads that come and go, while one stays: churn.py TRUTH [SECONDS]."""
import sys
import threading
import time

from spot import spot, start

end = time.perf_counter() + float((sys.argv + ['1.5'])[2])
born = 0


def brief(n):
    return brief(n - 1) if n else time.perf_counter()


def stays():
    while time.perf_counter() < end:
        spot('stays', 0.2)


if __name__ == '__main__':
    start(sys.argv[1])
    steady = threading.Thread(target=stays)
    steady.start()
    while time.perf_counter() < end:
        few = [threading.Thread(target=brief, args=(20,)) for _ in range(8)]
        for t in few:
            t.start()
        for t in few:
            t.join()
        born += len(few)
    steady.join()
    sys.stderr.write('%d threads\n' % born)
