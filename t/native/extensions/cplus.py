# SPDX-License-Identifier: ISC
"""cplus.py [--edges]: see mixed.py; calls Python by way of C++: through exceptions, in
their handlers and in destructors, in a thread of its own."""
import mixed
import thrown
from mixed import go, leaf

EDGES = {
    ('by_thrown', 'from_thrown'): 'call_level',
    ('by_handler', 'from_level'): 'call_level',
    ('by_handler', 'from_handler'): 'call_handling',
    ('by_nested_handler', 'from_nested'): 'call_nested',
    ('by_cleanup', 'from_level_of_cleanup'): 'call_level',
    ('by_cleanup', 'from_cleanup'): 'Cleaner|call_cleaning',
    ('by_template', 'from_template'): 'call_template|sort|Less',
    ('by_thread', 'from_thread'): '-',
    ('by_virtual', 'from_virtual'): 'Derived|call',
}


def by_thrown(rest):
    def from_thrown(x):
        go(rest)
        raise ValueError
    try:
        thrown.throw_through(from_thrown, 8)
    except ValueError:
        leaf()


def by_handler(rest):
    def from_level(x):
        go(rest)
        raise ValueError

    def from_handler(x):
        go(rest)
        return x
    thrown.call_handling(from_level, from_handler)


def by_nested_handler(rest):
    def from_nested(x):
        go(rest)
        return x
    thrown.call_nested(from_nested)


def by_cleanup(rest):
    def from_level_of_cleanup(x):
        go(rest)
        raise ValueError

    def from_cleanup(x):
        go(rest)
        return x
    thrown.call_cleaning(from_level_of_cleanup, from_cleanup)


def by_template(rest):
    def from_template(x):
        go(rest)
        return x
    thrown.call_template(from_template)


def by_thread(rest):
    def from_thread(x):
        go(rest)
        return x
    thrown.call_in_thread(from_thread)


def by_virtual(rest):
    def from_virtual(x):
        go(rest)
        return x
    thrown.call_virtual(from_virtual)


mixed.main(EDGES, mixed.ways_of(globals()))
