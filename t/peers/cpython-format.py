# SPDX-License-Identifier: ISC
"""Profiles made and read by CPython 3.15's own profiler, and by hand.

    python3.15 cpython-format.py write FILE none|zstd
    python3.15 cpython-format.py read FILE
    python3     cpython-format.py make FILE [DEPTH]

write has CPython's writer make a profile; make puts one together from the
format's description, with the early header and what CPython's writer
never makes; read has CPython's reader replay one.  Each prints the samples,
one a line:

    time in us since the start, interpreter, thread, status, frames

separated by tabs; frames are innermost first, separated by " < ", a frame is
file:function:line-end_line:column-end_column:opcode, without positions where
the line is -1.  With a DEPTH make prints deeper stacks as --depth cuts them.
"""

import random
import struct
import sys

START = 5_000_000
INTERVAL = 1000
DEEPEST = 256  # frames that CPython keeps
NO_OPCODE = 255


def show(time, interp, thread, status, frames):
    """Prints a sample; a frame is (file, func, line, end, col, endcol, op)."""
    print(time, interp, thread, status,
          " < ".join(text_of(*f) for f in frames), sep="\t")


def text_of(file, func, line, end, column, end_column, opcode):
    if line == -1:
        return f"{file}:{func}::{opcode}"
    return f"{file}:{func}:{line}-{end}:{column}-{end_column}:{opcode}"


def make_frames(rng, count):
    frames = [("~", "<GC>", -1, -1, -1, -1, NO_OPCODE)]
    for i in range(1, count):
        line, column = rng.randrange(5000), rng.choice([-1, 0, 4, 300])
        end_column = max(column + rng.randrange(-3, 90), 0)
        frames.append((f"dir/f{i % 7}.py", f"A.<locals>.\u00e9{i % 300}", line,
                       line + rng.choice([0, 0, 1, 70]), column,
                       -1 if column == -1 else end_column,
                       rng.choice([NO_OPCODE, 0, 254])))
    return list(dict.fromkeys(frames))


def samples(rng, frames, deepest):
    """Threads that call, return, wait and jump: (time, interp, thread,
    status, stack)."""
    threads = [(0, 1), (0, 0x7FFF12345678), (3, 1), (0xFFFFFFFF, 2**64 - 1)]
    stacks = {t: [] for t in threads}
    time = 0
    for _ in range(3000):
        time += rng.choice([0, 1, 999, 1000, 1001, 70000])
        thread = rng.choice(threads)
        stack = stacks[thread]
        what = rng.randrange(10)
        if what < 3:
            del stack[:rng.randrange(len(stack) + 1)]
        if what < 5:
            grow = rng.choice([1, 1, 2, 5, deepest // 2])
            stack[:0] = rng.choices(range(len(frames)), k=grow)
        elif what == 5:
            stack[:] = rng.choices(range(len(frames)), k=rng.randrange(40))
        del stack[deepest:]
        for _ in range(rng.choice([1, 1, 2, 9])):
            yield time, *thread, rng.randrange(64), tuple(stack)
            time += rng.randrange(1500)


# ---- CPython ----------------------------------------------------------------


def write(path, compression):
    import _remote_debugging as rd

    rng = random.Random(315)
    frames = make_frames(rng, 900)
    infos = []
    for file, func, line, end, column, end_column, opcode in frames:
        place = None
        if line != -1:
            place = rd.LocationInfo((line, end, column, end_column))
        infos.append(rd.FrameInfo(
            (file, place, func, None if opcode == NO_OPCODE else opcode)))
    writer = rd.BinaryWriter(path, INTERVAL, START, compression=compression)
    for time, interp, thread, status, stack in samples(rng, frames, DEEPEST):
        info = rd.ThreadInfo((thread, status, [infos[i] for i in stack]))
        writer.write_sample([rd.InterpreterInfo((interp, [info]))],
                            START + time)
        show(time, interp, thread, status, [frames[i] for i in stack])
    writer.set_stats(1.5, 1000.0, 2.5, 3)
    writer.finalize()


class Printer:
    def __init__(self, start):
        self.start = start

    def collect(self, interpreters, times):
        for interp in interpreters:
            for thread in interp.threads:
                for time in times:
                    show(time - self.start, interp.interpreter_id,
                         thread.thread_id, thread.status,
                         [self.frame(f) for f in thread.frame_info])

    @staticmethod
    def frame(f):
        place = f.location or (-1, -1, -1, -1)
        opcode = NO_OPCODE if f.opcode is None else f.opcode
        return f.filename, f.funcname, *place, opcode


def read(path):
    import _remote_debugging as rd

    reader = rd.BinaryReader(path)
    info = reader.get_info()
    count = reader.replay(Printer(info["start_time_us"]))
    if count != info["sample_count"]:
        sys.exit(f"{count} samples of {info['sample_count']}")


# ---- by hand ----------------------------------------------------------------


def varint(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def zigzag(n):
    return varint(2 * n if n >= 0 else -2 * n - 1)


def change(rng, old, new):
    """A record's encoding byte and its parts after the tick: any of those
    that are possible."""
    shared = 0
    while (shared < min(len(old), len(new))
           and old[-1 - shared] == new[-1 - shared]):
        shared += 1
    kind = rng.choice([1, 2, 3])
    if kind == 1:
        return kind, (len(new),), new
    shared = rng.choice([shared, rng.randrange(shared + 1)])
    fresh = new[:len(new) - shared]
    first = shared if kind == 2 else len(old) - shared
    return kind, (first, len(fresh)), fresh


def records(rng, all_samples):
    last = {}
    for time, interp, thread, status, stack in all_samples:
        before, old = last.get((interp, thread), (0, ()))
        tick = varint(time - before) + bytes([status])
        yield struct.pack("=QI", thread, interp)
        if stack == old and rng.randrange(4):
            yield b"\0\1" + tick
        else:
            kind, counts, fresh = change(rng, old, stack)
            yield bytes([kind]) + tick
            yield b"".join(map(varint, counts + tuple(fresh)))
        last[interp, thread] = time, stack


def cut(stack, depth):
    if depth is None or len(stack) <= depth:
        return stack
    return [*stack[:depth - 1], ("~", "<truncated>", -1, -1, -1, -1, NO_OPCODE)]


def make(path, depth=None):
    rng = random.Random(7)
    frames = make_frames(rng, 900)
    what = list(samples(rng, frames, 2000))
    data = b"".join(records(rng, what))
    strings = {}
    table = bytearray()
    for file, func, line, end, column, end_column, opcode in frames:
        for name in file, func:
            table += varint(strings.setdefault(name, len(strings)))
        for at, until in (line, end), (column, end_column):
            table += zigzag(at) + zigzag(0 if at == -1 else until - at)
        table.append(opcode)
    names = b"".join(varint(len(s.encode())) + s.encode() for s in strings)
    strings_at = 64 + len(data)
    frames_at = strings_at + len(names)
    size = frames_at + len(table) + 32
    threads = len({s[1:3] for s in what})
    head = struct.pack("=II4sQQIIQQIQ", 0x54414348, 1, bytes([3, 14, 1, 0]),
                       START, INTERVAL, len(what), threads, strings_at,
                       frames_at, 0, 0)
    foot = struct.pack("=IIQ16x", len(strings), len(frames), size)
    with open(path, "wb") as f:
        f.write(head + data + names + table + foot)
    for time, interp, thread, status, stack in what:
        show(time, interp, thread, status,
             cut([frames[i] for i in stack], depth))


def main():
    sys.stdout.reconfigure(encoding="utf-8")
    match sys.argv[1:]:
        case ["write", path, ("none" | "zstd") as compression]:
            write(path, ["none", "zstd"].index(compression))
        case ["read", path]:
            read(path)
        case ["make", path]:
            make(path)
        case ["make", path, depth]:
            make(path, int(depth))
        case _:
            sys.exit(__doc__)


main()
