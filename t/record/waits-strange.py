# SPDX-License-Identifier: ISC
"""Threads that wait for things with strange names and in memory that goes away, beside
one that gives its descriptors to other files all the time; see waits.py."""
import ctypes
import fcntl
import mmap
import os
import select
import socket
import struct
import sys
import tempfile
import threading
import time

FOREVER = 10 ** 6
folder = tempfile.mkdtemp(dir=os.path.dirname(os.path.abspath(__file__))).encode()
libc = ctypes.CDLL(None)
one, other = socket.socketpair()
told = []


def case(name, reason, function, *arguments):
    told.append((name, reason))
    threading.Thread(target=function, args=arguments, name=name, daemon=True).start()


def held_file(name):
    path = os.path.join(folder, name)
    mine, second = open(path, "w"), open(path)
    fcntl.flock(mine, fcntl.LOCK_EX)
    return second, mine


def flock(name):
    second, mine = held_file(name)
    fcntl.flock(second, fcntl.LOCK_EX)


def named_socket(address):
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(address)
    listener.listen(1)
    client = socket.socket(socket.AF_UNIX)
    client.connect(address)
    client.recv(1)


def poll_many():
    p = select.poll()
    for _ in range(900):
        p.register(os.dup(one.fileno()), select.POLLIN)
    p.poll()


# A descriptor in memory that goes away once the kernel has read it.
memory = mmap.mmap(-1, mmap.PAGESIZE)
memory[:8] = struct.pack("ihh", one.fileno(), select.POLLIN, 0)
at = ctypes.addressof(ctypes.c_char.from_buffer(memory))


def poll_gone():
    libc.poll(ctypes.c_void_p(at), ctypes.c_ulong(1), -1)


def pause():
    libc.pause()


def churn():
    while True:
        kept = [os.open(os.devnull, os.O_RDONLY), *os.pipe()]
        with socket.socket() as s:
            select.select([s, kept[1]], [], [], 0.001)
        for fd in kept:
            os.close(fd)


case("newline", "file lock *a?b", flock, b"a\nb")
case("bytes", "file lock *c??d", flock, b"c\xff\xfed")
case("terminal", "file lock *e?[2Jf", flock, b"e\x1b[2Jf")
case("longer", "file lock *xxx", flock, b"x" * 250)
case("abstract", "socket recv @%d???" % os.getpid(), named_socket,
     b"\0%d\n\xff\x01" % os.getpid())
case("poll_many", "poll of 900 descriptors", poll_many)
case("poll_gone", "poll", poll_gone)
case("pause", "signal", pause)
threading.Thread(target=churn, name="churn", daemon=True).start()
time.sleep(0.5)
libc.munmap(ctypes.c_void_p(at), ctypes.c_size_t(mmap.PAGESIZE))
for row in told:
    print(*row, sep="\t")
print("end\t-")
sys.stdout.flush()
time.sleep(FOREVER)
