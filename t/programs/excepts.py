# SPDX-License-Identifier: ISC
"""excepts.py SECONDS: spends half of its time handling exceptions, in all the
ways that there are.  What is called handled* does its work while an exception
is being handled, what is called calm* while none is."""
import sys
import time

STEP = 0.004


def spin():
    end = time.perf_counter() + STEP
    while time.perf_counter() < end:
        for _ in range(200):
            pass


def calm():
    spin()


def handled():
    try:
        raise ValueError
    except ValueError:
        spin()


def handled_above():
    """Of a caller of generators."""
    try:
        raise ValueError
    except ValueError:
        for _ in outer():
            spin()


def inner():
    spin()
    yield 1


def outer():
    yield from inner()


def suspended():
    """It handles one, but not while others run."""
    try:
        raise ValueError
    except ValueError:
        yield 1


def calm_between():
    g = suspended()
    next(g)
    spin()
    g.close()


def handled_again():
    """An exception in the handling of another."""
    try:
        raise ValueError
    except ValueError:
        try:
            raise KeyError
        except KeyError:
            pass
        spin()


def calm_after():
    try:
        raise ValueError
    except ValueError:
        pass
    spin()
    spin()


def main(seconds):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        handled()
        calm()
        handled_above()
        calm_between()
        handled_again()
        calm_after()


main(float(sys.argv[1]))
