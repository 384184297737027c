#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""kernel.py blocked PID FILE: compares a dump on stdin with what the kernel tells of each
thread of a process now, and prints how many of them are blocked and have the same
functions; FILE lists the threads that do not move.
kernel.py shares FUNCTION: of collapsed stacks on stdin, prints the share of a Python
function's samples in the kernel, and the share of each innermost function of these.
kernel.py perf FUNCTION: likewise of a function of C, of `perf script` on stdin.
kernel.py run NAME SECONDS: spends its time so, in a function of that name, beside a
thread that waits for a pipe, the number of which it prints."""
import collections
import mmap
import os
import re
import sys
import tempfile
import threading
import time


# ---- programs -------------------------------------------------------------------

def write(fd=os.open(os.devnull, os.O_WRONLY), data=b'x'):
    for _ in range(1000):
        os.write(fd, data)


def getrandom():
    for _ in range(50):
        os.getrandom(1 << 16)


def fsync():
    with tempfile.TemporaryFile(dir='.') as f:
        for _ in range(20):
            f.write(b'x' * 4096)
            f.flush()
            os.fsync(f.fileno())


def faults():
    with mmap.mmap(-1, 1 << 24) as m:
        for i in range(0, 1 << 24, 4096):
            m[i] = 1


def compute():
    return sum(i * i for i in range(100000))


def run(name, seconds):
    end = time.monotonic() + float(seconds)
    pipe, _ = os.pipe()
    begun = threading.Event()

    def wait():
        print(threading.get_native_id(), flush=True)
        begun.set()
        os.read(pipe, 1)

    threading.Thread(target=wait, daemon=True).start()
    begun.wait()
    while time.monotonic() < end:
        globals()[name]()


# ---- judges ---------------------------------------------------------------------

def told(pid, tid):
    """The functions of /proc/PID/task/TID/stack."""
    with open('/proc/%s/task/%s/stack' % (pid, tid)) as f:
        return re.findall(r'\] (\w[^+\n]*)\+', f.read())


def dumped(lines):
    """Of each thread of a dump its number, its name and the kernel's functions."""
    threads = []
    for line in lines:
        if m := re.match(r'thread (\d+) "(.*)"', line):
            last = []
            threads.append((m[1], m[2], last))
        elif line.endswith(' ([kernel])\n'):
            last.append(line.split()[0])
    return threads


def blocked(pid, names):
    stays = {line.split('\t')[0] for line in open(names)}
    same = 0
    for tid, name, functions in dumped(sys.stdin):
        if name not in stays:
            continue
        if functions != told(pid, tid):
            sys.exit('%s: %s, not %s' % (name, functions, told(pid, tid)))
        same += len(functions) > 0
    print(same)


def tell(all_samples, leaves):
    inside = sum(leaves.values())
    print('inside', round(inside / all_samples, 3) if all_samples else 0)
    for name, n in leaves.most_common(5):
        print(name, round(n / inside, 3))


def shares(function):
    leaves, samples = collections.Counter(), 0
    for line in sys.stdin:
        stack, n = line.rsplit(None, 1)
        if ':%s:' % function not in stack:
            continue
        if stack.endswith(('<wait>:no CPU:0', '[kernel]:schedule:0')):
            continue  # it waits for a CPU
        samples += int(n)
        if leaf := re.search(r';\[kernel\]:([^:;]+):0(;<wait>:[^;]*)?$', stack):
            leaves[leaf[1]] += int(n)
    tell(samples, leaves)


def perf(function):
    leaves, samples = collections.Counter(), 0
    for sample in sys.stdin.read().split('\n\n'):
        frames = re.findall(r'^\s+([0-9a-f]+) (\S+?)(?:\+0x[0-9a-f]+)? \(', sample, re.M)
        if not any(name == function for _, name in frames):
            continue
        samples += 1
        if int(frames[0][0], 16) >> 63:
            leaves[frames[0][1]] += 1
    tell(samples, leaves)


if __name__ == '__main__':
    globals()[sys.argv[1]](*sys.argv[2:])
