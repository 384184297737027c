# SPDX-License-Identifier: ISC
# stuck.py FILE: two threads that wait for each other's lock, one that works,
# and the main one that waits for them.  FILE is written once that is so.
import sys
import threading
import time

locks = threading.Lock(), threading.Lock()
ready = threading.Barrier(3)


def hold(mine, other):
    with mine:
        ready.wait()
        with other:
            pass


def first():
    hold(locks[0], locks[1])


def second():
    hold(locks[1], locks[0])


def work():
    while True:
        sum(range(1000))


def wait_for_ever():
    threads[0].join()


threads = [threading.Thread(target=f, daemon=True)
           for f in (first, second, work)]
for t in threads:
    t.start()
ready.wait()
time.sleep(0.2)
with open(sys.argv[1], "w"):
    pass
wait_for_ever()
