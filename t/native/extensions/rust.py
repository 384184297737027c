# SPDX-License-Identifier: ISC
"""rust.py [--edges]: see mixed.py; calls Python by way of Rust."""
import mixed
import rusted
from mixed import go, leaf

EDGES = {
    ('by_rust', 'from_rust'): 'call_once',
    ('by_rust_error', 'from_rust_error'): 'call_once',
    ('by_rust_deep', 'from_rust_deep'): 'descend',
    ('by_rust_sort', 'from_rust_sort'): 'call_sort|sort|merge',
    ('by_rust_closure', 'from_rust_closure'): 'call_closure',
    ('by_rust_iterator', 'from_rust_iterator'): 'call_iterator|rusted',
    ('by_rust_panic', 'from_rust_panic'): 'descend',
    ('by_rust_drop', 'from_rust_dropped'): 'descend',
    ('by_rust_drop', 'from_rust_drop'): 'drop|Guard',
}


def by_rust(rest):
    def from_rust(x):
        go(rest)
        return x
    rusted.call_once(from_rust)


def by_rust_error(rest):
    def from_rust_error(x):
        go(rest)
        raise ValueError
    try:
        rusted.call_once(from_rust_error)
    except ValueError:
        leaf()


def by_rust_deep(rest):
    def from_rust_deep(x):
        go(rest)
        return x
    rusted.call_deep(from_rust_deep)


def by_rust_sort(rest):
    def from_rust_sort(x):
        go(rest)
        return x
    rusted.call_sort(from_rust_sort)


def by_rust_closure(rest):
    def from_rust_closure(x):
        go(rest)
        return x
    rusted.call_closure(from_rust_closure)


def by_rust_iterator(rest):
    def from_rust_iterator(x):
        go(rest)
        return x
    rusted.call_iterator(from_rust_iterator)


def by_rust_panic(rest):
    def from_rust_panic(x):
        go(rest)
        raise ValueError
    try:
        rusted.call_panicking(from_rust_panic)
    except ValueError:
        leaf()


def by_rust_drop(rest):
    def from_rust_dropped(x):
        go(rest)
        raise ValueError

    def from_rust_drop(x):
        go(rest)
        return x
    try:
        rusted.call_dropping(from_rust_dropped, from_rust_drop)
    except ValueError:
        leaf()


mixed.main(EDGES, mixed.ways_of(globals()))
