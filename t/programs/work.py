# SPDX-License-Identifier: ISC
"""Loads of a steady kind, until killed or for a fixed amount of work:
work.py LOAD [AMOUNT].  Says `ready` once it is at it, and the seconds of wall
and CPU time that the amount took.

	fib	recursion
	deep	200 frames, the innermost busy
	threads	2 busy threads, 10 idle
	many	1 busy thread, 99 idle
	busyN	N busy threads, who share the amount
"""
import sys
import threading
import time


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def spin(n):
    s = 0
    for i in range(n):
        s += i & 7
    return s


def down(depth, amount):
    return down(depth - 1, amount) if depth else again(amount, spin, 10000)


def again(amount, work, argument):
    for _ in range(amount):
        work(argument)


def crowd(busy, idle, amount):
    done = threading.Event()
    sleepers = [threading.Thread(target=done.wait, daemon=True)
                for _ in range(idle)]
    workers = [threading.Thread(target=again, args=(amount, spin, 10000),
                                daemon=True) for _ in range(busy)]
    for t in sleepers + workers:
        t.start()
    for t in workers:
        t.join()
    done.set()


LOADS = {
    'fib': lambda n: again(n, fib, 14),
    'deep': lambda n: down(198, n),
    'threads': lambda n: crowd(2, 10, n),
    'many': lambda n: crowd(1, 99, n),
}


def load_of(name):
    if name.startswith('busy'):
        busy = int(name[4:])
        return lambda n: crowd(busy, 0, n // busy)
    return LOADS[name]


if __name__ == '__main__':
    print('ready', flush=True)
    begin = time.perf_counter(), time.process_time()
    load_of(sys.argv[1])(int((sys.argv + [sys.maxsize])[2]))
    print('%.4f %.4f' % (time.perf_counter() - begin[0],
                         time.process_time() - begin[1]), flush=True)
