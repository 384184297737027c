# SPDX-License-Identifier: ISC
"""Threads with names of all kinds: named.py TRUTH writes a JSON object there,
from a thread's number to all names that it had, the last one last."""
import _thread
import json
import sys
import threading
import time

try:
    import ctypes
    libc = ctypes.CDLL(None)
except ImportError:  # a Python without it, on musl
    libc = None
SYS_gettid, PR_SET_NAME = 186, 15

truth = {}
gone = threading.Event()


def number():
    return libc.syscall(SYS_gettid) if libc else threading.get_native_id()


def name_by_kernel(name):
    """Not by /proc alone, which a folder of an interpreter may lack."""
    if libc:
        libc.prctl(PR_SET_NAME, name.encode())
        return
    with open("/proc/self/task/%d/comm" % number(), "w") as f:
        f.write(name)


def work(seconds):
    end = time.time() + seconds
    while time.time() < end:
        sum(range(100))
        time.sleep(0.001)


def named(seconds):
    me = threading.current_thread()
    truth[number()] = [me.name]
    work(seconds)


def renamed():
    me = threading.current_thread()
    truth[number()] = ["before", "after"]
    work(0.4)
    me.name = "after"
    work(1.6)


def called(name):
    truth[number()] = [name]
    try:
        if name:
            name_by_kernel(name)
        work(1.5)
    finally:
        gone.set()


names = ["w(a) S b", "it's \"quoted\"\tand\nlines \x7f\x9b", "x" * 200,
         "na\xefve \u65e5\u672c \U0001f40d" * 6, "thread 0 1 nobody", " "]
threads = [threading.Thread(target=named, args=(1,), name=n) for n in names]
threads += [threading.Thread(target=named, args=(1,)),
            threading.Thread(target=renamed, name="before")]
for t in threads:
    t.start()
_thread.start_new_thread(called, ("kernel's",))
named(0.5)
for i in range(10):
    t = threading.Thread(target=named, args=(0.05,), name="short %d" % i)
    t.start()
    t.join()
for t in threads:
    t.join()
gone.wait()
with open(sys.argv[1], "w") as f:
    json.dump(truth, f)
