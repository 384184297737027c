# SPDX-License-Identifier: ISC
"""Threads that wait for 5 ms again and again, each for another kind of thing: prints each
one's name and the reason, a pattern of bash, and ends after 2 s, or after argv[1] s."""
import asyncio
import concurrent.futures
import fcntl
import os
import queue
import select
import socket
import subprocess
import sys
import tempfile
import threading
import time

SHORT = 0.005
VERSION = sys.version_info[:2]
end = time.monotonic() + float(sys.argv[1] if len(sys.argv) > 1 else 2)
folder = tempfile.mkdtemp(dir=os.path.dirname(os.path.abspath(__file__)))
threads = []
LOCK = "lock threading.Lock"


def case(reason):
    """Calls the function again and again in a thread of its name."""
    def add(function):
        def repeats():
            while time.monotonic() < end:
                function()
        print(function.__name__, reason, sep="\t")
        threads.append(threading.Thread(target=repeats, name=function.__name__))
        return function
    return add


def feed(give):
    """Calls a function every 5 ms, in a thread that is no case."""
    def gives():
        while time.monotonic() < end + 1:
            time.sleep(SHORT)
            give()
    threading.Thread(target=gives, name="feeds", daemon=True).start()


def held():
    lock = threading.Lock()
    lock.acquire()
    return lock


listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen(64)
PORT = listener.getsockname()[1]
client = socket.create_connection(("127.0.0.1", PORT))
server, _ = listener.accept()
timed = socket.create_connection(("127.0.0.1", PORT))
timed_peer, _ = listener.accept()
one, other = socket.socketpair()
reading, writing = os.pipe()


@case("sleep")
def sleep():
    time.sleep(SHORT)


@case("poll of socket")
def in_select():
    select.select([one], [], [], SHORT)


@case("poll of 2 descriptors")
def select_2():
    select.select([one], [], [other, one][:1], SHORT)


@case("poll of 2 descriptors")
def poll(p=select.poll()):
    p.register(one, select.POLLIN)
    p.register(other, select.POLLIN)
    p.poll(1000 * SHORT)


@case("poll of socket")
def poll_one(p=select.poll()):
    p.register(one, select.POLLIN)
    p.poll(1000 * SHORT)


@case("epoll")
def epoll(e=select.epoll()):
    e.poll(SHORT)


@case("socket recv 127.0.0.1:%d" % PORT)
def recv():
    client.recv(1)


feed(lambda: server.send(b"x"))


@case("socket recv 127.0.0.1:%d" % PORT)
def recv_timeout():
    timed.settimeout(10)
    timed.recv(1)


feed(lambda: timed_peer.send(b"x"))


@case("socket accept 127.0.0.1:%d" % PORT)
def accept():
    listener.accept()[0].close()


feed(lambda: socket.create_connection(("127.0.0.1", PORT)).close())


@case("pipe read")
def pipe():
    os.read(reading, 1)


feed(lambda: os.write(writing, b"x"))


@case(LOCK)
def lock_timeout(lock=held()):
    lock.acquire(timeout=SHORT)


shared = held()


@case(LOCK)
def in_lock():
    shared.acquire()


feed(lambda: shared.locked() and shared.release())

taken = threading.Lock()


def takes():
    with taken:
        time.sleep(SHORT)
    time.sleep(0)


feed(takes)


@case("@(%s|sleep)" % LOCK)
def with_lock():
    time.sleep(SHORT / 5)
    with taken:
        pass


again = threading.RLock()


def takes_again():
    with again:
        time.sleep(SHORT)


feed(takes_again)


@case("@(lock threading.RLock*|sleep)")
def in_rlock():
    time.sleep(SHORT / 5)
    again.acquire()
    again.release()


@case("lock threading.Condition")
def condition(c=threading.Condition()):
    with c:
        c.wait(SHORT)


@case("lock threading.Event")
def event(e=threading.Event()):
    e.wait(SHORT)


@case("lock threading.Semaphore")
def semaphore(s=threading.Semaphore(0)):
    s.acquire(timeout=SHORT)


@case("queue get")
def queue_get(q=queue.Queue()):
    try:
        q.get(timeout=SHORT)
    except queue.Empty:
        pass


@case("queue get")
def simple_queue(q=getattr(queue, "SimpleQueue", queue.Queue)()):
    try:
        q.get(timeout=SHORT)
    except queue.Empty:
        pass


sleeper = threading.Thread(target=time.sleep, args=(10 ** 6,), daemon=True)
sleeper.start()


@case("join")
def join():
    sleeper.join(SHORT)


@case("future")
def future(f=concurrent.futures.Future()):
    try:
        f.result(SHORT)
    except concurrent.futures.TimeoutError:
        pass


@case("event loop")
def event_loop(e=[]):
    if not e:
        e.append(asyncio.new_event_loop())
    e[0].run_until_complete(asyncio.sleep(SHORT))


name = os.path.join(folder, "locked")
locker, locked = open(name, "w"), open(name, "w")


def takes_file():
    fcntl.flock(locker, fcntl.LOCK_EX)
    time.sleep(SHORT)
    fcntl.flock(locker, fcntl.LOCK_UN)


feed(takes_file)


@case("@(file lock %s|sleep)" % name)
def flock():
    time.sleep(SHORT / 5)
    fcntl.flock(locked, fcntl.LOCK_EX)
    fcntl.flock(locked, fcntl.LOCK_UN)


@case("child*")
def waitpid(cat=subprocess.Popen(["cat"], stdin=subprocess.PIPE)):
    pid = os.posix_spawn("/bin/sleep", ["sleep", "0.005"], os.environ) if \
        hasattr(os, "posix_spawn") else os.spawnv(os.P_NOWAIT, "/bin/sleep",
                                                 ["sleep", "0.005"])
    os.waitpid(pid, 0)


sys.stdout.flush()
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
os._exit(0)
