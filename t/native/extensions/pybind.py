# SPDX-License-Identifier: ISC
"""pybind.py [--edges]: see mixed.py; calls Python by way of pybind11, and of exceptions
of C++."""
import bound
import mixed
from mixed import go, leaf

EDGES = {
    ('by_bound', 'from_bound'): 'call_once',
    ('by_function', 'from_function'): 'call_function',
    ('by_catch', 'from_try'): 'call_catching',
    ('by_catch', 'from_catch'): 'call_catching',
    ('by_throw', 'from_throw'): 'call_through',
    ('by_order_of_bound', 'from_order_of_bound'): 'call_sort|sort',
    ('by_override', 'step'): 'Overridden|step|take_steps',
    ('by_release', 'from_release'): 'call_released',
    ('by_destructor', 'from_destructor'): 'Guard|call_guarded',
    ('by_destructor', 'from_guarded'): 'call_guarded',
}


def by_bound(rest):
    def from_bound(x):
        go(rest)
        return x
    bound.call_once(from_bound, 1)


def by_function(rest):
    def from_function(x):
        go(rest)
        return x
    bound.call_function(from_function, 1)


def by_catch(rest):
    def from_try(x):
        go(rest)
        raise ValueError

    def from_catch(x):
        go(rest)
        return x
    bound.call_catching(from_try, from_catch)


def by_throw(rest):
    def from_throw(x):
        go(rest)
        raise ValueError
    try:
        bound.call_through(from_throw, 5)
    except ValueError:
        leaf()


def by_order_of_bound(rest):
    def from_order_of_bound(a, b):
        go(rest)
        return a < b
    bound.call_sort([3, 1, 2], from_order_of_bound)


class Step(bound.Step):
    def __init__(self, rest):
        bound.Step.__init__(self)
        self.rest = rest

    def step(self, x):
        go(self.rest)
        return x


def by_override(rest):
    bound.take_steps(Step(rest), 2)


def by_release(rest):
    def from_release(x):
        go(rest)
        return x
    bound.call_released(from_release)


def by_destructor(rest):
    def from_guarded(x):
        go(rest)
        raise ValueError

    def from_destructor(x):
        go(rest)
        return x
    try:
        bound.call_guarded(from_guarded, from_destructor)
    except ValueError:
        leaf()


mixed.main(EDGES, mixed.ways_of(globals()))
