# SPDX-License-Identifier: ISC
"""gevents.py [--edges]: see mixed.py; the ways run in greenlets of gevent, which its
hub resumes by way of libev and Cython."""
import random
import sys

import gevent
import mixed
from mixed import go

EDGES = {
    ('by_spawn', 'get'): '-',
    ('by_map_of_pool', 'map'): '-',
}


def by_yielding(rest):
    """Gives others their turn amid a stack."""
    def yielding_key(x):
        gevent.sleep(0)
        go(rest)
        return x
    sorted([1, 2], key=yielding_key)


EDGES[('by_yielding', 'yielding_key')] = 'sort'
WAYS = [mixed.WAYS, [by_yielding]]


def in_gevent():
    while True:
        go([random.choice(random.choice(WAYS)) for i in range(3)])
        gevent.sleep(0)


def main():
    if '--edges' in sys.argv:
        mixed.main(EDGES)
        return
    sys.setrecursionlimit(3000)
    spawned = [gevent.spawn(in_gevent) for i in range(3)]
    print('ready', flush=True)
    gevent.joinall(spawned)


main()
