#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""Makes odd.bin: a sound profile of all that is rare.

    odd.py > odd.bin

It is put together from the text of the format, byte by byte, with names that
could break a line, every status, one thread id in two interpreters, stacks of
no frames, and frames without a place.  With `--names` it prints the names, in
the order of the string table, each as a Python literal.
"""

import struct
import sys

STRINGS = [
    b'~', b'<GC>', b'', b'/srv/app.py', b'main',
    b'/srv/my app/tab\there.py', b'semi;colon:and\\slash\n',
    '/srv/été/日本.py'.encode(), '😀 <lambda>'.encode(),
    b'/srv/bad\xff\xc0\xaf.py', b'nul\0del\x7f', 'c1\u0085\u009f'.encode(),
    b'surrogate\xed\xa0\x80', b'/lib/a/__init__.py', b'/lib/b/__init__.py',
    b'<module>', b'/x/_sync_coordinator.py', b'launch', b'/srv/dir/',
    b'#!*?[$`"\'&|<>(){}^~', b'cut\xe6\x97', b'app.py',
]
S = STRINGS.index

# file, func, line, end line, column, end column, opcode
FRAMES = [
    (b'~', b'<GC>', -1, -1, -1, -1, 255),
    (b'/srv/app.py', b'main', 12, 14, 4, 9, 255),
    (b'/srv/app.py', b'main', 12, 12, 0, 3, 100),   # the same place
    (STRINGS[5], STRINGS[6], 1, 1, -1, -1, 255),
    (STRINGS[7], STRINGS[8], 2, 2, 0, 8, 255),
    (STRINGS[9], STRINGS[10], 3, 3, 0, 8, 255),
    (STRINGS[12], STRINGS[11], 4, 4, 0, 8, 255),
    (b'/lib/a/__init__.py', b'<module>', 1, 1, 0, 0, 255),
    (b'/lib/b/__init__.py', b'<module>', 1, 1, 0, 0, 255),
    (b'/x/_sync_coordinator.py', b'launch', 9, 9, 0, 0, 255),
    (b'/srv/dir/', b'main', 2147483647, 2147483647, 0, 0, 255),
    (b'', b'main', -1, -1, -1, -1, 255),
    (b'', b'', -1, -1, -1, -1, 255),
    (b'~', b'<GC>', 0, 0, -1, -1, 255),
    (b'/srv/app.py', b'main', -1, -1, -1, -1, 255),
    (b'/srv/app.py', b'main', -7, -7, 0, 0, 255),
    (STRINGS[20], STRINGS[19], 5, 5, 0, 0, 255),
    (b'app.py', b'main', 12, 12, 0, 0, 255),
]
THREADS = [(7, 0), (7, 1), (2**64 - 1, 0), (0, 2**32 - 1)]
# Indices of THREADS, microseconds since that thread's last sample, status,
# frames innermost first.
SAMPLES = [
    (0, 0, 0x00, []),
    (0, 1000, 0x01, [1]),
    (0, 1000, 0x03, [2]),
    (1, 5, 0x3f, [1]),
    (0, 1000, 0xff, [0, 1]),
    (2, 2**40, 0x20, [3, 4, 5, 6]),
    (2, 1, 0x04, [10, 7]),
    (2, 1, 0x08, [10, 8]),
    (2, 1, 0x10, [10, 7]),
    (3, 1, 0x40, [1, 9]),
    (3, 1, 0x80, [9]),
    (3, 1, 0x02, [11]),
    (3, 1, 0x02, [12]),
    (3, 1, 0x02, [13, 14, 15]),
    (3, 1, 0x02, [16]),
    (0, 0, 0x01, [17]),
]


def varint(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def svarint(n):
    return varint(2 * n if n >= 0 else -2 * n - 1)


def record(sample):
    thread, elapsed, status, stack = sample
    return (struct.pack('<QIB', *THREADS[thread], 1) + varint(elapsed) +
            bytes([status]) + varint(len(stack)) + b''.join(map(varint, stack)))


def entry(frame):
    file, func, line, end_line, col, end_col, opcode = frame
    return (varint(S(file)) + varint(S(func)) + svarint(line) +
            svarint(end_line - line) + svarint(col) + svarint(end_col - col) +
            bytes([opcode]))


def profile():
    data = b''.join(map(record, SAMPLES))
    strings = b''.join(varint(len(s)) + s for s in STRINGS)
    frames = b''.join(map(entry, FRAMES))
    head = struct.pack('<II4BQQIIQQI8x', 0x54414348, 1, 3, 12, 1, 0,
                       123456789, 1000, len(SAMPLES), len(THREADS),
                       64 + len(data), 64 + len(data) + len(strings), 0)
    body = head + data + strings + frames
    return body + struct.pack('<IIQ16x', len(STRINGS), len(FRAMES),
                              len(body) + 32)


if sys.argv[1:] == ['--names']:
    print(*map(repr, STRINGS), sep='\n')
else:
    sys.stdout.buffer.write(profile())
