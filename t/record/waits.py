# SPDX-License-Identifier: ISC
"""Threads that wait for all kinds of things, one each: prints each one's name and the
reason, a pattern of bash, and waits until it is ended."""
import asyncio
import concurrent.futures
import fcntl
import mmap
import multiprocessing
import os
import queue
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

try:
    import ctypes
except ImportError:
    ctypes = None

FOREVER = 10 ** 6
VERSION = sys.version_info[:2]
folder = tempfile.mkdtemp(dir=os.path.dirname(os.path.abspath(__file__)))
expected = {}
LOCK = "lock threading.Lock"


def case(reason):
    def add(function):
        expected[function.__name__] = reason
        threading.Thread(target=function, name=function.__name__,
                         daemon=True).start()
        return function
    return add


def held(lock):
    lock.acquire()
    return lock


def in_folder(name):
    return os.path.join(folder, name)


# Children read it until this process ends.
end, _ = os.pipe()


def child(**how):
    return subprocess.Popen(["cat"], stdin=end, **how)


signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
one, other = socket.socketpair()
listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen(5)
PORT = listener.getsockname()[1]
client = socket.create_connection(("127.0.0.1", PORT))
server, _ = listener.accept()
CLIENT = client.getsockname()[1]
talker = socket.create_connection(("127.0.0.1", PORT))
silent, _ = listener.accept()
reading, writing = os.pipe()
full_reading, full_writing = os.pipe()
os.set_blocking(full_writing, False)
try:
    while True:
        os.write(full_writing, b"x" * 4096)
except BlockingIOError:
    os.set_blocking(full_writing, True)
os.mkfifo(in_folder("fifo"))
with open(in_folder("locked"), "w") as locked:
    pass
locker = open(in_folder("locked"))
fcntl.flock(locker, fcntl.LOCK_EX)
lock = held(threading.Lock())
try:
    shared_queue = multiprocessing.Queue()
    shared = held(multiprocessing.Semaphore(1))
except OSError:  # no /dev/shm
    shared = None
CHILD, WAITED = child().pid, child()


@case("sleep")
def sleep():
    time.sleep(FOREVER)


@case("poll of socket")
def in_select():
    select.select([one], [], [])


@case("poll of 3 descriptors")
def select_3():
    select.select([one, reading], [], [other])


@case("poll of 2 descriptors")
def poll():
    p = select.poll()
    p.register(one, select.POLLIN)
    p.register(reading, select.POLLIN)
    p.poll()


@case("poll of pipe")
def poll_pipe():
    p = select.poll()
    p.register(reading, select.POLLIN)
    p.poll()


@case("epoll")
def epoll():
    e = select.epoll()
    e.register(one, select.EPOLLIN)
    e.poll()


@case("socket recv 127.0.0.1:%d" % PORT)
def recv():
    client.recv(1)


@case("socket recv 127.0.0.1:%d" % CLIENT)
def recv_timeout():
    server.settimeout(FOREVER)
    server.recv(1)


@case("socket recv")
def recv_pair():
    one.recv(1)


@case("socket accept 127.0.0.1:%d" % PORT)
def accept():
    listener.accept()


@case("pipe read")
def pipe():
    os.read(reading, 1)


@case("pipe write")
def pipe_write():
    os.write(full_writing, b"x")


@case("pipe open %s/fifo" % folder)
def fifo():
    open(in_folder("fifo"))


@case(LOCK)
def in_lock():
    lock.acquire()


@case(LOCK)
def lock_timeout():
    lock.acquire(timeout=1000)


@case(LOCK)
def with_lock():
    with lock:
        pass


RLOCK = "lock threading.RLock"
rlock = threading.RLock()


@case("sleep")
def holder():
    with rlock:
        time.sleep(FOREVER)


@case(RLOCK + (" held by *" if VERSION >= (3, 14) else ""))
def in_rlock():
    time.sleep(0.1)
    rlock.acquire()


@case("lock threading.Condition")
def condition(c=threading.Condition()):
    with c:
        c.wait()


@case("lock threading.Condition")
def condition_timeout(c=threading.Condition()):
    with c:
        c.wait(1000)


@case("lock threading.Condition")
def condition_for(c=threading.Condition()):
    with c:
        c.wait_for(lambda: False)


@case("lock threading.Event")
def event():
    threading.Event().wait()


@case("lock threading.Semaphore")
def semaphore():
    threading.Semaphore(0).acquire()


@case("lock threading.Barrier")
def barrier():
    threading.Barrier(2).wait()


@case("queue get")
def queue_get():
    queue.Queue().get()


@case("queue get")
def queue_timeout():
    queue.Queue().get(timeout=1000)


@case("queue put")
def queue_put():
    q = queue.Queue(1)
    q.put(1)
    q.put(2)


@case("queue join")
def queue_join():
    q = queue.Queue()
    q.put(1)
    q.join()


@case("queue get")
def simple_queue():
    getattr(queue, "SimpleQueue", queue.Queue)().get()


sleeper = threading.Thread(target=time.sleep, args=(FOREVER,), daemon=True,
                           name="sleeper")
expected["sleeper"] = "sleep"
sleeper.start()


@case("join")
def join():
    sleeper.join()


@case("future")
def future():
    concurrent.futures.Future().result()


@case("child %d" % WAITED.pid)
def popen_wait():
    WAITED.wait()


@case("child %d" % CHILD)
def waitpid():
    os.waitpid(CHILD, 0)


@case("pipe read")
def communicate():
    child(stdout=subprocess.PIPE).communicate()


@case("file lock %s/locked" % folder)
def flock():
    with open(in_folder("locked")) as f:
        fcntl.flock(f, fcntl.LOCK_EX)


if shared:
    @case("lock multiprocessing.SemLock")
    def shared_semaphore():
        shared.acquire()

    @case("queue get")
    def shared_get():
        shared_queue.get()


@case("future")
def future_wait():
    concurrent.futures.wait([concurrent.futures.Future()])


@case("future")
def future_completed():
    list(concurrent.futures.as_completed([concurrent.futures.Future()]))


@case("lock threading.Barrier")
def barrier_timeout():
    threading.Barrier(2).wait(1000)


if shared:
    @case("queue get")
    def shared_timeout():
        multiprocessing.Queue().get(timeout=1000)

    @case("queue put")
    def shared_put():
        q = multiprocessing.Queue(1)
        q.put(1)
        q.put(2)

    @case("lock multiprocessing.Event")
    def shared_event():
        multiprocessing.Event().wait()

    @case("lock multiprocessing.Condition")
    def shared_condition(c=multiprocessing.Condition()):
        with c:
            c.wait()


def write_module(name, text):
    with open(in_folder(name + ".py"), "w") as f:
        f.write(text)


sys.path.insert(0, folder)
write_module("slow", "import time\ntime.sleep(1000000)\n")


@case("sleep")
def imports():
    import slow  # noqa: F401


@case("lock import")
def imports_too():
    time.sleep(0.2)
    import slow  # noqa: F401


@case("socket send 127.0.0.1:%d" % PORT)
def send():
    talker.sendall(b"x" * 2 ** 26)


crowded = socket.socket()
crowded.bind(("127.0.0.1", 0))
crowded.listen(0)
in_line = [socket.socket() for _ in range(3)]
for each in in_line:
    each.setblocking(False)
    each.connect_ex(crowded.getsockname())


@case("socket connect 127.0.0.1:%d" % crowded.getsockname()[1])
def connect():
    socket.socket().connect(crowded.getsockname())


datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
datagrams.bind(("127.0.0.1", 0))


@case("socket recv 127.0.0.1:%d" % datagrams.getsockname()[1])
def datagram():
    datagrams.recvfrom(1)


paths = socket.socket(socket.AF_UNIX)
paths.bind(in_folder("socket"))
paths.listen(1)


@case("socket accept %s/socket" % folder)
def accept_path():
    paths.accept()


@case("signal")
def sigwait():
    signal.sigwait([signal.SIGUSR1])


@case("event loop")
def loop():
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    loop.run_until_complete(asyncio.sleep(FOREVER))


def userfault():
    """Memory of which a first use waits for ever; None: not permitted."""
    libc = ctypes.CDLL(None, use_errno=True)
    number = {"x86_64": 323, "aarch64": 282}.get(os.uname().machine)
    fd = libc.syscall(number, os.O_CLOEXEC) if number else -1
    if fd < 0:
        return None
    memory = mmap.mmap(-1, mmap.PAGESIZE)
    at = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    api = (ctypes.c_uint64 * 3)(0xaa, 0, 0)
    area = (ctypes.c_uint64 * 4)(at, mmap.PAGESIZE, 1, 0)
    for request, argument in (0xc018aa3f, api), (0xc020aa00, area):
        if libc.ioctl(fd, ctypes.c_ulong(request), argument) != 0:
            return None
    return memory, at


faulting = userfault() if ctypes else None
if faulting:
    @case("page fault")
    def page_fault():
        ctypes.CDLL(None).memset(ctypes.c_void_p(faulting[1]), 1, 1)


time.sleep(0.5)
for name, reason in sorted(expected.items()):
    print(name, reason, sep="\t")
print("MainThread\tsleep")
print("end\t-")
sys.stdout.flush()
time.sleep(FOREVER)
