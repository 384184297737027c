# SPDX-License-Identifier: ISC
"""CPython 3.15's side of the benchmark of the file format; format.c is ours.

    python3.15 peer.py write CASE ROUNDS FILE
    python3.15 peer.py read FILE

Each prints seconds of CPU time; read also the samples, and KiB of memory at
most.
"""
import collections
import resource
import sys
import time

import _remote_debugging as rd

START = 5_000_000
INTERVAL = 1000
STATUS = rd.THREAD_STATUS_HAS_GIL | rd.THREAD_STATUS_ON_CPU

# As in format.c: depth, innermost frames of a stack's own, stacks, threads.
LOADS = {
    "equal": (20, 0, 1, 1),
    "leaf": (20, 1, 64, 1),
    "differ": (20, 20, 64, 1),
    "deep": (200, 1, 64, 1),
    "threads": (6, 0, 1, 100),
}


def numbers():
    x = 315
    while True:
        x = (x * 6364136223846793005 + 1442695040888963407) % 2**64
        yield x >> 33


def frame(n):
    return rd.FrameInfo((f"dir/m{n % 7}.py",
                         rd.LocationInfo((n + 1, n + 1, 4, 30)),
                         f"f{n % 300}", None))


def make_round(depth, fresh, k, threads):
    stack = [frame(depth + k * fresh + i if i < fresh else i)
             for i in range(depth)]
    return [rd.InterpreterInfo((0, [
        rd.ThreadInfo((100000 + i, STATUS, stack)) for i in range(threads)]))]


def make_rounds(load, count):
    depth, fresh, stacks, threads = LOADS[load]
    choices = [make_round(depth, fresh, k, threads) for k in range(stacks)]
    drawn = numbers()
    rounds, times = [], []
    k, at = 0, START
    for _ in range(count):
        if stacks > 1:
            k = (k + 1 + next(drawn) % (stacks - 1)) % stacks
        at += INTERVAL + next(drawn) % 32
        rounds.append(choices[k])
        times.append(at)
    return rounds, times


def write(load, count, path):
    rounds, times = make_rounds(load, count)
    start = time.process_time()
    writer = rd.BinaryWriter(path, INTERVAL, START, compression=1)
    # The fastest loop that Python has.
    collections.deque(map(writer.write_sample, rounds, times), maxlen=0)
    writer.finalize()
    print(f"{time.process_time() - start:.6f}")


class Nothing:
    def collect(self, interpreters, times):
        pass


def read(path):
    start = time.process_time()
    reader = rd.BinaryReader(path)
    count = reader.replay(Nothing())
    reader.close()
    print(f"{time.process_time() - start:.6f}", count,
          resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


match sys.argv[1:]:
    case ["write", load, count, path]:
        write(load, int(count), path)
    case ["read", path]:
        read(path)
    case _:
        sys.exit(__doc__)
