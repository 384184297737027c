# SPDX-License-Identifier: ISC
"""Waits often and for known times, and tells what the kernel has counted of it.

For each of its threads a line "NAME NUMBER TOTAL BEGIN END": how often the thread left
its CPU and how long it had none, both from the kernel's accounts of it, between two times
of the monotonic clock; all in microseconds.
"""
import resource
import socket
import sys
import threading
import time

lines = []


def account():
    usage = resource.getrusage(resource.RUSAGE_THREAD)
    return (time.monotonic() * 1e6, time.clock_gettime(time.CLOCK_THREAD_CPUTIME_ID) * 1e6,
            usage.ru_nvcsw + usage.ru_nivcsw)


def told(function):
    def run(*args):
        time.sleep(0.03)  # until the recorder knows the thread
        begin, ran, times = account()
        function(*args)
        end, ran_then, times_then = account()
        lines.append('%s %d %d %d %d' % (
            threading.current_thread().name, times_then - times,
            end - begin - (ran_then - ran), begin, end))
        time.sleep(0.02)
    return run


@told
def sleeps(number, seconds):
    for _ in range(number):
        time.sleep(seconds)


@told
def passes(number, take, give):
    for _ in range(number):
        take.acquire()
        give.release()


@told
def plays(number, peer, first):
    if first:
        peer.send(b'x')
    for _ in range(number):
        peer.recv(1)
        peer.send(b'x')


def main(scale):
    a, b = threading.Lock(), threading.Lock()
    b.acquire()
    left, right = socket.socketpair()
    threads = [threading.Thread(name=name, target=function, args=args)
               for name, function, *args in (
                   ('sleeps-short', sleeps, 1000 * scale, 50e-6),
                   ('sleeps', sleeps, 200 * scale, 1e-3),
                   ('sleeps-long', sleeps, 15 * scale, 20e-3),
                   ('passes', passes, 500 * scale, a, b),
                   ('passes-back', passes, 500 * scale, b, a),
                   ('plays', plays, 500 * scale, left, True),
                   ('plays-back', plays, 500 * scale, right, False))]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    print(*lines, sep='\n')


time.sleep(0.4)  # until the recorder is there
main(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
