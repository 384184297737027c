# SPDX-License-Identifier: ISC
"""Threads that stand still at known places, for t/unit/snap: stands.py FILE.
Each thread's name and stack, as the interpreter has them, go to the file; then
the line "ready" to standard output, and it waits to be killed."""
import sys
import threading
import time

gate = threading.Event()


def wait():
    gate.wait()


def down(n):
    return down(n - 1) if n else wait()


def steps(n):
    if n:
        yield from steps(n - 1)
    else:
        yield wait()


def called_by_c():
    return sorted([2, 1], key=lambda x: list(map(
        lambda y: wait(), [x])))


class Größe:
    @property
    def 数(self):
        return [wait() for _ in range(1)]

    def __enter__(self):
        self.数

    def __exit__(self, *args):
        pass


def managed():
    with Größe():
        pass


async def inner():
    wait()


async def outer():
    await inner()


def drive():
    outer().send(None)


def handles():
    try:
        raise KeyError
    except KeyError:
        try:
            wait()
        finally:
            pass


def made():
    name = 'long_' * 100
    code = '\n' * 70000 + 'def %s():\n%s    wait()\n%s()\n' % (
        name, '    x = 1\n' * 300, name)
    exec(compile(code, 'made ;:\t.py', 'exec'), dict(wait=wait))


def loops():
    import asyncio

    async def leaf(future):
        return await future

    async def each(future):
        async for x in (y async for y in two(future)):
            yield x

    async def two(future):
        yield await asyncio.shield(future)

    async def consume(future):
        async for x in each(future):
            pass

    async def stands():
        wait()

    async def main():
        future = asyncio.get_running_loop().create_future()
        some = [asyncio.create_task(f(future), name=name) for f, name in [
            (leaf, None), (leaf, 'leaf ü'), (consume, 'c' * 300),
            (consume, '任务')]]
        shared = asyncio.gather(*some)
        async with asyncio.TaskGroup() as group:
            for task in some[:2]:
                group.create_task(leaf(task))
                group.create_task(leaf(task))
            await asyncio.sleep(0.01)
            group.create_task(stands(), name='runs')
            await shared

    asyncio.run(main())


def variables(a=1, b=-2 ** 70, c='text ü\n', d=b'bytes', *e, **f):
    g, h, i, j = 1.5, None, True, [1, [2, [3, [4]]]]
    k = {'a': 1, 2: (3, 4), None: {5, 6}, 'd': {}}
    m, n = frozenset('xyz'), {'loop': j}
    j.append(j)
    o = lambda: (a, k)
    p, q, r = Größe(), object(), Größe
    p.field = k
    wait()
    return g, h, i, m, n, o, q, r


def frames(frame):
    while frame is not None:
        code, i = frame.f_code, frame.f_lasti // 2
        place = frame.f_lineno, -1, -1, -1
        if hasattr(code, 'co_positions'):
            place = list(code.co_positions())[i]
        yield ':'.join([code.co_filename,
                        getattr(code, 'co_qualname', code.co_name)] +
                       [str(-1 if x is None else x) for x in place])
        frame = frame.f_back


def still():
    """The stacks of the others, once they do not change any more."""
    last, me = None, threading.get_ident()
    while True:
        now = {t.ident: (t.name, list(frames(sys._current_frames()[t.ident])))
               for t in threading.enumerate() if t.ident != me}
        if now == last and all('wait:' in s for _, f in now.values()
                               for s in ['\n'.join(f)]):
            return now
        last = now
        time.sleep(0.2)


def tell(path):
    with open(path, 'w', encoding='utf-8') as f:
        for ident, (name, stack) in sorted(still().items()):
            f.write('thread %d %s\n' % (ident, name))
            f.writelines('  %s\n' % frame for frame in stack)
    print('ready', flush=True)
    time.sleep(1000)


if __name__ == '__main__':
    forms = [wait, lambda: down(30), lambda: list(steps(5)), called_by_c,
             managed, drive, handles, made,
             lambda: variables(1, 2, 3, 4, 5, six=6)]
    if sys.version_info >= (3, 14):  # the first that tell of tasks
        forms.append(loops)
    for n, form in enumerate(forms):
        threading.Thread(target=form, name='w(%d) Ü b' % n,
                         daemon=True).start()
    threading.Thread(target=tell, args=sys.argv[1:], daemon=True).start()
    wait()
