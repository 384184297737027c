# SPDX-License-Identifier: ISC
"""greenlets.py [--edges]: see mixed.py; calls Python in greenlets, which have stacks of
Python of their own, and share the stack of C by turns."""
import mixed
from greenlet import getcurrent, greenlet
from mixed import go, leaf

# Whatever runs in a greenlet has nothing of Python below it.
EDGES = {}


def by_greenlet(rest):
    def in_greenlet():
        go(rest)
    greenlet(in_greenlet).switch()


def by_turns(rest):
    """One that is left and taken up again, from other places of the stack."""
    def in_turns():
        go(rest)
        getcurrent().parent.switch()
        go(rest)

    def taken_up(x):
        g.switch()
        return x
    g = greenlet(in_turns)
    g.switch()
    leaf()
    sorted([1, 2], key=taken_up)


def by_inner_switch(rest):
    """One that switches from within a function of C."""
    def inner_key(x):
        getcurrent().parent.switch()
        go(rest)
        return x

    def in_inner():
        sorted([1, 2], key=inner_key)
    g = greenlet(in_inner)
    while not g.dead:
        g.switch()


def by_throwing(rest):
    def in_throwing():
        go(rest)
        raise KeyError
    try:
        greenlet(in_throwing).switch()
    except KeyError:
        leaf()


def by_recursion(rest):
    def in_recursion(n):
        if n > 0:
            greenlet(in_recursion).switch(n - 1)
        else:
            go(rest)
    greenlet(in_recursion).switch(6)


EDGES[('in_inner', 'inner_key')] = 'sort'
EDGES[('by_turns', 'taken_up')] = 'sort'

mixed.main(EDGES, mixed.ways_of(globals()))
