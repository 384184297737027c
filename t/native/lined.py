#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""Calls the library of lined.c, and judges recordings of it.

    lined.py run LIBRARY SECONDS
	calls it for so long
    lined.py judge LINED.C READS [PYTHON] <collapsed
	lines have their shares, as far as so many reads can tell; with PYTHON, each call
	comes from that line of this file
    lined.py outermost <`addr2line -a -i`
	the place of each address in the function that it is in
"""
import ctypes
import re
import sys
import time

SHARES = {'FIRST': 75, 'CALL': 25}


def run(library, seconds):
    function = ctypes.CDLL(library).twice_and_once
    end = time.time() + float(seconds)
    print('ready', flush=True)
    while time.time() < end:
        function(ctypes.c_ulong(100000))  # PYTHON


def lines_with(path, word):
    with open(path, encoding='utf-8') as f:
        return {n for n, line in enumerate(f, 1)
                if re.search(r'(/\*|#) %s\b' % word, line)}


def judge(source, reads, python=None):
    lines = {word: lines_with(source, word) for word in SHARES}
    counts, total = dict.fromkeys(SHARES, 0), 0
    for text in sys.stdin:
        stack, count = text.rsplit(' ', 1)
        frames = stack.split(';')
        file, function, line = (frames[-1].rsplit(':', 2) + [None] * 2)[:3]
        if function != 'twice_and_once':  # a mark has no file and no line
            continue
        assert file.endswith('lined.c'), stack
        total += int(count)
        for word in SHARES:
            counts[word] += int(line) in lines[word] and int(count)
        if python:
            assert any(f.endswith('lined.py:run:%d' % n) for f in frames
                       for n in lines_with(__file__, python)), stack
    print(total, counts)
    points = 3 + 200 / int(reads) ** .5
    assert total > 100, total
    for word, share in SHARES.items():
        assert abs(100 * counts[word] / total - share) <= points, counts


def outermost():
    for text in sys.stdin.read().split('0x')[1:]:
        address, *places = text.splitlines()
        print('%x' % int(address, 16), places[-1].split(' (')[0])


if __name__ == '__main__':
    {'run': run, 'judge': judge, 'outermost': outermost}[sys.argv[1]](*sys.argv[2:])
