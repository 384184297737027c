#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""Has thread states that do not name their threads, each in another way.  What
runs is `works`; what is a copy of a parent's thread, or was left behind, is in
`waits`.

    strays.py KIND SECONDS [LIBRARY]

fork       C forks, without Python's own work after that
threads    the same, of a process with more threads
handler    Python code runs in the child before Python's own work after a fork
spawn      a child that has its parent's memory waits before exec
exit       the main thread ends, another one goes on
lend       a state is used by a thread that has ended, and then by another one
borrow     a state is used by another thread than the first one
"""
import ctypes
import os
import sys
import threading
import time

KIND, SECONDS = sys.argv[1], float(sys.argv[2])
LIBRARY = sys.argv[3] if len(sys.argv) > 3 else None
C = ctypes.CDLL(None)


def works():
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        sum(range(200))


def waits():
    time.sleep(SECONDS + 1)


def start(what):
    thread = threading.Thread(target=what, daemon=True)
    thread.start()
    return thread


def tell(pid):
    print(pid, os.getpid(), flush=True)


def fork():
    pid = C.fork()
    if pid == 0:
        works()
        os._exit(0)
    tell(pid)
    os.waitpid(pid, 0)


def threads():
    for _ in range(3):
        start(waits)
    time.sleep(0.1)
    fork()


HANDLER = ctypes.CFUNCTYPE(None)(works)


def handler():
    C.__register_atfork(None, None, HANDLER, None)
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    tell(pid)
    os.waitpid(pid, 0)


def spawn():
    fifo = 'fifo'
    os.mkfifo(fifo)
    waiter = start(works)

    def let_go():
        time.sleep(SECONDS)
        try:
            os.close(os.open(fifo, os.O_WRONLY | os.O_NONBLOCK))
        except OSError:  # all others have been ended
            pass
    if os.fork() == 0:
        let_go()
        os._exit(0)
    pid = os.posix_spawn('/bin/cat', ['cat'], os.environ, file_actions=[
        (os.POSIX_SPAWN_OPEN, 0, fifo, os.O_RDONLY, 0)])
    tell(pid)
    waiter.join()
    os.waitpid(pid, 0)


def end_late():
    works()
    os._exit(0)


def exit():
    start(end_late)
    tell(os.getpid())
    ctypes.CDLL(LIBRARY).end_thread()


def take_over(how):
    ctypes.pythonapi.PyInterpreterState_Get.restype = ctypes.c_void_p
    new = ctypes.pythonapi.PyThreadState_New
    new.restype = ctypes.c_void_p
    new.argtypes = ctypes.c_void_p,
    state = new(ctypes.pythonapi.PyInterpreterState_Get())
    tell(os.getpid())
    text = ('import __main__\n__main__.%s()' % f for f in ('before', 'works'))
    call = getattr(ctypes.CDLL(LIBRARY), how)
    call(ctypes.c_void_p(state), *(ctypes.c_char_p(t.encode()) for t in text))


def before():
    pass


def lend():
    take_over('lend')


def borrow():
    take_over('borrow')


globals()[KIND]()
