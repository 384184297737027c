# SPDX-License-Identifier: ISC
"""mixed.py [--edges]: calls Python by way of C, in two dozen ways that nest at random.

With --edges prints the calls that it can make, a line each: CALLER CALLEE PATTERN; a
name of a function of C between the two has to match.  A pattern of - says that there
can be any functions or none.  Two folders stand for all functions in their files.  In
all other calls there is nothing between.

Programs with ways of their own import it, and nest all of them: main(EDGES, WAYS).
"""
import functools
import random
import re
import sys
import threading

try:
    import ctypes
    CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)
except ImportError:
    ctypes = None

# (caller, callee): what stands between.
EDGES = {
    ('by_key', 'key'): 'sort',
    ('by_map', 'mapped'): 'map',
    ('by_reduce', 'reduced'): 'reduce',
    ('by_callback', 'called_back'): 'ffi|closure|Callback|CFuncPtr|call_cdecl|ctypes',
    ('by_del', '__del__'): 'dealloc|finalize|__del__|slot_tp_del|dict|Dict|clear',
    ('by_getattr', '__getattr__'): '-',
    ('by_order', '__lt__'): 'sort',
    ('by_hash', '__hash__'): 'hash|Hash|dict|Dict',
    ('by_equal', '__hash__'): 'hash|Hash|dict|Dict',
    ('by_equal', '__eq__'): 'richcompare|RichCompare|__eq__|dict|Dict',
    ('by_len', '__len__'): 'len|Size|length|Length',
    ('by_call', '__call__'): 'map|__call__|slot_tp_call',
    ('by_items', '__len__'): 'len|Length',
    ('by_items', '__getitem__'): 'iter_iternext|iternext|slot_sq|list|item',
    ('by_sum', 'summed'): 'sum',
    ('by_yield', 'yielding'): '-',
    ('yielding', 'yielded'): '-',
    ('by_error', 'key_error'): 'sort',
    ('by_class', 'Made'): 'build_class|__build_class__',
    ('by_class', '__init_subclass__'): 'type|build_class',
    ('by_class', '__set_name__'): 'type|build_class',
    ('by_init', '__init__'): '-',
    ('by_exec', '<module>'): 'exec',
    ('/lib/python3.', '/lib/python3.'): '-',
    ('sub', 'replaced'): 'sub|sre',
    ('by_property', 'shown'): '-',
    ('by_partial', 'mapped_partial'): 'partial|map',
    ('by_format', '__format__'): '-',
    ('by_enter', '__enter__'): '-',
    ('by_filter', 'filtered'): 'filter',
    ('by_min', 'smallest'): 'min',
}


def spin():
    n = 0
    for i in range(300):
        n += i * i
    return n


def leaf():
    sorted(range(200), reverse=True)
    return spin()


def go(rest):
    if rest:
        rest[0](rest[1:])
    else:
        leaf()


def by_key(rest):
    def key(x):
        go(rest)
        return x
    sorted([1, 2], key=key)


def by_map(rest):
    def mapped(x):
        go(rest)
        return x
    list(map(mapped, [1]))


def by_reduce(rest):
    def reduced(a, b):
        go(rest)
        return a
    functools.reduce(reduced, [1, 2])


def by_callback(rest):
    def called_back(x):
        go(rest)
        return x
    CALLBACK(called_back)(1)


class Deleted(object):
    def __init__(self, rest):
        self.rest = rest

    def __del__(self):
        go(self.rest)


def by_del(rest):
    x = Deleted(rest)
    del x


class Lazy(object):
    def __getattr__(self, name):
        go(self.__dict__['rest'])
        return 1


def by_getattr(rest):
    x = Lazy()
    x.__dict__['rest'] = rest
    x.missing


class Ordered(object):
    def __init__(self, rest):
        self.rest = rest

    def __lt__(self, other):
        go(self.rest)
        return True

    def __hash__(self):
        go(self.rest)
        return 1

    def __len__(self):
        go(self.rest)
        return 1

    def __call__(self, x):
        go(self.rest)
        return x

    def __getitem__(self, i):
        if i > 0:
            raise IndexError
        go(self.rest)
        return i

    def __format__(self, how):
        go(self.rest)
        return how

    def __enter__(self):
        go(self.rest)

    def __exit__(self, *error):
        return None

    @property
    def shown(self):
        go(self.rest)
        return 1


def by_order(rest):
    sorted([Ordered(rest), Ordered(rest)])


def by_hash(rest):
    {Ordered(rest): 1}


class Equal(object):
    rest = ()

    def __hash__(self):
        return 1

    def __eq__(self, other):
        go(self.rest)
        return False


def by_equal(rest):
    a, b = Equal(), Equal()
    a.rest = b.rest = rest
    {a: 1}.get(b)


def by_len(rest):
    len(Ordered(rest))


def by_call(rest):
    list(map(Ordered(rest), [1]))


def by_items(rest):
    iter_of = iter(Ordered(rest))
    list(iter_of)


def by_sum(rest):
    def summed():
        go(rest)
        yield 1
    sum(summed())


def by_yield(rest):
    def yielded():
        go(rest)
        yield 1

    def yielding():
        yield from yielded()
    for x in yielding():
        pass


def by_error(rest):
    def key_error(x):
        go(rest)
        raise ValueError
    try:
        sorted([1, 2], key=key_error)
    except ValueError:
        leaf()


class Noticed(object):
    rest = ()

    def __init_subclass__(cls):
        go(Noticed.now.rest)

    def __set_name__(self, owner, name):
        go(self.rest)


def by_class(rest):
    local = threading.local()
    local.rest = rest
    Noticed.now = local
    name = Noticed()
    name.rest = rest

    class Made(object):
        member = name
        go(rest)


class Begun(object):
    def __init__(self, rest):
        go(rest)


def by_init(rest):
    Begun(rest)


def by_exec(rest):
    def from_exec():
        go(rest)
    exec('f()', {'f': from_exec})


def by_sub(rest):
    def replaced(match):
        go(rest)
        return ''
    re.sub('a', replaced, 'bab')


def by_property(rest):
    Ordered(rest).shown


def by_partial(rest):
    def mapped_partial(a, b):
        go(rest)
        return b
    list(map(functools.partial(mapped_partial, 1), [1]))


def by_format(rest):
    '{:x}'.format(Ordered(rest))


def by_enter(rest):
    with Ordered(rest):
        pass


def by_filter(rest):
    def filtered(x):
        go(rest)
        return True
    list(filter(filtered, [1]))


def by_min(rest):
    def smallest(x):
        go(rest)
        return x
    min([1], key=smallest)


def by_depth(rest):
    def deeper(n):
        if n > 0:
            deeper(n - 1)
        else:
            go(rest)
    deeper(random.choice((5, 200)))




def ways_of(names):
    """The functions of a program that are ways to call."""
    return [value for name, value in sorted(names.items()) if name.startswith('by_')]


WAYS = [way for way in ways_of(globals()) if ctypes or way is not by_callback]


def run(ways):
    while True:
        go([random.choice(random.choice(ways))
            for i in range(random.choice((1, 2, 3, 4)))])


def main(edges={}, ways=()):
    """Runs all ways, half of the time the caller's own if there are some; or prints the
    edges."""
    if sys.argv[1:] == ['--edges']:
        for (caller, callee), pattern in sorted({**EDGES, **edges}.items()):
            print(caller, callee, pattern)
        return
    sys.setrecursionlimit(3000)
    kinds = [WAYS, ways] if ways else [WAYS]
    threading.Thread(target=run, args=(kinds,), daemon=True).start()
    print('ready', flush=True)
    run(kinds)


if __name__ == '__main__':
    main()
