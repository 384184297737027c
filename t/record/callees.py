# SPDX-License-Identifier: ISC
"""Threads that are in functions of C, which were called in all ways: prints each one's
name and its callee, or "-" if none is known, and waits until it is ended."""
import functools
import os
import select
import socket
import sys
import threading
import time

FOREVER = 10 ** 6
left, right = socket.socketpair()
reading, _ = os.pipe()
held = threading.Lock()
held.acquire()
expected = {}


def case(callee):
    def add(function):
        expected[function.__name__] = callee
        threading.Thread(target=function, name=function.__name__,
                         daemon=True).start()
        return function
    return add


def same(*values, **named):
    return values


@case("time.sleep")
def plain():
    time.sleep(FOREVER)


@case("time.sleep")
def by_name(sleep=time.sleep):
    sleep(FOREVER)


@case("time.sleep")
def many(arguments=(FOREVER,)):
    time.sleep(*arguments)


@case("time.sleep")
def many_named(arguments=(FOREVER,), named={}):
    time.sleep(*arguments, **named)


@case("_thread.lock.acquire")
def method():
    held.acquire()


@case("_thread.lock.acquire")
def named():
    held.acquire(blocking=True)


@case("_thread.lock.acquire")
def two_named():
    held.acquire(blocking=True, timeout=-1)


@case("_thread.lock.acquire")
def bound(acquire=held.acquire):
    acquire(True, -1)


@case("_thread.lock.__enter__")
def in_lock():
    with held:
        pass


@case("_thread.RLock.__enter__")
def in_nested_lock(lock=threading.RLock()):
    threading.Thread(target=lock.acquire).start()
    time.sleep(0.5)
    with lock:
        pass


# To 3.10 a thread that waits may be behind an operator, not in it.
@case("_io.TextIOWrapper.__next__" if sys.version_info >= (3, 11) else "-")
def in_for(file=os.fdopen(reading)):
    for line in file:
        pass


@case("time.sleep")
def inside():
    same(1, 2, same(3, time.sleep(FOREVER), 4), five=5)


@case("time.sleep")
def in_display():
    return [1, {2: (3, time.sleep(FOREVER))}]


@case("time.sleep")
def in_loops():
    for _ in range(3):
        for _ in [1, 2]:
            while True:
                time.sleep(FOREVER)


@case("time.sleep")
def in_with():
    with open(os.devnull) as one, open(os.devnull) as two:
        same(one, two, time.sleep(FOREVER))


@case("time.sleep")
def in_handler():
    for _ in range(3):
        try:
            same(1, {}[2])
        except KeyError as error:
            same(error, time.sleep(FOREVER))


# To 3.8 the stack's depth in a finally depends on the way there.
IN_FINALLY = "time.sleep" if sys.version_info >= (3, 9) else "-"


@case(IN_FINALLY)
def in_finally():
    try:
        {}[1]
    finally:
        same(1, time.sleep(FOREVER))


@case(IN_FINALLY)
def in_finally_of_return():
    try:
        return 1
    finally:
        same(1, time.sleep(FOREVER))


@case("time.sleep")
def in_comprehension():
    return [time.sleep(FOREVER) for _ in range(2)]


@case("time.sleep")
def in_generator():
    list(time.sleep(FOREVER) for _ in range(2))


@case("time.sleep")
def after_condition(flag=True):
    return same(1, 2 if flag else 3, time.sleep(FOREVER) or 4)


@case("time.sleep")
def with_slice(items=[1, 2, 3]):
    items[0:time.sleep(FOREVER)] += [1]


@case("time.sleep")
def in_format():
    return "%s" % 1 + f"{1}{time.sleep(FOREVER)}{2!r:>{3}}"


@case("time.sleep")
def of_partial(sleep=functools.partial(time.sleep)):
    sleep(FOREVER)


@case("posix.read")
def read():
    os.read(reading, 1)


# To 3.6 a method is bound before its call, and named by its object's type.
@case("_socket.socket.recv" if sys.version_info >= (3, 7) else "socket.recv")
def recv():
    left.recv(1)


@case("select.select")
def poll():
    select.select([right], [], [])


@case("-")
def python():
    while True:
        pass


# Arguments above 255.
source = "def many_values():\n" + "".join(
    "    v%d = %d\n" % (i, i) for i in range(300)) + (
    "    same(%s, time.sleep(FOREVER))\n" % ", ".join(
        "v%d" % i for i in range(200)))
exec(source)
case("time.sleep")(many_values)  # noqa: F821
time.sleep(1)
for name, callee in sorted(expected.items()):
    print(name, callee)
print("MainThread sum")
print("end -")
sys.stdout.flush()
sum(iter(int, 1))  # and gives the GIL to nobody
