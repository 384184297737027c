# SPDX-License-Identifier: ISC
"""One spot in every form that Python code can take: forms.py TRUTH."""
import ast
import asyncio
import concurrent.futures
import contextlib
import ctypes
import functools
import gc
import itertools
import json
import os
import re
import signal
import sys
import threading
import weakref

try:
    import contextvars
except ImportError:  # 3.6
    contextvars = None

from spot import rest, spot, start

forms = []
WARM = (0,) * 80 + (0.03,)


def form(function):
    forms.append(function)
    return function


# ---- functions and classes

@form
def plain():
    def inner():
        def innermost():
            spot('nested functions')
        innermost()
    inner()


@form
def many_lines():
    spot(
        'a call'
        ' of many'
        ' lines',
    )


@form
def odd_columns():
    größe = '数' * 3; größe += spot('columns after letters of many bytes', 0.03)
    exec('"%s"; spot("column 304")' % ('x' * 300))


@form
def lambdas():
    (lambda: spot('lambda'))()
    (lambda f: f(lambda: spot('lambda in a lambda')))(lambda g: g())


class Thing:
    def __init__(self, label=None):
        if label:
            spot(label)

    def method(self):
        spot('method')

    @classmethod
    def of_class(cls):
        spot('classmethod')

    @staticmethod
    def static():
        spot('staticmethod')

    @property
    def prop(self):
        return spot('property', self.seconds)

    def __getattr__(self, name):
        return spot('getattr ' + name)

    def __getitem__(self, seconds):
        return spot('getitem', seconds)

    def __call__(self, *args, **kwargs):
        return spot('call')

    def __add__(self, other):
        return spot('add')

    def __contains__(self, other):
        return bool(spot('contains'))

    def __format__(self, spec):
        return spot('format')

    def __enter__(self):
        spot('enter')

    def __exit__(self, *args):
        spot('exit')


@form
def methods():
    thing = Thing('init')
    thing.method()
    Thing.of_class()
    thing.static()
    for thing.seconds in WARM:
        thing.prop
    thing.missing
    thing(*(1, 2), **{'a': 3})


@form
def operators():
    thing = Thing()
    for seconds in WARM:
        thing[seconds]
    thing + 1
    1 in thing
    f'{thing}'
    with thing:
        pass


class Base:
    def __init_subclass__(cls):
        spot('init_subclass')

    def method(self):
        spot('super')


@form
def classes():
    class Derived(Base):
        spot('class body')

        def method(self):
            super().method()

        class Inner:
            values = [spot('comprehension in a class body') for _ in 'x']

    class Meta(type):
        def __new__(meta, *args):
            spot('metaclass')
            return super().__new__(meta, *args)

    class Made(metaclass=Meta):
        pass

    Derived().method()


@form
def destructor():
    class Doomed:
        def __del__(self):
            spot('del')

    doomed = Doomed()
    watch = weakref.ref(doomed, lambda ref: spot('weakref callback'))
    del doomed
    return watch


def wrapper(function):
    @functools.wraps(function)
    def wrapped(*args, **kwargs):
        return function(*args, **kwargs)
    return wrapped


@wrapper
@wrapper
def decorated(label, *, more):
    return spot(label)


@form
def decorators():
    decorated('decorated twice', more=1)
    functools.lru_cache(maxsize=None)(decorated)('lru_cache', more=2)


# ---- called by C

@form
def called_by_c():
    functools.partial(functools.partial(spot, 'partial'), 0.03)()
    functools.partial(lambda a, b: spot('partial of a lambda'), 1)(b=2)
    sorted([1], key=lambda x: spot('sorted'))
    list(map(lambda x: spot('map'), 'x'))
    list(filter(lambda x: spot('filter'), 'x'))
    functools.reduce(lambda a, b: spot('reduce'), 'xy')
    re.sub('x', lambda match: spot('re.sub'), 'x')
    json.loads('{}', object_hook=lambda o: spot('object_hook'))
    ctypes.CFUNCTYPE(None)(lambda: spot('ctypes') and None)()


@form
def nested_in_c():
    def down(depth, *_):
        if not depth:
            return spot('twenty times through C')
        return list(map(functools.partial(down, depth - 1), 'x'))
    down(20)


@form
def by_signal():
    signal.signal(signal.SIGUSR2, lambda number, frame: spot('signal'))
    os.kill(os.getpid(), signal.SIGUSR2)


@form
def by_collector():
    def callback(phase, info):
        if phase == 'start':
            spot('gc callback')
    gc.callbacks.append(callback)
    gc.collect()
    gc.callbacks.remove(callback)


@form
def contexts():
    if contextvars:
        contextvars.copy_context().run(lambda: spot('context'))


@contextlib.contextmanager
def manager():
    spot('before the with')
    try:
        yield
    finally:
        spot('after the with')


@form
def managed():
    with manager():
        spot('in the with')


# ---- generators and comprehensions

def counter(label):
    for i in range(2):
        spot(label)
        yield i


def delegating(label):
    yield from counter(label)
    return (yield from delegated(label))


def delegated(label):
    yield spot(label)


@form
def generators():
    for i in counter('for over a generator'):
        pass
    next(counter('next'))
    list(delegating('yield from'))
    sum(1 for i in counter('generator in a generator expression'))
    any(spot('generator expression') for i in 'x')
    list(itertools.chain(counter('chain')))
    [*counter('unpacked')]
    a, b = counter('unpacked to names')


@form
def generator_methods():
    def listening():
        try:
            spot('sent', (yield))
            yield
        except ValueError:
            spot('thrown')
            yield
        finally:
            spot('closed')
    g = listening()
    next(g)
    g.send(0.03)
    g.throw(ValueError)
    g.close()


@form
def warm_generator():
    def short(seconds):
        yield spot('generator, warm', seconds)
    for seconds in WARM:
        for x in short(seconds):
            pass


@form
def comprehensions():
    [spot('list comprehension') for i in 'x']
    {spot('set comprehension') for i in 'x'}
    {spot('key'): spot('value') for i in 'x'}
    [[spot('comprehension in a comprehension') for i in 'x'] for i in 'x']
    [i for i in (spot('expression in a comprehension') for i in 'x') if i]
    [(lambda i=i: spot('lambda in a comprehension'))() for i in 'x']


# ---- coroutines

async def innermost(label):
    spot(label)
    await asyncio.sleep(0)
    spot(label + ' resumed')


async def middle(label):
    await innermost(label)


async def numbers():
    spot('async generator')
    yield 1
    await asyncio.sleep(0)
    spot('async generator resumed')


class Async:
    async def __aenter__(self):
        spot('aenter')

    async def __aexit__(self, *args):
        spot('aexit')

    def __await__(self):
        spot('await')
        yield


async def tasks():
    await middle('coroutine')
    await asyncio.gather(middle('task a'), middle('task b'))
    async for i in numbers():
        pass
    [i async for i in numbers()]
    async with Async():
        await Async()
    asyncio.get_event_loop().call_soon(spot, 'call_soon')
    await asyncio.sleep(0)
    await asyncio.get_event_loop().run_in_executor(
        None, lambda: spot('executor'))


@form
def asynchronous():
    if sys.version_info >= (3, 7):
        asyncio.run(tasks())
    else:
        asyncio.get_event_loop().run_until_complete(tasks())


@form
def coroutine_by_hand():
    async def outer():
        await inner()

    async def inner():
        spot('coroutine by hand')

    try:
        outer().send(None)
    except StopIteration:
        pass


# ---- code made at run time

@form
def made_code():
    exec("spot('exec')")
    exec(compile("\n" * 99999 + "spot('exec, line 100000')", 'made.py', 'exec'))
    eval("spot('eval')")
    eval(compile(ast.parse("[spot('tree') for x in 'x']", 'tree.py', 'eval'),
                 'tree.py', 'eval'))
    exec("def f():\n exec('''\n\nspot(\"exec in exec\")''')\n\n\n\nf()", globals())
    import imported
    return imported


@form
def new_syntax():
    if sys.version_info >= (3, 11):
        exec('try:\n raise ExceptionGroup("", [ValueError()])\n'
             'except* ValueError:\n spot("except*")')
    if sys.version_info >= (3, 12):
        exec('def f[T: spot("type bound")](x: T): spot("type parameter")\n'
             'f(1)\nf.__type_params__[0].__bound__', globals())
    if sys.version_info >= (3, 14):
        exec('def f(x: spot("annotation")): pass\nf.__annotations__',
             globals())


# ---- exceptions

@form
def exceptions():
    try:
        try:
            raise ValueError
        except ValueError:
            spot('except')
            raise KeyError
        finally:
            spot('finally')
    except KeyError as e:
        spot('second except')
        try:
            raise e
        except KeyError:
            spot('except in except')
    else:
        spot('never')


# ---- depth, threads

@form
def recursion():
    def down(n):
        return down(n - 1) if n else spot('900 deep')
    down(899 - 20)


@form
def threads():
    def work(label):
        rest(label + ' rests')
        spot(label)
    both = [threading.Thread(target=work, args=('thread %d' % i,))
            for i in range(2)]
    for t in both:
        t.start()
    for t in both:
        t.join()
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        pool.submit(spot, 'pool').result()


@form
def resting():
    rest('asleep', 0.1)


def main():
    for f in forms:
        f()


if __name__ == '__main__':
    start(sys.argv[1])
    main()
