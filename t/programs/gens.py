# SPDX-License-Identifier: ISC
"""Generators and coroutines that are resumed and suspended all the time:
gens.py SECONDS.  Every stack begins with the module."""
import sys
import time


def evens(n):
    for i in range(n):
        yield 2 * i


def passed_on(n):
    yield from evens(n)


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
    return await inner(n)


def drive(coroutine):
    try:
        while True:
            coroutine.send(None)
    except StopIteration as end:
        return end.value


def main(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for i in evens(40):
            pass
        sum(passed_on(40))
        drive(outer(40))


if __name__ == '__main__':
    main(float(sys.argv[1]))
