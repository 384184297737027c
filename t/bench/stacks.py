# SPDX-License-Identifier: ISC
"""A hundred threads that together go through fifty thousand stacks.

Each stack is sixteen calls of two functions, a bit of its number each, so all of them
differ; and each function has lines of its own for each depth.
"""
import sys
import threading
import time

THREADS = 100
STACKS = 50000
DEPTH = 16


def make(name):
    """A function that calls on, by a line of its own at each depth."""
    lines = [f'def {name}(n, bits):']
    for depth in range(DEPTH):
        lines += [f'    if n == {depth}:',
                  f'        return (zero, one)[bits & 1](n + 1, bits >> 1)']
    lines += ['    return work()']
    scope = globals()
    exec(compile('\n'.join(lines), f'{name}.py', 'exec'), scope)


def work():
    """Some of them compute, and the others wait."""
    end = time.perf_counter() + 0.0002
    while time.perf_counter() < end:
        pass
    time.sleep(0.002)


def go(first):
    n = first
    while True:
        (zero, one)[n & 1](1, n >> 1)
        n = (n + THREADS) % STACKS


make('zero')
make('one')
sys.setswitchinterval(0.0005)
for i in range(THREADS):
    threading.Thread(target=go, args=(i,), daemon=True).start()
time.sleep(float(sys.argv[1]) if len(sys.argv) > 1 else 3600)
