# SPDX-License-Identifier: ISC
"""Many threads, each at a place of its own: threads.py TRUTH [BUSY [IDLE]]."""
import sys
import threading
import time

from spot import rest, spot, start

busy, idle = (int(x) for x in (sys.argv[2:] + ['2', '50'][len(sys.argv) - 2:]))
up = threading.Barrier(busy + idle)
seconds = 1.2


def work(n):
    up.wait()
    for i in range(4):
        spot('busy %d' % n, seconds / 4)


def sleep(n):
    up.wait()
    # Everybody sleeps at another depth.
    (lambda: rest('idle %d' % n, seconds))() if n % 2 else deeper(n, n)


def deeper(n, depth):
    return deeper(n, depth - 1) if depth else rest('idle %d' % n, seconds)


def main():
    all_of_them = [threading.Thread(target=work, args=(n,), daemon=True)
                   for n in range(busy)]
    all_of_them += [threading.Thread(target=sleep, args=(n,), daemon=True)
                    for n in range(idle)]
    for t in all_of_them:
        t.start()
    for t in all_of_them:
        t.join()
    time.sleep(0.05)


if __name__ == '__main__':
    start(sys.argv[1])
    main()
