# SPDX-License-Identifier: ISC
# variables.py FILE: waits in a function with local variables of all sorts.
# FILE is written once they are there.
import sys
import time


class Point:
    def __init__(self):
        self.x = 1


def outer(a, b="x\n\x1b[0m", *args, k=3.5, **kw):
    shared = 0
    unset = None

    def inner(p):
        nonlocal shared
        items = (1, ("two",))
        point = Point()
        shared += 1
        for i in range(3, 5):
            open(sys.argv[1], "w").close()
            time.sleep(60)

    inner(p=-7)
    del unset, items


outer(1, "é\x1b[31m", 3, k=None, z=True)
