# SPDX-License-Identifier: ISC
"""What t/bench/oracle records: loads.py LOAD ..., see known.py.  Each load is
some parts, to be called with a size; a size of 1 is some ten microseconds."""
import asyncio
import collections
import contextlib
import functools
import re
import sys
import threading

import chains
import known
from fib import fib as fibonacci
from known import Load
from split import spin

LOADS = {}


def load(function):
    LOADS[function.__name__] = function
    return function


# ---- as in the programs of these names --------------------------------------

def fib_8(n):
    for _ in range(n):
        fibonacci(8)


@load
def fib():
    return Load(fib_8)


def leaf(n):
    return spin(n * 100)


def down(d, n):
    return leaf(n) if d == 0 else down(d - 1, n)


def deep_200(n):
    return down(200, n)


@load
def deep():
    return Load(deep_200)


def both_chains(n):
    f0, g0 = chains.f0, chains.g0
    for i in range(n):
        f0(i); g0(i)  # noqa: E702


@load
def chained():
    return Load(both_chains, equals=['f0', 'g0'])


@load
def chained3():
    return Load(both_chains, equals=['f0', 'g0'], threads=3)


def leaf_a(): return sum(range(50))
def leaf_b(): return sum(range(50))
def hot_a(): return leaf_a()
def hot_b(): return leaf_b()


def pairs(n):
    for _ in range(n * 5):
        hot_a(); hot_b()  # noqa: E702


@load
def flutter():
    return Load(pairs, equals=['hot_a', 'hot_b'])


def a(n): return spin(100 * n)
def b(n): return spin(200 * n)
def c(n): return spin(300 * n)
def d(n): return spin(400 * n)


@load
def split():
    return Load(a, b, c, d)


def a_again(n): return spin(1000)
def b_again(n): return spin(2000)
def c_again(n): return spin(3000)
def d_again(n): return spin(4000)


@load
def steady():
    """The same again and again, at an interval of its own."""
    return Load(a_again, b_again, c_again, d_again)


@load
def threads():
    return Load(a, b, threads=2, idle=10)


@load
def hundred():
    return Load(a, b, idle=99)


# ---- the same call from two lines, for other work ---------------------------

def nudge(n):
    for _ in range(n):
        pass


def shove(n):
    for _ in range(n):
        pass


def push(how): how(20)
def ask(how): push(how)
def plead(how): ask(how)


def alternate(n):
    for _ in range(n):
        plead(nudge)
        plead(shove)


def one_by_one(n):
    for _ in range(n):
        plead(nudge)
    for _ in range(n):
        plead(shove)


@load
def turns():
    return Load(alternate, one_by_one, equals=['nudge', 'shove'])


# ---- equals: the same code under four names ---------------------------------

EQUAL = '''def %s(n):
    s = 0
    for i in range(20):
        s += i & n
    return s
'''
for name in 'north', 'east', 'south', 'west':
    exec(compile(EQUAL % name, name + '.py', 'exec'))


def around(n):
    n1, n2, n3, n4 = north, east, south, west  # noqa: F821
    for i in range(n):
        n1(i); n2(i); n3(i); n4(i)  # noqa: E702


@load
def equal():
    return Load(around, equals=['north', 'east', 'south', 'west'])


# ---- generators, coroutines, tasks ------------------------------------------

def evens(n):
    for i in range(n):
        yield 2 * i


def odds(n):
    for i in range(n):
        yield 2 * i + 1


def passed_on(n):
    yield from evens(n)
    yield from odds(n)


def take_turns(n):
    first, second = evens(n * 4), odds(n * 4)
    for x, y in zip(first, second):
        x + y


def delegate(n):
    return sum(passed_on(n * 4))


def expression(n):
    return sum(x * x for x in evens(n * 8))


def echo():
    while True:
        try:
            yield
        except KeyError:
            pass


def throw_in(n):
    g = echo()
    next(g)
    for _ in range(n * 2):
        g.throw(KeyError())
        g.send(None)
    g.close()


@load
def generators():
    return Load(take_turns, delegate, expression, throw_in)


class Pause:
    def __await__(self):
        yield


async def inner(n):
    s = 0
    for i in range(n):
        s += i
        await Pause()
    return s


async def outer(n):
    return await inner(n) + await inner(n)


def drive(n):
    coroutine = outer(n * 3)
    try:
        while True:
            coroutine.send(None)
    except StopIteration as end:
        return end.value


async def ticks(n):
    for i in range(n):
        yield i
        await Pause()


async def count_ticks(n):
    async for _ in ticks(n):
        pass


def drive_ticks(n):
    coroutine = count_ticks(n * 2)
    try:
        while True:
            coroutine.send(None)
    except StopIteration:
        pass


@load
def coroutines():
    return Load(drive, drive_ticks)


async def nap(n):
    for _ in range(n):
        await asyncio.sleep(0)


async def ping(queue, n):
    for i in range(n):
        await queue.put(i)


async def pong(queue, n):
    for _ in range(n):
        await queue.get()


async def gathered(n):
    queue = asyncio.Queue(1)
    await asyncio.gather(nap(n), nap(n), ping(queue, n), pong(queue, n))


def run_tasks(n):
    LOOP.run_until_complete(gathered(n))


@load
def tasks():
    global LOOP
    LOOP = asyncio.new_event_loop()
    return Load(run_tasks)


# ---- exceptions, context managers -------------------------------------------

def thrower(n):
    if n == 0:
        raise LookupError(n)
    try:
        thrower(n - 1)
    finally:
        n += 1


def catcher(n):
    for i in range(n):
        try:
            thrower(i & 7)
        except LookupError:
            handled(i)


def handled(n):
    return n + 1


def refused(n):
    for i in range(n * 2):
        try:
            int('x')
        except ValueError as e:
            handled(e.args and i)


@load
def exceptions():
    return Load(catcher, refused)


class Managed:
    def __enter__(self):
        return self

    def __exit__(self, *args):
        return handled(1)


@contextlib.contextmanager
def managed():
    yield handled(2)


def with_class(n):
    for _ in range(n * 2):
        with Managed(), Managed() as m:
            handled(m is None)


def with_generator(n):
    for _ in range(n):
        with managed() as m:
            handled(m)


def with_errors(n):
    for _ in range(n):
        with Managed():
            thrower(1)


@load
def contexts():
    return Load(with_class, with_generator, with_errors)


# ---- comprehensions; what they made is freed before the part ends --------

def keep(i):
    return i & 1


def lists(n):
    found = [keep(i) for i in range(n * 4) if keep(i)]
    del found


def nested(n):
    found = [[keep(j) for j in range(8)] for i in range(n)]
    del found


def mixed(n):
    found = {i: {keep(j) for j in range(4)} for i in range(n)}
    del found


@load
def comprehensions():
    return Load(lists, nested, mixed)


# ---- Python called by C -----------------------------------------------------

def negative(i):
    return -i


def upper(match):
    return match.group().upper()


def add(x, y):
    return x + y


class Ordered:
    def __init__(self, i):
        self.i = i

    def __lt__(self, other):
        return self.i < other.i


def sort_keys(n):
    found = sorted(range(n * 8), key=negative)
    del found


def sort_objects(n):
    found = sorted([Ordered(i ^ 5) for i in range(n * 2)])
    del found


def substitute(n):
    return re.sub('[a-m]', upper, 'hello, world ' * n)


def reduce_map(n):
    return functools.reduce(add, map(negative, filter(keep, range(n * 8))))


def partials(n):
    f = functools.partial(add, 1)
    for i in range(n * 4):
        f(i)


@load
def callbacks():
    return Load(sort_keys, sort_objects, substitute, reduce_map, partials)


# ---- calls that do not look like calls --------------------------------------

def doubled(f):
    @functools.wraps(f)
    def wrapper(*args):
        return f(*args) + f(*args)
    return wrapper


@doubled
@doubled
def decorated(n):
    return n


def decorate(n):
    for i in range(n * 2):
        decorated(i)


def adder(n):
    def add_n(x):
        return x + n
    return add_n


def closures(n):
    fs = [adder(i) for i in range(8)]
    for _ in range(n):
        for f in fs:
            f(1)
    del fs, f


class Meta(type):
    def __call__(cls, *args):
        return super().__call__(*args)

    def __getitem__(cls, i):
        return keep(i)


class Thing(metaclass=Meta):
    def __init__(self, n):
        self.n = n

    @property
    def prop(self):
        return keep(self.n)

    def __getattr__(self, name):
        return keep(self.n)

    def __eq__(self, other):
        return self.n == other.n

    def __hash__(self):
        return hash(self.n)

    def __del__(self):
        keep(1)


class Plain:
    def __init__(self, n):
        self.n = keep(n)


def attributes(n):
    t = Thing(n)
    for _ in range(n * 4):
        t.prop; t.other; Thing[1]  # noqa: E702
    del t


def instances(n):
    for i in range(n * 2):
        Thing(i)
        Plain(i)


def hashed(n):
    found = collections.Counter(Thing(i) for i in range(n))
    del found


@load
def classes():
    return Load(decorate, closures, attributes, instances, hashed)


# ---- what a function that C called leaves behind ----------------------------

class Left:
    def __del__(self):
        spin(50)


def leave(n):
    left = Left()
    return left


def leave_locals(n):
    left = Left()
    return n


def leaving(n):
    for _ in map(leave_locals, range(n)):
        spin(10)


def left(n):
    for _ in map(leave, range(n)):
        spin(10)


@load
def finalizers():
    return Load(leaving, left, threads=2)


# ---- threads that come and go -----------------------------------------------

def brief(n):
    return brief(n - 1) if n else spin(50)


def churn(n):
    """Frees its threads itself: as it returns, that would be its caller's."""
    few = [threading.Thread(target=brief, args=(n,)) for _ in range(4)]
    for t in few:
        t.start()
    while few:
        few.pop().join()
    del t


@load
def churning():
    return Load(churn)


# ---- code that is made, runs, and is freed ----------------------------------

MADE = '''%s
def f%d(n):
    return g%d(n) + sum(range(n))
def g%d(n):
    return sum(range(n)) * 2
'''
made_count = 0


def made(n):
    """File, functions and lines of made code agree on a number: made-N.py
    has fN and gN, after as many empty lines as N modulo 50."""
    global made_count
    for _ in range(max(1, n // 5)):
        made_count = i = made_count + 1
        space = {}
        source = MADE % ('\n' * (i % 50), i, i, i)
        exec(compile(source, 'made-%d.py' % i, 'exec'), space)
        f = space['f%d' % i]
        for _ in range(10):
            f(50)


@load
def making():
    return Load(made)


# ---- system calls -----------------------------------------------------------

# What stops a thread by a signal or an interrupt from another CPU mostly comes
# late, and then at the next system call.

ZERO = open('/dev/zero', 'rb', 0)
ZEROS = memoryview(bytearray(200 * 256))


def read(n):
    ZERO.readinto(ZEROS[:n * 256])


def compute(n):
    spin(n * 8)


@load
def kernel():
    return Load(read, compute)


# ---- as many functions as a real program has --------------------------------

@load
def library():
    import library as parts     # other loads need not wait for it
    return Load(*parts.PARTS)


# ---- every way of calling that there is

@load
def ways():
    import ways as parts
    return Load(*parts.PARTS)


if __name__ == '__main__':
    known.main(LOADS)
