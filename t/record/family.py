#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""Starts processes in many ways.  Each child works in a function of its own,
`child_KIND`, for SECONDS, so a profile shows whose it is; what the first one
does meanwhile is in `parent`.

    family.py KIND SECONDS [COUNT]
"""
import os
import subprocess
import sys
import time

KIND = sys.argv[1]
SECONDS = float(sys.argv[2])
COUNT = int(sys.argv[3]) if len(sys.argv) > 3 else 2


def work(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        sum(range(200))


def child_fork():
    work(SECONDS)


def child_pool(_):
    work(SECONDS)


def child_script():
    work(SECONDS)


def child_daemon():
    work(SECONDS)


def child_worker(number):
    work(SECONDS)
    os._exit(number % 3)


def fork(function, *args):
    pid = os.fork()
    if pid == 0:
        try:
            function(*args)
        finally:
            os._exit(0)
    return pid


def fork_all():
    for pid in [fork(child_fork) for _ in range(COUNT)]:
        os.waitpid(pid, 0)


def one_by_one():
    for _ in range(COUNT):
        os.waitpid(fork(child_fork), 0)


def pool(method):
    import multiprocessing
    context = multiprocessing.get_context(method)
    with context.Pool(COUNT) as p:
        p.map(child_pool, range(COUNT * 2), chunksize=1)


def futures():
    from concurrent.futures import ProcessPoolExecutor
    with ProcessPoolExecutor(COUNT) as p:
        list(p.map(child_pool, range(COUNT * 2)))


def shell():
    script = '"$@" & sleep 0.02; exec "$@"'
    subprocess.run(['sh', '-c', 'true; ' + script, '-', sys.executable,
                    __file__, 'script', str(SECONDS)], check=True)


def tools():
    for _ in range(COUNT):
        subprocess.run(['true'], check=True)


# A daemon the old way: nobody's child, in a session of its own.
def detach():
    os.setsid()
    if os.fork() != 0:
        os._exit(0)
    child_daemon()


def daemon():
    os.waitpid(fork(detach), 0)


# Workers that are replaced when they die, as web servers have them.
def serve():
    workers = {fork(child_worker, n) for n in range(2)}
    started = 2
    while workers:
        pid, _ = os.wait()
        workers.discard(pid)
        if started < COUNT:
            workers.add(fork(child_worker, started))
            started += 1


def parent():
    if KIND in ('fork', 'spawn', 'forkserver'):
        pool(KIND)
    else:
        {'plain': fork_all, 'turns': one_by_one, 'futures': futures,
         'shell': shell, 'tools': tools, 'daemon': daemon, 'serve': serve,
         'script': child_script}[KIND]()


if __name__ == '__main__':
    parent()
