#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""A second, strict reader of TACH profiles, for the tests.

It follows the text of the format and shares nothing with libtach, so that a
mistake in the one is not repeated in the other.  It wants Python 3.8 or later
and, for compressed profiles, the zstd command.

    decode.py FILE             a JSON line a sample
    decode.py --summary FILE   header and counts, as one JSON object
"""

import collections
import json
import shutil
import struct
import subprocess
import sys

MAGIC = 0x54414348
HEADER_SIZE = 64
FOOTER_SIZE = 32
STATS_SIZE = 56
STATS_TAG = b'TACHSTAT'
NO_OPCODE = 255
REPEAT, FULL, SUFFIX, POP_PUSH = range(4)
RECORDS = 'REPEAT', 'FULL', 'SUFFIX', 'POP_PUSH'
COMPRESSIONS = 'none', 'zstd'

Frame = collections.namedtuple(
    'Frame', 'file func line end_line col end_col opcode')

# stack is innermost first, a tuple of indices into Profile.frames; two
# samples of a thread in a row with the same stack share the very tuple.
Sample = collections.namedtuple(
    'Sample', 'time interp thread status stack')


class Bad(Exception):
    """The file is not a sound profile."""


class Cursor:
    """Reads from data[at:end], never beyond; `where` names the place."""

    def __init__(self, data, at, end, order, where):
        self.data, self.at, self.end = data, at, end
        self.order, self.where = order, where

    def bad(self, what):
        raise Bad('%s at %d: %s' % (self.where, self.at, what))

    def take(self, size, what):
        if size > self.end - self.at:
            self.bad('%s: %d bytes wanted, %d left'
                     % (what, size, self.end - self.at))
        at = self.at
        self.at += size
        return self.data[at:self.at]

    def fixed(self, code, what):
        size = struct.calcsize('=' + code)
        return struct.unpack(self.order + code, self.take(size, what))[0]

    def varint(self, what, bits=64):
        value = shift = 0
        while True:
            if self.at >= self.end:
                self.bad('%s: varint is cut off' % what)
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7f) << shift
            if byte < 0x80:
                break
            shift += 7
            if shift > 63:
                self.bad('%s: varint is longer than 10 bytes' % what)
        if value >> bits:
            self.bad('%s: %d does not fit in %d bits' % (what, value, bits))
        return value

    def svarint(self, what):
        raw = self.varint(what, 33)
        value = (raw >> 1) ^ -(raw & 1)
        if not -1 << 31 <= value < 1 << 31:
            self.bad('%s: %d does not fit in 32 bits' % (what, value))
        return value


def read_header(data):
    """The header as a dict.  Two of them are in use, both version 1; in
    the wrong one the table offsets lie outside the file."""
    if len(data) < HEADER_SIZE + FOOTER_SIZE:
        raise Bad('%d bytes are too few for a profile' % len(data))
    for order, name in (('<', 'little'), ('>', 'big')):
        if struct.unpack_from(order + 'I', data)[0] == MAGIC:
            break
    else:
        raise Bad('no magic number')
    version, major, minor, micro, zero, start, interval = struct.unpack_from(
        order + 'I4BQQ', data, 4)
    if version != 1:
        raise Bad('format version %d' % version)
    if zero:
        raise Bad('header: reserved byte 11 is %d' % zero)
    found = [h for h in (early(data, order), cpython(data, order)) if h]
    if len(found) != 1:
        raise Bad('header: the table offsets fit %s layout'
                  % ('either' if found else 'no'))
    header = dict(layout=None, byte_order=name, order=order,
                  python='%d.%d.%d' % (major, minor, micro),
                  start_us=start, interval_us=interval)
    header.update(found[0])
    if header['compression'] >= len(COMPRESSIONS):
        raise Bad('header: compression type %d' % header['compression'])
    return header


def early(data, order):
    samples, threads, strings, frames, compression = struct.unpack_from(
        order + 'IIQQI', data, 28)
    if not tables_fit(data, strings, frames):
        return None
    if any(data[56:64]):
        raise Bad('header: reserved bytes 56-63 are not zero')
    return dict(layout='early', samples=samples, threads=threads,
                strings_at=strings, frames_at=frames, compression=compression)


def cpython(data, order):
    samples, threads, strings, frames, compression, config = \
        struct.unpack_from(order + 'QIQQII', data, 28)
    if not tables_fit(data, strings, frames):
        return None
    return dict(layout='cpython', samples=samples, threads=threads,
                strings_at=strings, frames_at=frames, compression=compression,
                config=config)


def tables_fit(data, strings, frames):
    return HEADER_SIZE <= strings <= frames <= len(data) - FOOTER_SIZE


def read_footer(data, header):
    strings, frames, size = struct.unpack_from(
        header['order'] + 'IIQ', data, len(data) - FOOTER_SIZE)
    if size != len(data):
        raise Bad('footer: file size %d, but the file has %d bytes'
                  % (size, len(data)))
    return strings, frames


def read_strings(data, header, count):
    c = Cursor(data, header['strings_at'], header['frames_at'],
               header['order'], 'string table')
    strings = []
    for i in range(count):
        raw = c.take(c.varint('length of string %d' % i), 'string %d' % i)
        try:
            strings.append(raw.decode('utf-8'))
        except UnicodeDecodeError as e:
            c.bad('string %d: %s' % (i, e))
    if c.at != c.end:
        c.bad('%d bytes after the last string' % (c.end - c.at))
    no_twins(strings, 'string')
    return strings


def read_frames(data, header, count, strings):
    end = len(data) - FOOTER_SIZE
    c = Cursor(data, header['frames_at'], end, header['order'], 'frame table')
    frames = [read_frame(c, strings, 'frame %d' % i) for i in range(count)]
    no_twins(frames, 'frame')
    stats = read_stats(c, header) if c.at != c.end else None
    return frames, stats


def read_frame(c, strings, what):
    file, func = c.varint(what + ' file', 32), c.varint(what + ' func', 32)
    line, end_line = c.svarint(what + ' line'), c.svarint(what + ' end line')
    col, end_col = c.svarint(what + ' column'), c.svarint(what + ' end column')
    opcode = c.fixed('B', what + ' opcode')
    for i in file, func:
        if i >= len(strings):
            c.bad('%s: string %d of %d' % (what, i, len(strings)))
    for name, base, delta in ('line', line, end_line), ('column', col, end_col):
        if base < -1:
            c.bad('%s: %s %d' % (what, name, base))
        if base == -1 and delta:
            c.bad('%s: no %s, yet an end delta of %d' % (what, name, delta))
        if base != -1 and base + delta < -1:
            c.bad('%s: end %s %d' % (what, name, base + delta))
    return Frame(strings[file], strings[func], line, line + end_line,
                 col, col + end_col, opcode)


def read_stats(c, header):
    """The block that CPython puts between frame table and footer."""
    if header['layout'] != 'cpython' or c.end - c.at != STATS_SIZE:
        c.bad('%d bytes after the last frame' % (c.end - c.at))
    duration, rate, errors, missed = (
        c.fixed('d', 'statistics') for _ in range(4))
    present, zero = c.fixed('I', 'present'), c.fixed('I', 'reserved')
    tag = c.take(8, 'tag')
    version, size = c.fixed('I', 'version'), c.fixed('I', 'size')
    if (zero, tag, version, size) != (0, STATS_TAG, 1, STATS_SIZE):
        c.bad('a block of statistics that is not as known')
    return dict(duration_s=duration, rate=rate,
                error_percent=errors if present & 1 else None,
                missed=missed if present & 2 else None)


def no_twins(entries, what):
    if len(set(entries)) != len(entries):
        entry, n = collections.Counter(entries).most_common(1)[0]
        raise Bad('%s table: %r is in it %d times' % (what, entry, n))


def sample_data(data, header):
    region = data[HEADER_SIZE:header['strings_at']]
    if COMPRESSIONS[header['compression']] == 'none' or not region:
        return region
    if not shutil.which('zstd'):
        raise Bad('the samples are compressed and there is no zstd command')
    zstd = subprocess.run(['zstd', '-dcq', '--long=31'], input=region,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if zstd.returncode:
        raise Bad('sample data: %s' % zstd.stderr.decode().strip())
    return zstd.stdout


class Profile:
    """An open profile: header (dict), strings, frames, and samples()."""

    def __init__(self, path):
        with open(path, 'rb') as f:
            self.data = f.read()
        self.header = read_header(self.data)
        nstrings, nframes = read_footer(self.data, self.header)
        self.strings = read_strings(self.data, self.header, nstrings)
        self.frames, self.stats = read_frames(
            self.data, self.header, nframes, self.strings)
        self.records = collections.Counter()

    def samples(self):
        """Yields every Sample, in the file's order, and checks the counts
        of the header at the end."""
        header, threads, count = self.header, {}, 0
        data = sample_data(self.data, header)
        c = Cursor(data, 0, len(data), header['order'], 'sample data')
        self.records.clear()
        while c.at < c.end:
            key = (c.fixed('Q', 'thread id'), c.fixed('I', 'interpreter id'))
            time, stack = threads.get(key, (header['start_us'], None))
            ticks, stack = self.record(c, stack)
            for delta, status in ticks:
                time += delta
                count += 1
                yield Sample(time, key[1], key[0], status, stack)
            threads[key] = time, stack
        if count != header['samples']:
            raise Bad('header: %d samples, but there are %d'
                      % (header['samples'], count))
        if len(threads) != header['threads']:
            raise Bad('header: %d threads, but there are %d'
                      % (header['threads'], len(threads)))

    def record(self, c, stack):
        kind = c.fixed('B', 'encoding')
        if kind > POP_PUSH:
            c.bad('encoding %d' % kind)
        self.records[RECORDS[kind]] += 1
        if kind == REPEAT:
            # CPython repeats the empty stack of a thread without a record.
            if stack is None and self.header['layout'] != 'cpython':
                c.bad('REPEAT of a thread that has no stack yet')
            count = c.varint('count')
            if not count:
                c.bad('REPEAT of no sample')
            if count > (c.end - c.at) // 2:
                c.bad('REPEAT of %d samples in %d bytes'
                      % (count, c.end - c.at))
            return [self.tick(c) for _ in range(count)], stack or ()
        tick = self.tick(c)
        return [tick], self.new_stack(c, kind, stack or ())

    def tick(self, c):
        return c.varint('time'), c.fixed('B', 'status')

    def new_stack(self, c, kind, stack):
        if kind == FULL:
            kept = ()
        else:
            n = c.varint('shared or popped')
            if n > len(stack):
                c.bad('%s: %d of a stack of %d frames'
                      % (RECORDS[kind], n, len(stack)))
            kept = stack[len(stack) - n if kind == SUFFIX else n:]
        count = c.varint('frame count')
        if count > c.end - c.at:
            c.bad('%d frames in %d bytes' % (count, c.end - c.at))
        new = tuple(c.varint('frame index') for _ in range(count))
        if new and max(new) >= len(self.frames):
            c.bad('frame %d of %d' % (max(new), len(self.frames)))
        return new + kept

    def resolve(self, stack):
        """The Frames of a sample's stack, root first."""
        return [self.frames[i] for i in reversed(stack)]


def decode(path):
    return Profile(path)


def summary(profile):
    threads = collections.Counter()
    depths = collections.Counter()
    last = 0
    for s in profile.samples():
        threads[s.interp, s.thread] += 1
        depths[len(s.stack)] += 1
        last = max(last, s.time)
    result = {k: v for k, v in profile.header.items() if k != 'order'}
    result['compression'] = COMPRESSIONS[result['compression']]
    result.update(
        strings=len(profile.strings), frames=len(profile.frames),
        duration_us=last - result['start_us'] if threads else 0,
        max_depth=max(depths, default=0), records=dict(profile.records),
        statistics=profile.stats,
        samples_by_thread=[[i, t, n] for (i, t), n in threads.items()])
    return result


def main(argv):
    args = [a for a in argv if a != '--summary']
    if len(args) != 1:
        sys.stderr.write(__doc__)
        return 2
    try:
        profile = decode(args[0])
        if '--summary' in argv:
            print(json.dumps(summary(profile)))
            return 0
        for s in profile.samples():
            print(json.dumps(s[:4] + (profile.resolve(s.stack),)))
    except (Bad, OSError) as e:
        sys.stderr.write('decode.py: %s: %s\n' % (args[0], e))
        return 1
    except BrokenPipeError:
        return 0
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
