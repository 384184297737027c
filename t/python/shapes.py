# SPDX-License-Identifier: ISC
"""Shapes of code, for depths.py: each puts something on the evaluation stack in its own
way, and runs."""
import contextlib
import sys


def raiser(error=ValueError):
    raise error


@contextlib.contextmanager
def suppressed(*errors):
    try:
        yield len(errors)
    except errors:
        pass


class Exit:
    def __init__(self, swallows=False):
        self.swallows = swallows

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        return self.swallows

    async def __aenter__(self):
        return self

    async def __aexit__(self, *exc):
        return self.swallows


class Async:
    def __init__(self, n):
        self.n = n

    def __aiter__(self):
        return self

    async def __anext__(self):
        if self.n == 0:
            raise StopAsyncIteration
        self.n -= 1
        return self.n


def finallys(n):
    out = []
    for i in range(n):
        try:
            if i == 1:
                continue
            if i == 4:
                break
            if i == 3:
                raiser(KeyError)
            out.append(len(out))
        except KeyError as e:
            out.append(repr(e))
        else:
            out.append(max(i, 1))
        finally:
            out.append(min(i, 1, *out[:1] if isinstance(out[0], int) else [1]))
    return len(out), [len(str(x)) for x in out]


def returns(n):
    for i in [len('abc'), abs(n)]:
        try:
            with Exit() as e, suppressed(KeyError) as s:
                if n == 0:
                    return len(str(e)), s
                if n == 1:
                    raiser(KeyError)
                if n == 2:
                    continue
                if n == 3:
                    break
                abs(n)
            abs(i)
        finally:
            sorted([i, n], key=lambda x: -x)
    return max(n, *[1, 2], **{'key': abs})


def nested(n):
    try:
        try:
            try:
                raiser() if n else abs(n)
            except KeyError:
                abs(1)
            finally:
                try:
                    raiser(TypeError)
                except TypeError as e:
                    str(e)
                except KeyError:
                    abs(4)
                finally:
                    abs(2)
                len(str(n))
        except (ValueError, TypeError) as e:
            with Exit(True):
                raise KeyError(str(e)) from e
            return divmod(7, abs(-3))
        return len('ab')
    finally:
        abs(3)


def only_returns(n):
    with suppressed(ValueError):
        return len(str(raiser() if n else n))
    return abs(n)


def only_raises():
    try:
        try:
            raise ValueError(len('x'))
        finally:
            abs(1)
    except ValueError:
        return abs(-1)


def loops(n):
    total = 0
    for i, (a, *b, c) in enumerate([range(5)] * n):
        while True:
            total += len(b) + abs(a) + max(c, 1)
            for j in (x for x in range(i)):
                if j > 1:
                    break
            else:
                total += len(f'{i!r:>{abs(4)}} {j if i else 0}')
            break
    return [{k: len(v)} for k, v in {'a': str(total)}.items() if k], {*str(total)}


def expressions(a, b, **kwargs):
    c = a < abs(b) < 10 and len(str(a)) or (abs(b) if a else -b)
    d = [a, abs(b), *map(abs, [a, b]), len('%d %s' % (c, abs(a)))]
    d[abs(0):len(d) - 1] = [max(d), *d[1:len(d):abs(1)]]
    e = {'a': abs(a), **kwargs, **dict(b=len(d))}
    f = lambda x, y=abs(a), *, z=len(d): x + y + z
    e['x'] = e.get('a', len(d)) if not a else f(1)
    print(*d, sep=''.join(sorted(e, key=str)), file=Null(), **dict(end=str(a)))
    assert len(d) > abs(0), repr(d)
    del e['x']
    return ''.join([str(x) for x in d]).upper().encode().decode().split('1', 2), e


class Null:
    def write(self, text):
        return len(text)


def classes():
    class Base(object, metaclass=type):
        x = abs(-1)
        y: int = len('abc')

        def method(self, n):
            return len([n, self.x]), __class__

    class Derived(Base):
        def method(self, n):
            return super().method(abs(n)), super(Derived, self).method(n)
    return Derived().method(len('ab'))


def generator(n):
    try:
        for i in range(n):
            got = yield abs(i)
            if got:
                yield from generator(abs(n) - 1)
    except GeneratorExit:
        abs(n)
        raise
    finally:
        len(str(n))
    return abs(n)


def generators():
    g = generator(3)
    out = [next(g), g.send(abs(1)), next(g), next(g)]
    g.close()
    g = generator(3)
    next(g)
    try:
        g.throw(ValueError)
    except ValueError:
        out.append(len(out))
    return out + list(generator(2))


async def agen(n):
    for i in range(n):
        await switch(abs(i))
        yield abs(i)


class Switch:
    def __await__(self):
        yield abs(-1)


async def switch(n):
    try:
        await Switch()
    finally:
        abs(n)
    return n


async def coroutine(n):
    out = []
    async with Exit() as e:
        out.append(len(str(e)))
        async for i in Async(abs(n)):
            out.append(max(i, await switch(abs(i))))
            if i == 0:
                continue
    async with Exit(True):
        out.append(await switch(1))
        raiser()
    out += [abs(i) async for i in agen(abs(n)) if i]
    async for i in agen(n):
        async with Exit():
            if i == 1:
                return len(out), await switch(len(out))
    return sorted(out)


def coroutines():
    for n in (1, 3):
        c = coroutine(n)
        try:
            while True:
                c.send(None)
        except StopIteration as e:
            str(e.value)


def sites(probe):
    """Calls of a callable that is in C, in all ways."""
    held, args = Null(), (1, 2)
    held.probe, Null.shared = probe, staticmethod(probe)
    found = [probe(), probe(1), probe(1, 2, k=3), [probe(i) for i in args]]
    found += probe(*args), probe(*args, **{'k': 1}), probe(k=1, *args, j=2)
    found += held.probe(), held.probe(1, k=2), Null.shared(1), held.shared(*args)
    {k: (probe(k), k) for k in probe(probe(1), [probe(*args)]) or 'ab'}
    with Exit(len(str(probe(1)))) as e, Exit():
        for i, _ in enumerate(args):
            try:
                probe(i, e) or raiser(KeyError)
            except KeyError as e:
                probe(e) or (lambda x: probe(x, *args, **{'k': probe(x)}))(1)
                continue
            finally:
                str(i)
    return '%s %r' % (probe(f'{probe()!r:>{probe() or 1}}'), sum(
        probe(i) or 1 for i in args)), found


LATER = [
    (8, '''
def walrus(n, /, m=1):
    if (k := abs(n)) and len(str(k)) > (j := max(k, 0)):
        return j
    return [y for x in range(k) if (y := abs(x)) > m]
walrus(3)
'''), (10, '''
def matches(x):
    match x:
        case [a, *rest] if len(rest) > abs(a):
            return len(rest)
        case [a, b]:
            return max(a, b)
        case {'k': int(v), **others}:
            return len(others) + abs(v)
        case complex(real=r, imag=i) | str([r, i]):
            return abs(r), abs(i)
        case 1 | 2 as y:
            return abs(y)
        case _:
            return len(str(x))
for x in ([1, 2, 3, 4], [1, 0], {'k': 1, 'j': 2}, 1j, 2, 'abc', None):
    matches(x)
def managers(n):
    with (Exit(len(str(n))) as a, suppressed(KeyError) as b):
        raiser(KeyError)
    return len(str(b))
managers(1)
'''), (11, '''
def groups(n):
    try:
        try:
            raise ExceptionGroup('x', [ValueError(1), TypeError(abs(n)), KeyError(2)])
        except* ValueError as e:
            len(e.exceptions)
        except* TypeError:
            abs(n)
            if n:
                raiser(KeyError)
        else:
            abs(2)
        finally:
            abs(1)
    except* KeyError as e:
        return_ = len(e.exceptions)
    return return_
groups(0), groups(1)
'''), (12, '''
def generic[T: (int, str), *U](x: T) -> list[T]:
    type alias[V] = dict[V, T]
    return [abs(y) for y in [x] if (lambda: len([x, y]))()], [len(z) for z in str(x)]
class Generic[T]:
    x: T = abs(1)
generic(1)
''')]


def many_constants():
    source = '[%s]; return len([%s]) if %s else abs(1)' % (
        ', '.join('abs(%d.5)' % i for i in range(600)),
        ', '.join(map(str, range(300))), ' and '.join(['x'] * 300))
    space = {}
    exec(compile('def f(x):\n ' + source + '\ndef g(*a): return max(' +
                 ', '.join('a[%d]' % i for i in range(250)) + ')\n',
                 __file__, 'exec'), space)
    return space['f'], space['g']


def main(relined):
    for n in range(6):
        finallys(n), returns(n), nested(n), loops(n)
    only_returns(0), only_returns(1), only_raises()
    expressions(1, -2, q=3), expressions(0, 1)
    classes(), generators(), coroutines()
    for minor, source in LATER:
        if sys.version_info >= (3, minor):
            exec(relined(compile(source, __file__, 'exec')), globals())
