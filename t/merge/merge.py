#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""What the tests of tach-merge need, made with decode.py and not libtach.

    merge.py check [--clock] MERGED FILE...
        whether MERGED has the samples of all FILEs, as tach-merge(1) says;
        @LIST instead of the FILEs: those that it names, one a line
    merge.py rewrite FILE OUT [KEY=VALUE]...
        the same samples, uncompressed, with a record each; the keys are
        order=big, layout=cpython, start=US, interval=US, python=3.11.2,
        config=N, interps=5,0,9 (for 0, 1, 2), notes=TEXT|TEXT
    merge.py many DIR COUNT
        COUNT small profiles, DIR/0.bin and so on
    merge.py notes FILE
        the notes of a profile, one a line
    merge.py long OUT RUNS
        a profile of RUNS runs in 4 threads, each of another stack
"""

import collections
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                os.pardir, 'lib'))
import decode  # noqa: E402

Source = collections.namedtuple('Source', 'profile samples interps')


def load(path):
    """A profile and its samples, as (time, interp, thread, status, stack)
    with times since its start and stacks of frames."""
    p = decode.decode(path)
    start = p.header['start_us']
    samples = [(s.time - start, s.interp, s.thread, s.status,
                tuple(p.resolve(s.stack))) for s in p.samples()]
    return Source(p, samples, sorted({s[1] for s in samples}))


def notes_of(profile):
    """But for those that stand for what the other header has."""
    used = {f.file for f in profile.frames} | {f.func for f in profile.frames}
    return [s[1:].split('\0')[0] for s in profile.strings
            if s.startswith('\0') and s not in used and
            not s[1:].startswith(('config ', 'quality '))]


def by_thread(samples):
    """The sequence of each thread's samples."""
    threads = collections.defaultdict(list)
    for s in samples:
        threads[s[1], s[2]].append(s)
    return threads


def expected(sources, clock):
    first = min(s.profile.header['start_us'] for s in sources)
    base = 0
    for s in sources:
        shift = s.profile.header['start_us'] - first if clock else 0
        number = {old: base + i for i, old in enumerate(s.interps)}
        for time, interp, *rest in s.samples:
            yield (time + shift, number[interp], *rest)
        base += max(1, len(s.interps))


def check(merged, files, clock):
    sources = [load(f) for f in files]
    got = load(merged)
    want = by_thread(expected(sources, clock))
    have = by_thread(got.samples)
    assert have.keys() == want.keys(), 'the threads are not the same'
    for key in want:
        assert have[key] == want[key], key
    starts = [s.profile.header['start_us'] for s in sources]
    assert got.profile.header['start_us'] == min(starts)
    print(len(got.samples))


def varint(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def svarint(n):
    return varint(2 * n if n >= 0 else -2 * n - 1)


def encode(samples, order='<', layout='early', start=0, interval=1000,
           python=(3, 14, 0), config=0, notes=()):
    """A file's bytes, with a FULL record a sample."""
    strings, frames, times, data = {}, {}, {}, bytearray()

    def index(table, key):
        return table.setdefault(key, len(table))

    for note in notes:
        index(strings, '\0' + note)
    for time, interp, thread, status, stack in samples:
        key = interp, thread
        data += struct.pack(order + 'QIB', thread, interp, 1)
        data += varint(time - times.get(key, 0)) + bytes([status])
        data += varint(len(stack))
        for f in reversed(stack):
            data += varint(index(frames, f))
        times[key] = time
    table = bytearray()
    for f in frames:
        table += varint(index(strings, f.file)) + varint(index(strings, f.func))
        table += svarint(f.line) + svarint(f.end_line - f.line)
        table += svarint(f.col) + svarint(f.end_col - f.col)
        table.append(f.opcode)
    text = b''.join(varint(len(s)) + s
                    for s in (s.encode() for s in strings))
    at = 64 + len(data)
    head = struct.pack(order + 'II4BQQ', 0x54414348, 1, *python, 0, start,
                       interval)
    form = 'QIQQII' if layout == 'cpython' else 'IIQQI8x'
    tail = [len(samples), len(times), at, at + len(text), 0]
    if layout == 'cpython':
        tail.append(config)
    head += struct.pack(order + form, *tail)
    body = head + data + text + table
    return body + struct.pack(order + 'IIQ16x', len(strings), len(frames),
                              len(body) + 32)


def rewrite(path, out, *pairs):
    source = load(path)
    samples, options = source.samples, {}
    options['start'] = source.profile.header['start_us']
    for key, value in (p.split('=', 1) for p in pairs):
        if key == 'order':
            options[key] = {'big': '>', 'little': '<'}[value]
        elif key in ('start', 'interval', 'config'):
            options[key] = int(value)
        elif key == 'python':
            options[key] = tuple(map(int, value.split('.')))
        elif key == 'notes':
            options[key] = value.split('|')
        elif key == 'interps':
            new = list(map(int, value.split(',')))
            samples = [(s[0], new[s[1]], *s[2:]) for s in samples]
        else:
            options[key] = value
    with open(out, 'wb') as f:
        f.write(encode(samples, **options))


def frame(file, func, line):
    return decode.Frame(file, func, line, line, -1, -1, 255)


def many(folder, count):
    for i in range(count):
        stack = (frame('app%d.py' % (i % 100), 'main', 1),
                 frame('app%d.py' % (i % 100), 'work', i % 7 + 2))
        samples = [(i % 13 * 10 + 1000 * k, 0, 42, 3, stack[:1 + k % 2])
                   for k in range(4)]
        with open(os.path.join(folder, '%d.bin' % i), 'wb') as f:
            f.write(encode(samples, start=1000000 + i))


def long(out, runs):
    frames = [frame('long.py', 'f%d' % i, i) for i in range(50)]
    samples = [(10 * k, 0, 1 + k % 4, 1, tuple(frames[:1 + (k // 4) % 50]))
               for k in range(runs)]
    with open(out, 'wb') as f:
        f.write(encode(samples))


def main(argv):
    command, args = argv[0], argv[1:]
    if command == 'check':
        clock = '--clock' in args
        args = [a for a in args if a != '--clock']
        if args[1].startswith('@'):
            with open(args[1][1:]) as f:
                args[1:] = f.read().split('\n')[:-1]
        check(args[0], args[1:], clock)
    elif command == 'notes':
        print(*notes_of(decode.decode(args[0])), sep='\n')
    elif command == 'rewrite':
        rewrite(*args)
    elif command == 'many':
        many(args[0], int(args[1]))
    elif command == 'long':
        long(args[0], int(args[1]))


if __name__ == '__main__':
    main(sys.argv[1:])
