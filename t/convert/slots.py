#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""Reads a CPU profile of gperftools by the description of its format, and
fails if anything in it is not as it says there.

slots.py FILE                 what is in it, a line each
slots.py --stacks FILE        its stacks, outermost frame first, with their
                              counts; names are those of its own table or
                              comments
slots.py --stacks FILE ELF    names and lines are those that addr2line gives
slots.py --as-text FILE...    stacks as the first form prints them, of what
                              tach-cat prints
slots.py --as-symbols FILE... as the second does
"""
import collections
import re
import struct
import subprocess
import sys

MAP = re.compile(r'([0-9a-f]+)-([0-9a-f]+) r-xp 00000000 00:00 0 +(\S+)$')
NAME = re.compile(r'(?:# )?0x([0-9a-f]+) (.*)$')


class Profile:
    def __init__(self, data):
        self.names = {}
        if data.startswith(b'--- symbol\n'):
            table, mark, data = data.partition(b'\n---\n--- profile\n')
            assert mark
            lines = table.decode(errors='surrogateescape').split('\n')
            assert lines[1].startswith('binary=python'), lines[1]
            for line in lines[2:]:
                address, name = NAME.match(line).groups()
                name, tag = re.match('(.+)<([0-9a-f]+)>$', name).groups()
                assert int(tag, 16) % 16 == 0
                self.names[int(address, 16)] = name
        self.find_words(data)
        self.read_records()
        self.read_text(data[self.at * self.size:].decode(
            errors='surrogateescape'))
        self.look()

    # "The profiling tools examine the contents of the file and use the
    # expected locations and values of the header words field to detect
    # whether the file is 32-bit or 64-bit."
    def find_words(self, data):
        for self.size, self.order in (4, '<'), (4, '>'), (8, '<'), (8, '>'):
            n = len(data) // self.size
            self.slots = struct.unpack_from(
                self.order + str(n) + ' IQ'[self.size // 4], data)
            if self.slots[:3] == (0, 3, 0):
                break
        else:
            raise ValueError('no header')
        self.period = self.slots[3]
        assert self.period > 0 and self.slots[4] == 0

    def read_records(self):
        self.records = []
        at = 5
        while True:
            count, n = self.slots[at:at + 2]
            pcs = self.slots[at + 2:at + 2 + n]
            assert n >= 1 and len(pcs) == n
            at += 2 + n
            if (count, pcs) == (0, (0,)):
                break
            assert pcs[0] != 0
            self.records.append((count, pcs))
        self.at = at

    def read_text(self, text):
        lines = text.split('\n')
        assert lines.pop() == ''
        self.build = ''
        if lines[0].startswith('build='):
            self.build = lines.pop(0)[6:]
        start, end, self.path = MAP.match(lines.pop(0)).groups()
        self.path = self.path.replace('$build', self.build)
        self.start, self.end = int(start, 16), int(end, 16)
        for line in lines:
            address, name = NAME.match(line).groups()
            for offset in range(16):
                self.names[int(address, 16) + offset] = name

    # What readers do to the addresses must not show.
    def look(self):
        first = collections.Counter()
        for count, pcs in self.records:
            assert all(self.start <= pc < self.end for pc in pcs)
            assert all(pc % 16 > 0 for pc in pcs)
            if len(pcs) > 1:
                assert pcs[0] != pcs[1]
                first[pcs[1]] += 1
        n = len(self.records)
        assert all(times < n - n // 32 for times in first.values()), first
        # A count is one at least, but in the second record of a single sample.
        counts = [count for count, pcs in self.records]
        assert 0 not in counts or counts == [1, 0], counts

    def total(self):
        return sum(count for count, pcs in self.records)

    def summary(self):
        yield 'word %d %s' % (self.size * 8,
                              'little' if self.order == '<' else 'big')
        yield 'period %d' % self.period
        yield 'records %d' % len(self.records)
        yield 'samples %d' % self.total()
        yield 'object ' + self.path

    def name(self, pc, leaf):
        return self.names[pc]

    def stacks(self, name):
        found = collections.Counter()
        for count, pcs in self.records:
            names = [name(pc, pc == pcs[0]) for pc in reversed(pcs)]
            found[';'.join(names)] += count
        return found


def addr2line(profile, elf):
    """Names by the tools that readers use; these take one from the address
    of a call."""
    pcs = sorted({pc for count, pcs in profile.records for pc in pcs})
    asked = ''.join('%x\n%x\n' % (pc, pc - 1) for pc in pcs)
    lines = subprocess.run(['addr2line', '-f', '-e', elf], input=asked,
                           stdout=subprocess.PIPE, check=True,
                           encoding='utf-8', errors='surrogateescape')
    lines = iter(lines.stdout.split('\n'))
    names = {}
    for pc in pcs:
        for leaf in True, False:
            func, place = next(lines), next(lines)
            names[pc, leaf] = '%s (%s)' % (func, place.replace(':?', ':0'))
    return lambda pc, leaf: names[pc, leaf]


def unvis(text):
    data = text.encode('utf-8', 'surrogateescape')
    data = re.sub(rb'\\(\d{3})', lambda m: bytes([int(m[1], 8)]), data)
    return data.decode('utf-8', 'surrogateescape')


# What no text output has as it is: see utf8_is_control in lib/utf8.h.
CONTROL = re.compile('[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e'
                     '\u2066-\u2069\udc80-\udcff]')


def escaped(text):
    return CONTROL.sub(lambda m: ''.join(
        '\\%03o' % b for b in m[0].encode('utf-8', 'surrogateescape')), text)


SYMBOLS = str.maketrans('<>() ', '[]{}_')
RESERVED = '_fini', '__restore', '__pthread_sighandler', '__FRAME_END__'
COMMENTS = str.maketrans('=]', '??')


def expected(frame, symbols):
    file, func, line = frame.split(':')[:3]
    file, func = escaped(unvis(file)), escaped(unvis(func))
    line = max(0, int(line or 0))
    if symbols:
        func = func.translate(SYMBOLS).replace('--', '-_') or '?'
        func = '[%s]' % func if func in RESERVED else func
        return '%s (%s:%d)' % (func, file or '?', line)
    return '%s (%s:%d)' % (func.translate(COMMENTS),
                           file.translate(COMMENTS), line)


def of_cat(files, symbols):
    found = collections.Counter()
    cat = subprocess.run(['tach-cat', '-l', *files], stdout=subprocess.PIPE,
                         check=True, encoding='utf-8',
                         errors='surrogateescape')
    for line in cat.stdout.split('\n')[:-1]:
        if line.startswith('#'):
            continue
        stack = [frame for frame in line.split('\t')[4].split(';')
                 if frame and '_sync_coordinator.py:' not in frame]
        found[';'.join(expected(frame, symbols) for frame in
                       stack or ['~:<no\\040frames>:'])] += 1
    return found


def main(args):
    sys.stdout.reconfigure(encoding='utf-8', errors='surrogateescape')
    if args[0] in ('--as-text', '--as-symbols'):
        stacks = of_cat(args[1:], args[0] == '--as-symbols')
    else:
        show = args[0] == '--stacks'
        args = args[show:]
        with open(args[0], 'rb') as file:
            profile = Profile(file.read())
        if not show:
            print('\n'.join(profile.summary()))
            return
        stacks = profile.stacks(addr2line(profile, args[1]) if args[1:]
                                else profile.name)
    for stack, count in sorted(stacks.items()):
        print(count, stack)


if __name__ == '__main__':
    main(sys.argv[1:])
