# SPDX-License-Identifier: ISC
# tasks.py FILE [SECONDS [WORK]]: asyncio's tasks that wait for each other in
# many ways.  FILE gets one line for each one that nobody waits for: its stack,
# innermost first, as asyncio itself tells it.  WORK: some of them compute.
import asyncio
import os
import sys
import time

SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 60
WORK = len(sys.argv) > 3


def spin(until):
    while time.perf_counter() < until:
        pass


async def inner():
    await asyncio.sleep(1000)


async def nested():
    await inner()


async def works():
    while WORK:
        spin(time.perf_counter() + 0.005)
        await asyncio.sleep(0)
    await asyncio.sleep(1000)


async def numbers():
    await asyncio.sleep(1000)
    yield 1


async def iterates():
    async for _ in numbers():
        pass


async def group():
    async with asyncio.TaskGroup() as g:
        g.create_task(nested(), name="naïve \N{SNAKE}")
        g.create_task(works())


async def gathers():
    await asyncio.gather(group(), iterates(), works())


async def one():
    await shared


async def two():
    await shared


def stack(graph, seen=()):
    names = [e.frame.f_code.co_qualname for e in graph.call_stack]
    # It does not look behind the iterator of an asynchronous generator.
    if names[:1] == ["iterates"]:
        names = ["sleep", "numbers", *names]
    task = graph.future
    parents = sorted(graph.awaited_by, key=lambda g: id(g.future))
    more = f" ({len(parents)} parents)" if len(parents) > 1 else ""
    names.append(task.get_name() + more)
    if parents and task not in seen:
        names += stack(parents[0], (*seen, task))
    return names


def tell():
    graphs = [asyncio.capture_call_graph(t) for t in asyncio.all_tasks()]
    waited = {min((w.future for w in g.awaited_by), key=id)
              for g in graphs if g.awaited_by}
    with open(sys.argv[1] + ".new", "w", encoding="utf-8") as f:
        for g in graphs:
            if g.future not in waited and g.future is not me:
                print("\t".join(stack(g)), file=f)
    os.rename(sys.argv[1] + ".new", sys.argv[1])


async def main():
    global me, shared
    shared = asyncio.create_task(nested(), name="shared")
    others = [asyncio.create_task(c, name=c.__name__)
              for c in (gathers(), one(), two())]
    await asyncio.sleep(0.3)
    me = asyncio.current_task()
    tell()
    await asyncio.sleep(SECONDS)
    os._exit(0)


asyncio.run(main())
